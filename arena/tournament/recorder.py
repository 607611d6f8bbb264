"""The recorder of a bracket: stores blocks, matches and standings in batches, each of them completely or not at all."""

from __future__ import annotations

import time
from contextlib import suppress

from sqlalchemy import Connection

from arena.rating.standings import Changes, Standings
from arena.store.leases import TournamentLease
from arena.store.matches import Batch
from arena.store.schema import ALL
from arena.store.standings import SharedStandings
from arena.store.store import Store
from arena.store.strengths import update_strengths
from arena.store.tournaments import TournamentRecord
from arena.tournament.config import CONFIG
from arena.tournament.course import Counted


class BracketRecorder:
    """Collects the results of a bracket and writes them."""

    def __init__(
        self,
        store: Store,
        record: TournamentRecord,
        bracket: str,
        lease: TournamentLease,
        standings: Standings | None,
        counted_before: int,
    ) -> None:
        """`standings`: of the tournament, None: it is not rated; `counted_before`: blocks that are in the store."""
        self.store = store
        self.record = record
        self.bracket = bracket
        self.lease = lease
        self.standings = standings
        self.overall = None
        if standings is not None:
            self.overall = SharedStandings(store.standings, record.id, bracket, standings)
        self.counted_before = counted_before
        self.batch = Batch(record.id, bracket)
        self.written = time.monotonic()

    @property
    def is_due(self) -> bool:
        """Whether it is time to write."""
        return len(self.batch.matches) >= CONFIG.write_batch or time.monotonic() - self.written > CONFIG.write_interval

    def count(self, counted: Counted) -> None:
        """Take a block that the course has counted."""
        if self.standings is None or self.overall is None:
            return
        number = counted.block.number
        if number >= self.counted_before:
            for name, seats in counted.matches:
                self.overall.fold(seats, name)
            self.batch.pairs.append((number, counted.pairs))
        elif number == self.counted_before - 1:
            self.standings.take_changes()  # the store has all of this

    def write(self) -> None:
        """Write the batch."""
        self.written = time.monotonic()
        if not self.batch:
            return
        changes = self.standings.take_changes() if self.standings is not None else Changes()

        def first(connection: Connection) -> None:
            self.lease.check(connection)
            if self.overall is not None:
                self.overall.write(connection, changes)

        scopes = [(self.record.id, self.standings, changes)] if self.standings is not None else []
        self.store.matches.write(self.batch, scopes, first=first)
        self.batch = Batch(self.record.id, self.bracket)

    def write_matches_only(self) -> None:
        """Write the matches after an error. What follows from them may be incomplete: a resume computes it again."""
        played = Batch(self.record.id, self.bracket, self.batch.blocks, self.batch.matches)
        with suppress(Exception):  # the first error is the one to report
            self.store.matches.write(played, [], first=self.lease.check)

    def update_strengths(self) -> None:
        """Fit the strengths of the bots in this tournament and in all of them."""
        for scope in (self.record.id, ALL) if self.record.rated else ():
            update_strengths(self.store, scope, self.bracket)

    def finish(self) -> None:
        """Mark the bracket as finished."""
        self.store.tournaments.end_bracket(self.record.id, self.bracket)
