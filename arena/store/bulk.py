"""Inserts many rows in one statement.

PostgreSQL is another process, and a statement per row costs both sides time. So rows are sent as one JSON text, which
the server turns into rows again; it is an ordinary statement with ordinary errors. SQLite runs in this process and
takes rows as they are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache

from sqlalchemy import JSON, Connection, Insert, Table, Text, bindparam, cast, func, literal_column, select
from sqlalchemy.dialects import postgresql, sqlite

from arena.store.columns import ESCAPE

NOT_IN_JSON = ("\\u0000", ESCAPE, "Infinity", "NaN")
"""JSON with one of these may hold values that PostgreSQL cannot read from it."""


def insert_rows(
    connection: Connection, table: Table, rows: Sequence[Mapping[str, object]], *, replace: bool = False
) -> None:
    """Insert rows that all have values for the same columns; `replace`: instead of those with the same keys."""
    if not rows:
        return
    dialect = connection.dialect.name
    if dialect == "postgresql":
        packed = json.dumps(rows, ensure_ascii=False, default=_hexadecimal)
        if not any(sign in packed for sign in NOT_IN_JSON):
            connection.execute(_insertion(table, dialect, tuple(rows[0]), replace, packed=True), {"rows": packed})
            return
    connection.execute(_insertion(table, dialect, tuple(rows[0]), replace), list(rows))


@cache
def _insertion(table: Table, dialect: str, names: tuple[str, ...], replace: bool, packed: bool = False) -> Insert:
    statement = postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)
    if replace:
        values = {name: statement.excluded[name] for name in names if name not in table.primary_key}
        statement = statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=values)
    if not packed:
        return statement
    given = func.json_populate_recordset(
        literal_column(f'CAST(NULL AS "{table.name}")'), cast(bindparam("rows", type_=Text), JSON)
    )
    return statement.from_select(names, select(given.table_valued(*names)))


def _hexadecimal(value: object) -> str:
    """Return bytes in PostgreSQL's notation."""
    assert isinstance(value, bytes), value
    return f"\\x{value.hex()}"
