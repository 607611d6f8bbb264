"""Transactions of those who read first and write what follows from it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, text

WRITERS = 0x6172656E61
"""The advisory lock of PostgreSQL that the writers of an arena take."""


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A transaction in which nobody else writes from its beginning on; waits for its turn.

    What is read in it, the greatest id for instance, is still so when it is committed.
    """
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")  # by itself it would begin with the first change only
        elif engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:writers)"), {"writers": WRITERS})
        yield connection
