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

from pathlib import Path
from typing import Self

from sqlalchemy import Engine

from arena.store.bots import Bots
from arena.store.engine import display_name, open_engine
from arena.store.history import MatchHistory
from arena.store.matches import Matches
from arena.store.open_ended import CasualMatches, RemoteLadder
from arena.store.standings import StoredStandings
from arena.store.tokens import Tokens
from arena.store.tournaments import StoredTournaments


class Store:
    """An open store. Close it, or use it in a with statement."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.bots = Bots(engine)
        self.tournaments = StoredTournaments(engine)
        self.matches = Matches(engine)
        self.history = MatchHistory(engine)
        self.casual = CasualMatches(engine)
        self.ladder = RemoteLadder(engine)
        self.standings = StoredStandings(engine)
        self.tokens = Tokens(engine)

    @classmethod
    def open(cls, database: Path | str) -> Self:
        """Open a database file or URL; create it if it is missing, and migrate an older schema."""
        return cls(open_engine(database))

    @property
    def where(self) -> str:
        """The path or address, without a password."""
        return display_name(self.engine.url)

    def close(self) -> None:
        self.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
