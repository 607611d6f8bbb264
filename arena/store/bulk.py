"""Writes many rows in one statement.

PostgreSQL is another process, and a statement per row costs both sides time. So rows are sent as one JSON text, which
the server turns into rows again; it is an ordinary statement with ordinary errors. SQLite runs in this process and
takes rows as they are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache

from sqlalchemy import Connection, Table, TextClause, bindparam, insert, text, update
from sqlalchemy.dialects import postgresql, sqlite

from arena.store.columns import ESCAPE

NOT_IN_JSON = ("\\u0000", ESCAPE, "Infinity", "NaN")
"""JSON with one of these may hold values that PostgreSQL cannot read from it."""

Rows = Sequence[Mapping[str, object]]


def insert_rows(connection: Connection, table: Table, rows: Rows) -> None:
    """Insert rows that all have values for the same columns."""
    if packed := _packed(connection, rows):
        connection.execute(_insertion(table, tuple(rows[0])), packed)
    elif rows:
        connection.execute(insert(table), list(rows))


def upsert_rows(connection: Connection, table: Table, rows: Rows) -> None:
    """Insert rows, or replace those with the same keys."""
    if packed := _packed(connection, rows):
        connection.execute(_insertion(table, tuple(rows[0]), replacing=True), packed)
    elif rows:
        dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
        statement = dialect.insert(table)
        keys = [column.name for column in table.primary_key]
        values = {column.name: statement.excluded[column.name] for column in table.c if column.name not in keys}
        connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=values), list(rows))


def update_rows(connection: Connection, table: Table, rows: Rows) -> None:
    """Update existing rows; each has its keys, and values for the same columns."""
    if packed := _packed(connection, rows):
        connection.execute(_change(table, tuple(rows[0])), packed)
    elif rows:
        keys = {column.name: f"its_{column.name}" for column in table.primary_key}
        ours = (column == bindparam(keys[column.name]) for column in table.primary_key)
        values: dict[str, object] = {name: bindparam(name) for name in rows[0] if name not in keys}
        renamed = [{keys.get(name, name): value for name, value in row.items()} for row in rows]
        connection.execute(update(table).where(*ours).values(values), renamed)


def _packed(connection: Connection, rows: Rows) -> dict[str, str] | None:
    """Return the parameter of the statements below; None if rows have to be sent one by one."""
    if not rows or connection.dialect.name != "postgresql":
        return None
    packed = json.dumps(rows, ensure_ascii=False, default=_hexadecimal)
    return None if any(sign in packed for sign in NOT_IN_JSON) else {"rows": packed}


def _hexadecimal(value: object) -> str:
    """Return bytes in PostgreSQL's notation."""
    assert isinstance(value, bytes), value
    return f"\\x{value.hex()}"


# The names in these statements come from the schema.


@cache
def _insertion(table: Table, names: tuple[str, ...], *, replacing: bool = False) -> TextClause:
    columns = ", ".join(f'"{name}"' for name in names)
    statement = f'INSERT INTO "{table.name}" ({columns}) SELECT {columns} FROM {_made(table)}'  # noqa: S608
    if replacing:
        keys = ", ".join(f'"{column.name}"' for column in table.primary_key)
        values = ", ".join(f'"{name}" = excluded."{name}"' for name in names if name not in table.primary_key)
        statement += f" ON CONFLICT ({keys}) DO UPDATE SET {values}"
    return text(statement)


@cache
def _change(table: Table, names: tuple[str, ...]) -> TextClause:
    values = ", ".join(f'"{name}" = given."{name}"' for name in names if name not in table.primary_key)
    ours = " AND ".join(f'"{table.name}"."{column.name}" = given."{column.name}"' for column in table.primary_key)
    return text(f'UPDATE "{table.name}" SET {values} FROM {_made(table)} AS given WHERE {ours}')  # noqa: S608


def _made(table: Table) -> str:
    """Return the SQL expression for the rows."""
    return f'json_populate_recordset(CAST(NULL AS "{table.name}"), CAST(:rows AS json))'
