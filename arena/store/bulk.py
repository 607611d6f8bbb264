"""Inserts many rows in one statement.

A tournament writes thousands of rows per second. So rows are plain tuples, a statement's text is made once, and the
database driver gets both as they are; only values that the driver cannot take are converted, such as JSON.

PostgreSQL is another process, and a statement per row costs both sides time. So rows are sent as one JSON text, which
the server turns into rows again; it is an ordinary statement with ordinary errors. SQLite runs in this process and
takes rows as they are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.engine import Dialect

from arena.store.columns import ESCAPE

NOT_IN_JSON = ("\\u0000", ESCAPE, "Infinity", "NaN")
"""JSON with one of these may hold values that PostgreSQL cannot read from it."""


def insert_rows(
    connection: Connection,
    table: Table,
    columns: tuple[str, ...],
    rows: Sequence[tuple[object, ...]],
    *,
    replace: bool = False,
) -> None:
    """Insert rows with values for these columns; `replace`: instead of those with the same keys."""
    if not rows:
        return
    dialect = connection.dialect
    if dialect.name == "postgresql":
        packed = json.dumps(
            [dict(zip(columns, row, strict=True)) for row in rows], ensure_ascii=False, default=_hexadecimal
        )
        if not any(sign in packed for sign in NOT_IN_JSON):
            connection.exec_driver_sql(_insertion(table, columns, replace, dialect, packed=True), (packed,))
            return
    connection.exec_driver_sql(_insertion(table, columns, replace, dialect), _converted(table, columns, rows, dialect))


@lru_cache(maxsize=100)
def _insertion(table: Table, columns: tuple[str, ...], replace: bool, dialect: Dialect, packed: bool = False) -> str:
    """Return the text of the statement, with a placeholder for each value, or one for all rows as JSON."""
    quoted = {column.name: dialect.identifier_preparer.quote(column.name) for column in table.columns}
    names = ", ".join(quoted[name] for name in columns)
    placeholder = "?" if dialect.paramstyle == "qmark" else "%s"
    source = f"VALUES ({', '.join(placeholder for _ in columns)})"
    if packed:
        given = f'json_populate_recordset(CAST(NULL AS "{table.name}"), CAST(%s AS JSON))'
        source = f"SELECT {names} FROM {given}"  # noqa: S608, names of our own schema
    text = f'INSERT INTO "{table.name}" ({names}) {source}'
    if not replace:
        return text
    keys = [column.name for column in table.primary_key]
    changed = ", ".join(f"{quoted[name]} = excluded.{quoted[name]}" for name in columns if name not in keys)
    return f"{text} ON CONFLICT ({', '.join(quoted[name] for name in keys)}) DO UPDATE SET {changed}"


def _converted(
    table: Table, columns: tuple[str, ...], rows: Sequence[tuple[object, ...]], dialect: Dialect
) -> list[tuple[object, ...]]:
    """Return the rows with values that the driver takes."""
    values: list[Sequence[object]] = list(zip(*rows, strict=True))
    for place, convert in _converters(table, columns, dialect):
        values[place] = list(map(convert, values[place]))
    return list(zip(*values, strict=True))


@lru_cache(maxsize=100)
def _converters(
    table: Table, columns: tuple[str, ...], dialect: Dialect
) -> list[tuple[int, Callable[[object], object]]]:
    """Return the columns whose values need a conversion, and what converts them."""
    types: list[Any] = [table.c[name].type.dialect_impl(dialect) for name in columns]
    processors = ((place, each.bind_processor(dialect)) for place, each in enumerate(types))
    return [(place, processor) for place, processor in processors if processor is not None]


def _hexadecimal(value: object) -> str:
    """Return bytes in PostgreSQL's notation."""
    assert isinstance(value, bytes), value
    return f"\\x{value.hex()}"
