"""Old against new: blocks between two versions of a bot until a sequential test has decided. Kept, but not rated."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from arena.games.brackets import Bracket
from arena.rating.sprt import Decision, Hypotheses, Sprt
from arena.rating.standings import points
from arena.records import BlockRecord, SeatRecord
from arena.referee import Limits, Settings
from arena.sandbox import Sandbox
from arena.store.bots import BotVersion
from arena.store.home import Home
from arena.store.matches import Batch
from arena.store.store import Store
from arena.store.tournaments import TournamentRecord
from arena.submissions.install import launch_of
from arena.tournament.broadcast import LiveFolder
from arena.tournament.conductor import AT_ONCE, AT_ONCE_AT_FIRST, LOOK_AROUND, WRITE_AFTER
from arena.tournament.interrupts import Interrupts
from arena.tournament.jobs import JobMaker
from arena.tournament.runners.local import Pool
from arena.tournament.runners.worker import Setup

OLD, NEW = 0, 1


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is to be compared, and where."""

    old: BotVersion
    new: BotVersion
    bracket: Bracket
    seats: int
    hypotheses: Hypotheses
    most_blocks: int
    """Give up after so many: the two are too close to call."""
    limits: Limits
    sandbox: Sandbox
    ponder: bool
    seed: str

    @property
    def table(self) -> tuple[int, ...]:
        """Who sits where in the first rotation: old and new in turn."""
        return tuple((OLD, NEW)[seat % 2] for seat in range(self.seats))


class ComparisonRun:
    """Plays the blocks and hands their outcomes to the test, in order."""

    def __init__(self, home: Home, store: Store, comparison: Comparison, jobs: int) -> None:
        self.home = home
        self.store = store
        self.comparison = comparison
        self.versions = (comparison.old.id, comparison.new.id)
        self.test = Sprt(comparison.hypotheses)
        self.jobs = jobs
        self.faults = 0
        self.matches = 0
        self.record: TournamentRecord | None = None
        programs = {bot.id: launch_of(home, bot) for bot in (comparison.old, comparison.new)}
        settings = Settings(
            matches_at_once=2 * AT_ONCE,
            logs=home.logs.resolve(),
            sandbox=comparison.sandbox,
            ponder=comparison.ponder,
        )
        self.setup = Setup(programs, comparison.limits, settings, core=None, live=home.live.resolve())
        self._results: dict[int, dict[int, tuple[SeatRecord, ...]]] = {}

    def play(self, show: Callable[[Sprt], None]) -> Decision:
        """Plays until it is decided, or given up."""
        comparison = self.comparison
        self.record = self.store.tournaments.begin(
            f"{comparison.old.label} or {comparison.new.label}",
            "compare",
            {"seats": comparison.seats},
            comparison.seed,
            self.versions,
            [comparison.bracket.name],
            rated=False,
        )
        self.home.note_conducted(self.record.id)
        LiveFolder(self.home.live).clear()
        labels = {bot.id: bot.label for bot in (comparison.old, comparison.new)}
        maker = JobMaker(self.record.id, comparison.bracket, comparison.seed, self.versions, labels)
        batch = Batch(self.record.id, comparison.bracket.name)
        drawn = 0
        try:
            with (
                self.store.conducting(self.record.id),  # for those who look from elsewhere
                Interrupts() as interrupts,
                Pool(self.setup, self.jobs, AT_ONCE_AT_FIRST) as pool,
            ):
                written = time.monotonic()
                while self.test.decision is Decision.OPEN and self.test.blocks < comparison.most_blocks:
                    interrupts.check()
                    while pool.has_room and drawn < comparison.most_blocks:
                        block = BlockRecord(drawn, "", drawn + 1, comparison.table)
                        batch.blocks.append(block)
                        pool.play([maker.job(block, rotation) for rotation in range(comparison.seats)])
                        drawn += 1
                    for report in pool.reports(LOOK_AROUND):
                        batch.matches.append(report)
                        self._results.setdefault(report.block, {})[report.rotation] = report.seats
                    self._count()
                    if time.monotonic() - written > WRITE_AFTER:
                        written = time.monotonic()
                        full, batch = batch, Batch(self.record.id, comparison.bracket.name)
                        self.store.matches.write(full, [])
                        show(self.test)
        finally:
            self.store.matches.write(batch, [])
            self.store.tournaments.end_bracket(self.record.id, comparison.bracket.name)
        return self.test.decision

    def _count(self) -> None:
        """Hands complete blocks to the test, in order, until it has decided."""
        while self.test.decision is Decision.OPEN and (results := self._results.get(self.test.blocks)):
            if len(results) < self.comparison.seats:
                return
            del self._results[self.test.blocks]
            self.matches += len(results)
            self.faults += sum(seat.fault is not None for seats in results.values() for seat in seats)
            self.test.add(share_of(self.versions[NEW], results.values()))


def share_of(version: int, matches: Iterable[Sequence[SeatRecord]]) -> float:
    """The version's share of the points in comparisons with the other one, over these matches."""
    won = met = 0.0
    for seats in matches:
        for ours in seats:
            for theirs in seats:
                if ours.version_id == version and theirs.version_id != version:
                    won += points(ours.placement, theirs.placement)
                    met += 1
    return won / met
