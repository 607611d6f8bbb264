"""Copies a whole store into an empty one, of the same or another kind: the same rows with the same ids.

The source is read in one snapshot, so other processes may write to it; the target gets everything or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, func, select

from arena.errors import BadStore
from arena.store.bulk import insert_rows
from arena.store.config import CONFIG
from arena.store.engine import write_transaction
from arena.store.schema import metadata
from arena.store.store import Store


@dataclass(frozen=True, slots=True)
class CopyResult:
    """What was copied."""

    rows: int
    source: str
    target: str


def copy_records(source: Store, target: Store, show: Callable[[int, int], None] = lambda _, __: None) -> int:
    """Copy everything into an empty store, and return the number of rows.

    `show` is called with the number of copied rows and the number of all rows.
    """
    with _snapshot(source.engine) as reading, write_transaction(target.engine) as written:
        for table in metadata.sorted_tables:
            if written.execute(select(table.primary_key.columns[0]).limit(1)).first() is not None:
                raise BadStore(
                    f"The target store `{target.where}` is not empty, and stores cannot be merged.",
                    hint="Copy into an empty store.",
                )
        in_all = sum(
            reading.execute(select(func.count()).select_from(table)).scalar_one() for table in metadata.sorted_tables
        )
        copied = 0
        for table in metadata.sorted_tables:
            in_order = select(table).order_by(*table.primary_key.columns)
            with reading.execute(in_order, execution_options={"yield_per": CONFIG.copy_rows}) as rows:
                for part in rows.partitions():
                    insert_rows(written, table, tuple(table.columns.keys()), [tuple(row) for row in part])
                    copied += len(part)
                    show(copied, in_all)
        if written.dialect.name == "postgresql":
            _advance_sequences(written)
    return copied


@contextmanager
def _snapshot(engine: Engine) -> Iterator[Connection]:
    if engine.dialect.name == "postgresql":
        with engine.connect().execution_options(isolation_level="REPEATABLE READ") as connection:
            yield connection
    else:
        with engine.connect() as connection:
            connection.exec_driver_sql("BEGIN")  # by default each query would have its own snapshot
            yield connection


def _advance_sequences(connection: Connection) -> None:
    """Let PostgreSQL's sequences continue after the copied ids."""
    for table in metadata.sorted_tables:
        if "id" in table.primary_key.columns:
            sequence = func.pg_get_serial_sequence(table.name, "id")
            last = connection.execute(select(func.max(table.c.id))).scalar()
            if last is not None:
                connection.execute(select(func.setval(sequence, last)))
