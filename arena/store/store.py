"""The store: one database, with one object for each kind of record.

Invariants:
- one process at a time plays a tournament and writes its results (leases.py). Others may read, submit bots, store
  casual matches, and, in PostgreSQL, play other tournaments;
- a write transaction excludes other writers from its first read on (engine.py), so ids and numbers are given once, and
  matches written later have greater ids;
- when a write returns, it is on disk: SQLite runs in WAL mode with full synchronisation;
- the schema has a version: an older database is migrated when it is opened, a newer one is refused.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import Self

from sqlalchemy import Engine

from arena.store.bots import Bots
from arena.store.casual import CasualMatches
from arena.store.changes import ChangeCounter
from arena.store.engine import display_name, open_engine
from arena.store.history import MatchHistory
from arena.store.ladder import RemoteLadder
from arena.store.leases import RenewableLease, TournamentLease, lease, leased_tournaments
from arena.store.matches import Matches
from arena.store.standings import StoredStandings
from arena.store.tokens import Tokens
from arena.store.tournaments import StoredTournaments


class Store:
    """An open store. Close it, or use it in a with statement."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @classmethod
    def open(cls, database: Path | str) -> Self:
        """Open a database file or URL; create it if it is missing, and migrate an older schema."""
        return cls(open_engine(database))

    @property
    def where(self) -> str:
        """The path or address, without a password."""
        return display_name(self.engine.url)

    @cached_property
    def bots(self) -> Bots:
        return Bots(self.engine)

    @cached_property
    def tournaments(self) -> StoredTournaments:
        return StoredTournaments(self.engine)

    @cached_property
    def matches(self) -> Matches:
        return Matches(self.engine)

    @cached_property
    def history(self) -> MatchHistory:
        return MatchHistory(self.engine)

    @cached_property
    def casual(self) -> CasualMatches:
        return CasualMatches(self.matches)

    @cached_property
    def ladder(self) -> RemoteLadder:
        return RemoteLadder(self.bots, self.matches)

    @cached_property
    def standings(self) -> StoredStandings:
        return StoredStandings(self.engine)

    @cached_property
    def tokens(self) -> Tokens:
        return Tokens(self.engine)

    def change_counter(self) -> ChangeCounter:
        """Return a counter of changes; close it before the store."""
        return ChangeCounter(self.engine)

    def lease(self, tournament: int) -> AbstractContextManager[TournamentLease]:
        """Hold the exclusive right to play a tournament."""
        return lease(self.engine, tournament)

    def renewable_lease(self, tournament: int, taken: str) -> RenewableLease:
        """Return a lease that survives lost connections; `taken`: the error if another process holds it."""
        return RenewableLease(self.engine, tournament, taken)

    def leased_tournaments(self) -> frozenset[int]:
        """Return the tournaments that any home plays now. For SQLite this is empty: ask the home."""
        return leased_tournaments(self.engine)

    def close(self) -> None:
        self.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
