"""What comes of the ladder's matches: names before they are played, standings and the store a moment later.

Many matches are written at once, because each time the disk is waited for. What is not written yet when the process is
killed was never on record; nothing else follows from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from arena.games.brackets import Bracket
from arena.rating.standings import Changes, Standings
from arena.rating.trueskill import Scale, draw_probability
from arena.records import BlockRecord, MatchRecord
from arena.referee import MatchPlan, Outcome
from arena.referee.conversation import GAME_OF
from arena.sandbox.sandbox import Tier
from arena.server.guest import Registered
from arena.server.unfinished import Suspended
from arena.store.store import Store
from arena.tournament.jobs import Job
from arena.tournament.runners.worker import record
from arena.v1 import referee_pb2 as pb

LONGEST_LANGUAGE = 100
TAKEN = (
    "another arena serve, whose home shares this store, lets bots into its ladder: stop that one first, "
    "or give this one a store of its own."
)


class Page:
    """One bracket of the ladder."""

    def __init__(self, store: Store, ladder: int, bracket: Bracket) -> None:
        self.bracket = bracket
        self.ladder = ladder
        scale = Scale(draw_probability(bracket.game, dict(bracket.options)))
        self.standings: Standings = store.standings.load_to_continue(ladder, bracket.name, scale)
        self.next_block = store.remote.next_block(ladder, bracket.name)
        self.on_record = store.remote.played(ladder, bracket.name)
        self.unwritten: list[tuple[BlockRecord, MatchRecord]] = []
        """Matches that were played since the last were counted."""
        self.counted: list[tuple[BlockRecord, MatchRecord]] = []
        """Matches that are in the standings and not in the store yet."""
        self.changes = Changes()
        """What has changed in the standings by these."""

    def plan(self, seated: Sequence[Registered], seed: str) -> tuple[Job, BlockRecord]:
        """A match between these, in seat order."""
        block = BlockRecord(self.next_block, "", self.next_block + 1, tuple(each.entrant for each in seated))
        self.next_block += 1
        labels = tuple(each.label for each in seated)
        return self._job(block, seed, labels, tuple(each.version_id for each in seated)), block

    def plan_again(self, match: Suspended) -> tuple[Job, BlockRecord]:
        """A match that has begun before."""
        block = BlockRecord(match.block, "", match.block + 1, match.entrants)
        return self._job(block, match.header.seed, match.header.seats, match.versions), block

    def _job(self, block: BlockRecord, seed: str, labels: tuple[str, ...], versions: tuple[int, ...]) -> Job:
        plan = MatchPlan(
            id=f"{self.ladder}-{self.bracket.name.replace('/', '.')}-{block.number + 1}-1",
            game=self.bracket.game,
            options=dict(self.bracket.options),
            seed=seed,
            bots=labels,
        )
        return Job(block.number, 0, plan, versions)


class Ledger:
    """Keeps the ladder's books. `register` and `write` wait for the disk: they belong into threads."""

    def __init__(self, store: Store, brackets: Sequence[Bracket]) -> None:
        """Raises where another process keeps the books of this ladder."""
        self.store = store
        self.ladder = store.remote.open([bracket.name for bracket in brackets])
        self._tenure = store.conducting_for_days(self.ladder, TAKEN)
        self.pages = [Page(store, self.ladder, bracket) for bracket in brackets]
        self._writing = Lock()
        self._entering = Lock()
        self._written: list[str] = []

    def register(self, user: str, hello: pb.Hello) -> Registered:
        """The bot under the name by which it is known here: nobody can take the name of another user's."""
        games = [GAME_OF[code] for code in hello.games if code in GAME_OF]
        language = "".join(filter(str.isprintable, hello.language))[:LONGEST_LANGUAGE]
        name = f"{user}/{hello.name}"
        with self._entering:  # whoever comes twice at once is registered once
            version, entrant = self.store.remote.enter(self.ladder, name, hello.version, language, games)
        return Registered(version.id, entrant, version.label)

    def take(self, page: Page, job: Job, block: BlockRecord, outcome: Outcome) -> None:
        """A match has been played."""
        page.unwritten.append((block, record(job, outcome, Tier.NONE.value)))

    @property
    def unwritten(self) -> int:
        return sum(len(page.unwritten) + len(page.counted) for page in self.pages)

    def write(self) -> None:
        """Writes what has come together. What cannot be written is tried again."""
        with self._writing:
            if self.unwritten:
                self._tenure.renew()
            for page in self.pages:
                if not page.counted:
                    # Others add to the list meanwhile, but only at its end.
                    page.counted = page.unwritten[:]
                    del page.unwritten[: len(page.counted)]
                    for _, match in page.counted:
                        page.standings.fold(match.seats, match.name)
                    page.changes = page.standings.take_changes()
                if page.counted:
                    self.store.remote.write(
                        self.ladder,
                        page.bracket.name,
                        page.counted,
                        page.standings,
                        page.changes,
                        before=page.on_record,
                    )
                    page.on_record += len(page.counted)
                    self._written += [match.name for _, match in page.counted]
                    page.counted = []

    def take_written(self) -> list[str]:
        """The names of the matches that are on record and were not taken from here before."""
        with self._writing:
            names, self._written = self._written, []
            return names

    def close(self) -> None:
        """Leaves the ladder to others."""
        self._tenure.close()
