"""Who conducts which tournament, where several homes share a store.

A store in a home has the home's lock. In PostgreSQL a conductor holds a lock on its tournament's number for as long as
it is connected. A connection can break without the conductor's noticing, and somebody else may have gone on with the
tournament since; so each write looks, in its own transaction, whether the lock is still held.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError

from arena.errors import ArenaError, BadStore, HomeInUse

CONDUCTORS = 0x6172656E
"""The advisory locks of PostgreSQL that conductors take, one for each tournament."""
TRIES = 20
"""How often the lock is tried for, a moment apart: the server may just be finding out that its holder was killed."""
A_MOMENT = 0.05
HELD = (
    "FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = :conductors "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


@dataclass(frozen=True, slots=True)
class Tenure:
    """The right to conduct a tournament."""

    tournament: int
    holder: int | None
    """The server's process that holds the lock; None where the home's lock is enough."""

    def is_held(self, connection: Connection) -> bool:
        """Whether nobody else can have it."""
        if self.holder is None:
            return True
        wanted = text(f"SELECT count(*) {HELD} AND objid = :number AND pid = :holder")
        key = {"conductors": CONDUCTORS, "number": self.tournament, "holder": self.holder}
        return bool(connection.scalar(wanted, key))

    def check(self, connection: Connection) -> None:
        """Raises where the right was lost."""
        if not self.is_held(connection):
            raise BadStore(
                f"the connection that held tournament {self.tournament} was lost, so somebody else may be playing it "
                "now: look with arena history, and go on with it if nobody is."
            )


@contextmanager
def conducting(engine: Engine, tournament: int) -> Iterator[Tenure]:
    if engine.dialect.name != "postgresql":
        yield Tenure(tournament, None)
        return
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        key = {"conductors": CONDUCTORS, "number": tournament}
        for _ in range(TRIES):
            if connection.scalar(text("SELECT pg_try_advisory_lock(:conductors, :number)"), key):
                break
            time.sleep(A_MOMENT)
        else:
            raise HomeInUse(
                f"tournament {tournament} is being played by somebody else who shares the store: "
                "wait for it, or play another one."
            )
        try:
            yield Tenure(tournament, connection.scalar(text("SELECT pg_backend_pid()")))
        finally:
            with suppress(ArenaError, SQLAlchemyError):  # it may be lost, and the lock with it
                connection.execute(text("SELECT pg_advisory_unlock(:conductors, :number)"), key)
            connection.invalidate()  # closed rather than kept, in whatever state it is


class LastingTenure:
    """The right to conduct, for who is there for days: where the connection was lost it is taken again.

    Somebody else may have had it in between, so who writes looks whether what is on record is still what it knows.
    """

    def __init__(self, engine: Engine, tournament: int, taken: str) -> None:
        """`taken`: the sentence for who comes while somebody else has it."""
        self._engine = engine
        self._tournament = tournament
        self._taken = taken
        self._held = ExitStack()
        self._tenure = self._take()

    def renew(self) -> None:
        """Sees to it that it is held. Raises where somebody else has it now."""
        if self._tenure.holder is None:
            return
        with self._engine.connect() as connection:
            if self._tenure.is_held(connection):
                return
        self._held.close()
        self._tenure = self._take()

    def _take(self) -> Tenure:
        try:
            return self._held.enter_context(conducting(self._engine, self._tournament))
        except HomeInUse as error:
            raise HomeInUse(self._taken) from error

    def close(self) -> None:
        """Leaves it to others."""
        self._held.close()


def conducted(engine: Engine) -> frozenset[int]:
    """The tournaments that somebody conducts now."""
    if engine.dialect.name != "postgresql":
        return frozenset()
    with engine.connect() as connection:
        return frozenset(connection.scalars(text(f"SELECT objid::bigint {HELD}"), {"conductors": CONDUCTORS}))
