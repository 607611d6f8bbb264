"""Detects that the store has changed, whichever process changed it."""

from __future__ import annotations

from threading import Lock
from typing import Self

from sqlalchemy import Connection, Engine, func, select

from arena.store.schema import bots, brackets, matches, tournaments, versions


class ChangeCounter:
    """Counts the changes of a store. Close it, or use it in a with statement.

    A check is cheap enough for every page request. SQLite counts the changes of other connections, as seen from one
    that stays open. PostgreSQL is asked for a few figures of which every write changes one.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._connection = self._engine.connect() if engine.dialect.name == "sqlite" else None
        self._lock = Lock()
        self._seen = self._state()
        self._changes = 0

    def count(self) -> int:
        """Check the store, and return how many checks have found a change."""
        with self._lock:
            state = self._state()
            if state != self._seen:
                self._seen = state
                self._changes += 1
            return self._changes

    def _state(self) -> tuple[object, ...]:
        if self._connection is not None:
            return _counter(self._connection)
        with self._engine.connect() as connection:  # an open one would not survive a restart of the server
            return _figures(connection)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _counter(connection: Connection) -> tuple[object, ...]:
    return tuple(connection.exec_driver_sql("PRAGMA data_version").one())


def _figures(connection: Connection) -> tuple[object, ...]:
    """Return figures that take no longer with more matches."""
    wanted = select(
        select(func.max(matches.c.id)).scalar_subquery(),
        select(func.max(versions.c.id)).scalar_subquery(),
        select(func.count()).select_from(bots).where(bots.c.retired).scalar_subquery(),
        select(func.max(tournaments.c.id)).scalar_subquery(),
        select(func.sum(brackets.c.played)).scalar_subquery(),
        select(func.sum(brackets.c.folded)).scalar_subquery(),
        select(func.count()).select_from(brackets).where(brackets.c.state == "done").scalar_subquery(),
    )
    return tuple(connection.execute(wanted).one())
