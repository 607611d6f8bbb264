"""Detects that the store has changed, whichever process changed it."""

from __future__ import annotations

from threading import Lock

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


class ChangeDetector:
    """Tells whether a store has changed. Close it before the store.

    A check is cheap enough for every page request. SQLite counts the changes of other connections, as seen from one
    that stays open. PostgreSQL is asked for a few figures.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._sqlite = self._engine.connect() if engine.dialect.name == "sqlite" else None
        self._lock = Lock()

    def state(self) -> tuple[object, ...]:
        """Return values that differ after every change."""
        if self._sqlite is not None:
            with self._lock:
                return tuple(self._sqlite.exec_driver_sql("PRAGMA data_version").one())
        with self._engine.connect() as connection:  # an open one would not survive a restart of the server
            return tuple(connection.execute(FIGURES).one())

    def close(self) -> None:
        if self._sqlite is not None:
            self._sqlite.close()
