"""Detects that the store has changed, whichever process changed it."""

from __future__ import annotations

from threading import Lock
from typing import Self

from sqlalchemy import Engine, func, select

from arena.store.schema import bots, brackets, matches, tournaments, versions

FIGURES = select(
    select(func.max(matches.c.id)).scalar_subquery(),
    select(func.max(versions.c.id)).scalar_subquery(),
    select(func.count()).select_from(bots).where(bots.c.retired).scalar_subquery(),
    select(func.max(tournaments.c.id)).scalar_subquery(),
    select(func.sum(brackets.c.played)).scalar_subquery(),
    select(func.sum(brackets.c.folded)).scalar_subquery(),
    select(func.count()).select_from(brackets).where(brackets.c.state == "done").scalar_subquery(),
)
"""Every write changes one of them, and they take no longer with more matches."""


class ChangeCounter:
    """Counts the changes of a store. Close it, or use it in a with statement.

    A check is cheap enough for every page request. SQLite counts the changes of other connections, as seen from one
    that stays open. PostgreSQL is asked for a few figures.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._sqlite = self._engine.connect() if engine.dialect.name == "sqlite" else None
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
        if self._sqlite is not None:
            return tuple(self._sqlite.exec_driver_sql("PRAGMA data_version").one())
        with self._engine.connect() as connection:  # an open one would not survive a restart of the server
            return tuple(connection.execute(FIGURES).one())

    def close(self) -> None:
        if self._sqlite is not None:
            self._sqlite.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
