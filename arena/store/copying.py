"""Copies all that is on record from one store to another, of whatever kind: the same rows with the same numbers.

What is read is as it was at one moment, whoever writes meanwhile; what is written is all of it or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, func, select

from arena.errors import BadStore
from arena.store.bulk import insert_rows
from arena.store.schema import metadata
from arena.store.store import Store
from arena.store.writing import writing

AT_ONCE = 500
"""So many rows are held in memory at once: matches have their replays with them."""


def copy(source: Store, target: Store, show: Callable[[int, int], None] = lambda _, __: None) -> int:
    """Copies everything into a store that is empty; returns how many rows.

    `show` is told how many rows are copied, and how many there are.
    """
    with _at_one_moment(source.engine) as reading, writing(target.engine) as written:
        for table in metadata.sorted_tables:
            if written.execute(select(table.primary_key.columns[0]).limit(1)).first() is not None:
                raise BadStore(
                    f"there is something in {target.where} already, and two records cannot be put together: "
                    "copy into an empty one."
                )
        in_all = sum(
            reading.execute(select(func.count()).select_from(table)).scalar_one() for table in metadata.sorted_tables
        )
        copied = 0
        for table in metadata.sorted_tables:
            in_order = select(table).order_by(*table.primary_key.columns)
            with reading.execute(in_order, execution_options={"yield_per": AT_ONCE}) as rows:
                for part in rows.mappings().partitions():
                    insert_rows(written, table, [dict(row) for row in part])
                    copied += len(part)
                    show(copied, in_all)
        if written.dialect.name == "postgresql":
            _go_on_counting(written)
    return copied


@contextmanager
def _at_one_moment(engine: Engine) -> Iterator[Connection]:
    if engine.dialect.name == "postgresql":
        with engine.connect().execution_options(isolation_level="REPEATABLE READ") as connection:
            yield connection
    else:
        with engine.connect() as connection:
            connection.exec_driver_sql("BEGIN")  # by itself each query would see its own moment
            yield connection


def _go_on_counting(connection: Connection) -> None:
    """The next number that PostgreSQL gives is greater than those that were copied."""
    for table in metadata.sorted_tables:
        if "id" in table.primary_key.columns:
            sequence = func.pg_get_serial_sequence(table.name, "id")
            last = connection.execute(select(func.max(table.c.id))).scalar()
            if last is not None:
                connection.execute(select(func.setval(sequence, last)))
