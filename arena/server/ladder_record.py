"""The ladder in the store: its entrants, match names, standings and finished matches.

Many matches are written in one transaction, because each one waits for the disk. A match that is not written when the
process is killed was never played, as far as the store is concerned.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from arena.games.brackets import Bracket
from arena.games.registry import games_in_hello
from arena.rating.standings import Changes, Standings
from arena.rating.trueskill import Scale, draw_probability
from arena.records import BlockRecord, MatchRecord
from arena.referee import MatchPlan, Outcome
from arena.sandbox.sandbox import Tier
from arena.server.config import CONFIG
from arena.server.remote_bot import LadderEntrant
from arena.server.suspended import SuspendedMatch
from arena.store.store import Store
from arena.tournament.planner import PlannedMatch
from arena.tournament.recording import make_record
from arena.v1 import referee_pb2 as pb

TAKEN = (
    "another arena serve, whose home shares this store, lets bots into its ladder: stop that one first, "
    "or give this one a store of its own."
)


class LadderBracket:
    """One bracket of the ladder."""

    def __init__(self, store: Store, ladder: int, bracket: Bracket) -> None:
        self.bracket = bracket
        self.ladder = ladder
        scale = Scale(draw_probability(bracket.game, dict(bracket.options)))
        self.standings: Standings = store.standings.load_to_continue(ladder, bracket.name, scale)
        self.next_block = store.ladder.next_block(ladder, bracket.name)
        self.in_store = store.ladder.played(ladder, bracket.name)
        """How many matches the store has."""
        self.finished: list[tuple[BlockRecord, MatchRecord]] = []
        """Matches that are not in the standings yet."""
        self.counted: list[tuple[BlockRecord, MatchRecord]] = []
        """Matches that are in the standings and not in the store yet."""
        self.changes = Changes()
        """What these have changed in the standings."""

    def plan(self, seated: Sequence[LadderEntrant], seed: str) -> tuple[PlannedMatch, BlockRecord]:
        """Return a new match between these, in seat order."""
        block = BlockRecord(self.next_block, "", self.next_block + 1, tuple(each.entrant for each in seated))
        self.next_block += 1
        labels = tuple(each.label for each in seated)
        return self._job(block, seed, labels, tuple(each.version_id for each in seated)), block

    def plan_again(self, match: SuspendedMatch) -> tuple[PlannedMatch, BlockRecord]:
        """Return a match that was suspended."""
        block = BlockRecord(match.block, "", match.block + 1, match.entrants)
        return self._job(block, match.header.seed, match.header.seats, match.versions), block

    def _job(self, block: BlockRecord, seed: str, labels: tuple[str, ...], versions: tuple[int, ...]) -> PlannedMatch:
        plan = MatchPlan(
            id=f"{self.ladder}-{self.bracket.name.replace('/', '.')}-{block.number + 1}-1",
            game=self.bracket.game,
            options=dict(self.bracket.options),
            seed=seed,
            bots=labels,
        )
        return PlannedMatch(block.number, 0, plan, versions)

    def add(self, job: PlannedMatch, block: BlockRecord, outcome: Outcome) -> None:
        """Take a finished match."""
        self.finished.append((block, make_record(job, outcome, Tier.NONE.value)))

    def count(self) -> None:
        """Add the finished matches to the standings, unless earlier ones still wait for the store."""
        if self.counted:
            return
        # The event loop may append meanwhile, so only what was copied is deleted.
        self.counted = self.finished[:]
        del self.finished[: len(self.counted)]
        for _, match in self.counted:
            self.standings.fold(match.seats, match.name)
        self.changes = self.standings.take_changes()


class LadderRecord:
    """All brackets of the ladder. `register` and `write` wait for the disk: call them in threads."""

    def __init__(self, store: Store, brackets: Sequence[Bracket]) -> None:
        """Raise `HomeInUse` if another server has the lease of this ladder."""
        self.store = store
        self.ladder = store.ladder.open([bracket.name for bracket in brackets])
        self._lease = store.renewable_lease(self.ladder, TAKEN)
        self.brackets = [LadderBracket(store, self.ladder, bracket) for bracket in brackets]
        self._writing = Lock()
        self._registering = Lock()
        self._written: list[str] = []

    def register(self, user: str, hello: pb.Hello) -> LadderEntrant:
        """Return the bot as an entrant. Its name starts with its user's, so it cannot be another user's bot."""
        games = list(games_in_hello(hello.games, hello.other_games))
        language = "".join(filter(str.isprintable, hello.language))[: CONFIG.max_language]
        name = f"{user}/{hello.name}"
        with self._registering:  # a bot that connects twice at the same time is registered once
            version, entrant = self.store.ladder.enter(self.ladder, name, hello.version, language, games)
        return LadderEntrant(version.id, entrant, version.label)

    @property
    def unwritten(self) -> int:
        return sum(len(bracket.finished) + len(bracket.counted) for bracket in self.brackets)

    def write(self) -> None:
        """Write the finished matches. After an error, the next call writes them."""
        with self._writing:
            if self.unwritten:
                self._lease.renew()
            for bracket in self.brackets:
                bracket.count()
                if bracket.counted:
                    self.store.ladder.write(
                        self.ladder,
                        bracket.bracket.name,
                        bracket.counted,
                        bracket.standings,
                        bracket.changes,
                        before=bracket.in_store,
                    )
                    bracket.in_store += len(bracket.counted)
                    self._written += [match.name for _, match in bracket.counted]
                    bracket.counted = []

    def take_written(self) -> list[str]:
        """Return the names of the matches that were written since the last call."""
        with self._writing:
            names, self._written = self._written, []
            return names

    def close(self) -> None:
        """Give up the lease."""
        self._lease.close()
