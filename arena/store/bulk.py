"""Writes many rows in one statement.

PostgreSQL is another process, and a statement per row costs both sides time. So rows are sent as one JSON text, which
the server turns into rows again; it is an ordinary statement with ordinary errors. SQLite runs in this process and
takes rows as they are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache

from sqlalchemy import Connection, Insert, Table, TextClause, bindparam, text, update
from sqlalchemy.dialects import postgresql, sqlite

from arena.store.columns import ESCAPE

NOT_IN_JSON = ("\\u0000", ESCAPE, "Infinity", "NaN")
"""JSON with one of these may hold values that PostgreSQL cannot read from it."""

Rows = Sequence[Mapping[str, object]]


def insert_rows(connection: Connection, table: Table, rows: Rows, *, replace: bool = False) -> None:
    """Insert rows that all have values for the same columns; `replace`: instead of those with the same keys."""
    if packed := _packed(connection, rows):
        connection.execute(_packed_insertion(table, tuple(rows[0]), replace), packed)
    elif rows:
        connection.execute(_insertion(table, connection.dialect.name, replace), list(rows))


def update_rows(connection: Connection, table: Table, rows: Rows) -> None:
    """Update existing rows; each has its keys, and values for the same columns."""
    if packed := _packed(connection, rows):
        connection.execute(_packed_update(table, tuple(rows[0])), packed)
    elif rows:
        keys = {column.name: f"its_{column.name}" for column in table.primary_key}
        ours = (column == bindparam(keys[column.name]) for column in table.primary_key)
        values: dict[str, object] = {name: bindparam(name) for name in rows[0] if name not in keys}
        renamed = [{keys.get(name, name): value for name, value in row.items()} for row in rows]
        connection.execute(update(table).where(*ours).values(values), renamed)


@cache
def _insertion(table: Table, dialect: str, replace: bool) -> Insert:
    statement = postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)
    if not replace:
        return statement
    values = {column.name: statement.excluded[column.name] for column in table.c if not column.primary_key}
    return statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=values)


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
def _packed_insertion(table: Table, names: tuple[str, ...], replace: bool) -> TextClause:
    columns = ", ".join(f'"{name}"' for name in names)
    statement = f'INSERT INTO "{table.name}" ({columns}) SELECT {columns} FROM {_given(table)}'  # noqa: S608
    if replace:
        keys = ", ".join(f'"{column.name}"' for column in table.primary_key)
        values = ", ".join(f'"{name}" = excluded."{name}"' for name in names if name not in table.primary_key)
        statement += f" ON CONFLICT ({keys}) DO UPDATE SET {values}"
    return text(statement)


@cache
def _packed_update(table: Table, names: tuple[str, ...]) -> TextClause:
    values = ", ".join(f'"{name}" = given."{name}"' for name in names if name not in table.primary_key)
    ours = " AND ".join(f'"{table.name}"."{column.name}" = given."{column.name}"' for column in table.primary_key)
    return text(f'UPDATE "{table.name}" SET {values} FROM {_given(table)} WHERE {ours}')  # noqa: S608


def _given(table: Table) -> str:
    return f'json_populate_recordset(CAST(NULL AS "{table.name}"), CAST(:rows AS json)) AS given'
