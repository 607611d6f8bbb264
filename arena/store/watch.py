"""Whether the store has changed since one looked last, whoever has changed it."""

from __future__ import annotations

from threading import Lock
from types import TracebackType
from typing import Self

from sqlalchemy import Connection, Engine, func, select

from arena.store.schema import bots, brackets, matches, tournaments, versions


class Watch:
    """Looks at the store. Close it, or use it in a with statement.

    A look costs next to nothing, so that a server can take one for every page. SQLite counts the changes that others
    make, as seen from one connection, which is kept open. PostgreSQL is asked for a few figures of which one changes
    with whatever is written.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._connection = self._engine.connect() if engine.dialect.name == "sqlite" else None
        self._lock = Lock()
        self._seen = self._state()
        self._changes = 0

    def look(self) -> int:
        """How often a look has found something new: as long as this number stays, nothing has changed."""
        with self._lock:
            state = self._state()
            if state != self._seen:
                self._seen = state
                self._changes += 1
            return self._changes

    def _state(self) -> tuple[object, ...]:
        if self._connection is not None:
            return _counter(self._connection)
        with self._engine.connect() as connection:  # one that was kept would not outlive a restart of the server
            return _figures(connection)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()


def _counter(connection: Connection) -> tuple[object, ...]:
    return tuple(connection.exec_driver_sql("PRAGMA data_version").one())


def _figures(connection: Connection) -> tuple[object, ...]:
    """None of these takes longer because there are more matches."""
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
