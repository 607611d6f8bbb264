"""Leases: which process plays which tournament, if several homes share a store.

For SQLite the lock of the home is enough. In PostgreSQL a process holds an advisory lock on the tournament's number
while it is connected. A connection can break unnoticed, and another process may then have resumed the tournament; so
every write checks in its own transaction that the lock is still held.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class TournamentLease:
    """The exclusive right to play a tournament."""

    tournament: int
    holder: int | None
    """The PostgreSQL process that holds the lock; None if the lock of the home is enough."""

    def is_held(self, connection: Connection) -> bool:
        if self.holder is None:
            return True
        wanted = text(f"SELECT count(*) {GRANTED} AND objid = :number AND pid = :holder")
        key = {"locks": LEASE_LOCKS, "number": self.tournament, "holder": self.holder}
        return bool(connection.scalar(wanted, key))

    def check(self, connection: Connection) -> None:
        """Raise `BadStore` if the lease was lost."""
        if not self.is_held(connection):
            raise BadStore(
                f"The lease on tournament {self.tournament} was lost with its connection; another process may be "
                "playing it now.",
                hint="Run `arena history`, and resume the tournament if it is not being played.",
            )


@contextmanager
def lease(engine: Engine, tournament: int) -> Iterator[TournamentLease]:
    """Hold the lease on a tournament. Raise `HomeInUse` if another process holds it."""
    if engine.dialect.name != "postgresql":
        yield TournamentLease(tournament, None)
        return
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        key = {"locks": LEASE_LOCKS, "number": tournament}
        for _ in range(CONFIG.lock_attempts):  # the server may not have noticed yet that the last holder was killed
            if connection.scalar(text("SELECT pg_try_advisory_lock(:locks, :number)"), key):
                break
            time.sleep(CONFIG.lease_interval)
        else:
            raise HomeInUse(
                f"Tournament {tournament} is being played by another process that shares the store.",
                hint="Wait until it ends, or play another tournament.",
            )
        try:
            yield TournamentLease(tournament, connection.scalar(text("SELECT pg_backend_pid()")))
        finally:
            with suppress(ArenaError, SQLAlchemyError):  # a lost connection has lost its locks
                connection.execute(text("SELECT pg_advisory_unlock(:locks, :number)"), key)
            connection.invalidate()  # never back to the pool: its state is unknown


class RenewableLease:
    """A lease for a process that runs for days: it is taken again after a lost connection.

    Another process may have held it in between, so a writer must check that the stored state is the one it knows.
    """

    def __init__(self, engine: Engine, tournament: int, taken: str) -> None:
        """`taken`: the error message if another process holds it."""
        self._engine = engine
        self._tournament = tournament
        self._taken = taken
        self._held = ExitStack()
        self._lease = self._take()

    def renew(self) -> None:
        """Take the lease again if it was lost. Raise `HomeInUse` if another process holds it now."""
        if self._lease.holder is None:
            return
        with self._engine.connect() as connection:
            if self._lease.is_held(connection):
                return
        self._held.close()
        self._lease = self._take()

    def _take(self) -> TournamentLease:
        try:
            return self._held.enter_context(lease(self._engine, self._tournament))
        except HomeInUse as error:
            raise HomeInUse(self._taken) from error

    def close(self) -> None:
        """Release the lease."""
        self._held.close()


def leased_tournaments(engine: Engine) -> frozenset[int]:
    """Return the tournaments that are leased now."""
    if engine.dialect.name != "postgresql":
        return frozenset()
    with engine.connect() as connection:
        return frozenset(connection.scalars(text(f"SELECT objid::bigint {GRANTED}"), {"locks": LEASE_LOCKS}))
