"""The ladder in the store: its entrants, match names, standings and finished matches.

Many matches are written in one transaction, because each one waits for the disk. What cannot be written is kept and
tried again. A match that is not written when the process is killed was never played, as far as the store is concerned;
so it is logged as `match.ended` when it is on disk.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from threading import Lock
from typing import NamedTuple

from arena.errors import ArenaError
from arena.games.brackets import Bracket
from arena.games.registry import games_in_hello
from arena.rating.standings import Changes, Standings
from arena.rating.trueskill import scale_of
from arena.records import BlockRecord, MatchRecord
from arena.referee.match import Limits, Match, MatchPlan, Outcome
from arena.sandbox.sandbox import Tier
from arena.server.config import CONFIG
from arena.server.ladder_match import LadderMatch
from arena.server.log import log_event
from arena.store.bots import BotVersion
from arena.store.leases import TournamentLease
from arena.store.matches import Batch
from arena.store.store import Store
from arena.tournament.planner import PlannedMatch
from arena.tournament.recording import make_record
from arena.v1 import referee_pb2 as pb


class FinishedMatch(NamedTuple):
    """A match that has ended, to be stored."""

    block: BlockRecord
    bots: tuple[str, ...]
    record: MatchRecord

    def log(self) -> None:
        seats = self.record.seats
        log_event(
            "match.ended",
            match=self.record.name,
            bots=list(self.bots),
            places=", ".join(str(seat.placement) for seat in seats),
            faults=[f"{bot}: {seat.fault}" for bot, seat in zip(self.bots, seats, strict=True) if seat.fault] or None,
        )


class LadderBracket:
    """One bracket of the ladder."""

    def __init__(self, store: Store, ladder: int, bracket: Bracket) -> None:
        self.bracket = bracket
        self.ladder = ladder
        self.store = store
        self.standings: Standings = store.standings.load_to_continue(ladder, bracket.name, scale_of(bracket))
        self.next_block, self.in_store = store.ladder.progress(ladder, bracket.name)
        self.finished: list[FinishedMatch] = []
        """Matches that are not in the standings yet."""
        self.counted: list[FinishedMatch] = []
        """Matches that are in the standings and not in the store yet."""
        self.changes = Changes()
        """What these have changed in the standings."""

    def plan(self, bots: Sequence[tuple[BotVersion, int]], limits: Limits) -> LadderMatch:
        """Return a new match between these versions, with their entrant numbers, in seat order."""
        number, name = self.next_block, self.bracket.name
        self.next_block += 1
        plan = MatchPlan(
            id=f"{self.ladder}-{name.replace('/', '.')}-{number + 1}-1",
            game=self.bracket.game,
            options=dict(self.bracket.options),
            seed=secrets.token_hex(16),
            bots=tuple(version.label for version, _ in bots),
        )
        planned = PlannedMatch(number, 0, plan, tuple(version.id for version, _ in bots))
        return LadderMatch(name, planned, tuple(entrant for _, entrant in bots), Match(plan, limits))

    def write(self) -> list[FinishedMatch]:
        """Add the finished matches to the standings and write them. Return what was written."""
        if not self.counted:  # or an earlier write has failed
            # The event loop may append meanwhile, so only what was copied is deleted.
            self.counted = self.finished[:]
            del self.finished[: len(self.counted)]
            for _, _, match in self.counted:
                self.standings.fold(match.seats, match.name)
            self.changes = self.standings.take_changes()
        written = self.counted
        if written:
            blocks, matches = [each.block for each in written], [each.record for each in written]
            batch = Batch(self.ladder, self.bracket.name, blocks, matches)
            self.store.ladder.write(batch, self.standings, self.changes, before=self.in_store)
            self.in_store += len(written)
            self.counted = []
        return written


class LadderRecord:
    """All brackets of the ladder. `register` and `write` wait for the disk: call them in threads."""

    def __init__(self, store: Store, brackets: Sequence[Bracket]) -> None:
        """Raise `HomeInUse` if another server has the lease of this ladder."""
        self.store = store
        self.ladder = store.ladder.open([bracket.name for bracket in brackets])
        taken = (
            "another arena serve, whose home shares this store, lets bots into its ladder: stop that one first, "
            "or give this one a store of its own."
        )
        self._lease = TournamentLease(store.engine, self.ladder, taken)
        self.brackets = {bracket.name: LadderBracket(store, self.ladder, bracket) for bracket in brackets}
        self._writing = Lock()
        self._registering = Lock()
        self._failure = ""
        """The latest error of the store; empty when it works again."""

    def register(self, user: str, hello: pb.Hello) -> tuple[BotVersion, int]:
        """Return the bot's version and entrant number. Its name starts with its user's, as no other user's does."""
        games = list(games_in_hello(hello.games, hello.other_games))
        language = "".join(filter(str.isprintable, hello.language))[: CONFIG.max_language]
        name = f"{user}/{hello.name}"
        with self._registering:  # a bot that connects twice at the same time is registered once
            return self.store.ladder.enter(self.ladder, name, hello.version, language, games)

    def add(self, match: LadderMatch, outcome: Outcome) -> None:
        """Take a finished match."""
        record = make_record(match.planned, outcome, Tier.NONE.value)
        self.brackets[match.bracket].finished.append(FinishedMatch(match.block, match.planned.plan.bots, record))

    @property
    def unwritten(self) -> int:
        return sum(len(bracket.finished) + len(bracket.counted) for bracket in self.brackets.values())

    def write(self) -> None:
        """Write and log the finished matches. After an error, the next call writes them."""
        with self._writing:
            if self.unwritten:
                self._lease.renew()
            for bracket in self.brackets.values():
                if written := bracket.write():
                    if self._failure:
                        self._failure = ""
                        log_event("store.back")
                    for match in written:
                        match.log()

    def log_failure(self, error: Exception) -> None:
        """Log a failure of the store once, however often it is met."""
        failure = str(error) if isinstance(error, ArenaError) else repr(error)
        if failure != self._failure:
            self._failure = failure
            log_event("store.failed", why=failure)

    def close(self) -> None:
        """Give up the lease."""
        self._lease.close()
