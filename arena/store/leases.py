"""Leases: which process plays which tournament, if several homes share a store.

For SQLite the lock of the home is enough. In PostgreSQL a process holds an advisory lock on the tournament's number
while it is connected. A connection can break unnoticed, and another process may then have resumed the tournament; so
every write checks in its own transaction that the lock is still held.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Self

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError

from arena.errors import ArenaError, BadStore, HomeInUse
from arena.store.config import CONFIG

LEASE_LOCKS = 0x6172656E
"""The class of the PostgreSQL advisory locks, one for each tournament."""
GRANTED = (
    "FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = :locks "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


class TournamentLease:
    """The exclusive right to play a tournament. Close it, or use it in a with statement."""

    def __init__(self, engine: Engine, tournament: int, taken: str | None = None) -> None:
        """Raise `HomeInUse` if another process holds it; `taken`: the message of this error."""
        self._engine = engine
        self._tournament = tournament
        self._taken = taken
        self._connection: Connection | None = None
        self.holder: int | None = None
        """The PostgreSQL process that holds the lock; None if the lock of the home is enough."""
        self._take()

    def _take(self) -> None:
        if self._engine.dialect.name != "postgresql":
            return
        self._connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        lock = text("SELECT pg_try_advisory_lock(:locks, :number)")
        for _ in range(CONFIG.lock_attempts):  # the server may not have noticed yet that the last holder was killed
            if self._connection.scalar(lock, {"locks": LEASE_LOCKS, "number": self._tournament}):
                self.holder = self._connection.scalar(text("SELECT pg_backend_pid()"))
                return
            time.sleep(CONFIG.lease_interval)
        self.close()
        if self._taken is not None:
            raise HomeInUse(self._taken)
        raise HomeInUse(
            f"Tournament {self._tournament} is being played by another process that shares the store.",
            hint="Wait until it ends, or play another tournament.",
        )

    def check(self, connection: Connection) -> None:
        """Raise `BadStore` if the lease was lost."""
        if not self._is_held(connection):
            raise BadStore(
                f"The lease on tournament {self._tournament} was lost with its connection; another process may be "
                "playing it now.",
                hint="Run `arena history`, and resume the tournament if it is not being played.",
            )

    def renew(self) -> None:
        """Take the lease again if it was lost.

        Another process may have held it in between, so a writer must check that the stored state is the one it knows.
        """
        with self._engine.connect() as connection:
            is_held = self._is_held(connection)
        if not is_held:
            self.close()
            self._take()

    def _is_held(self, connection: Connection) -> bool:
        if self.holder is None:
            return True
        wanted = text(f"SELECT count(*) {GRANTED} AND objid = :number AND pid = :holder")
        key = {"locks": LEASE_LOCKS, "number": self._tournament, "holder": self.holder}
        return bool(connection.scalar(wanted, key))

    def close(self) -> None:
        if self._connection is not None:
            with suppress(ArenaError, SQLAlchemyError):  # a lost connection has lost its locks
                self._connection.execute(text("SELECT pg_advisory_unlock_all()"))
            self._connection.invalidate()  # never back to the pool: its state is unknown
            self._connection.close()
            self._connection = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def leased_tournaments(engine: Engine) -> frozenset[int]:
    """Return the tournaments that any home plays now. For SQLite this is empty: ask the home."""
    if engine.dialect.name != "postgresql":
        return frozenset()
    with engine.connect() as connection:
        return frozenset(connection.scalars(text(f"SELECT objid::bigint {GRANTED}"), {"locks": LEASE_LOCKS}))
