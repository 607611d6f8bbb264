"""The conductor plays a tournament: it gives matches to a runner, takes results, counts them in order and stores them.

A match is done when it is on disk. A crash, a power cut included, costs only what was not written yet; `play` on the
same tournament continues from there and reaches the same result.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from arena.games.brackets import Bracket
from arena.interrupts import Interrupts, Stopped
from arena.rating.standings import Standings
from arena.records import MatchRecord, SeatRecord
from arena.referee import Launch, Settings
from arena.store.bots import BotVersion
from arena.store.home import Home
from arena.store.leases import TournamentLease
from arena.store.store import Store
from arena.store.tournaments import BracketProgress, TournamentRecord, TournamentState
from arena.tournament.config import CONFIG
from arena.tournament.course import Course
from arena.tournament.event import Event
from arena.tournament.live import LiveFolder
from arena.tournament.planner import MatchPlanner
from arena.tournament.progress import Progress
from arena.tournament.recorder import BracketRecorder
from arena.tournament.runners.base import MakeRunner, Runner
from arena.tournament.runners.local import LocalRunner
from arena.tournament.runners.worker import WorkerSetup


class Conductor:
    """Plays one tournament, from the start or from where it was interrupted."""

    def __init__(
        self,
        home: Home,
        store: Store,
        record: TournamentRecord,
        versions: Mapping[int, BotVersion],
        launches: Mapping[int, Launch],
        *,
        jobs: int,
        at_once: int = CONFIG.max_matches_at_once,
        show: Callable[[Progress], None] = lambda _: None,
        runner: MakeRunner = LocalRunner,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """`at_once`: the largest number of concurrent matches of a worker; `stop` interrupts where it returns true."""
        self.home = home
        self.store = store
        self.record = record
        self.event = Event.from_json(record.options)
        self.versions = versions
        self.launches = launches
        self.jobs = jobs
        self.at_once = at_once
        self.show = show
        self.make_runner = runner
        self.stop = stop
        self.progress = Progress()
        self.courses: dict[str, Course] = {}
        """The brackets that were played since the start or the resume."""

    def play(self) -> None:
        """Play the rest of the tournament. Raise `HomeInUse` if another process plays it."""
        with self.store.lease(self.record.id) as lease:
            self.record = self.store.tournaments.load(self.record.id)  # another process may have continued it
            self._play(lease)

    def _play(self, lease: TournamentLease) -> None:
        settings = Settings(
            matches_at_once=2 * self.at_once,
            hold=CONFIG.hold,
            logs=self.home.logs.resolve(),
            sandbox=self.event.sandbox,
            ponder=self.event.ponder,
        )
        setup = WorkerSetup(self.launches, self.event.limits, settings, core=None, live=self.home.live.resolve())
        LiveFolder(self.home.live).clear()
        self.home.note_conducted(self.record.id)
        at_first = min(self.at_once, CONFIG.min_matches_at_once)
        with Interrupts(self.stop) as interrupts, self.make_runner(setup, self.jobs, at_first) as runner:
            for bracket in self.record.brackets:
                if bracket.state is TournamentState.RUNNING:
                    run = BracketRun(self, bracket, runner, lease)
                    self.progress, self.courses[bracket.bracket] = run.progress, run.course
                    run.play(interrupts)


class BracketRun:
    """One bracket of the tournament that is being played."""

    def __init__(self, conductor: Conductor, bracket: BracketProgress, runner: Runner, lease: TournamentLease) -> None:
        self.conductor = conductor
        self.runner = runner
        store, record, event, versions = conductor.store, conductor.record, conductor.event, conductor.versions
        name, parsed = bracket.bracket, Bracket.parse(bracket.bracket)
        games = [versions[version].games for version in record.entrants]
        field = [number for number, playing in enumerate(games) if parsed.game in playing]
        drawn_by = event.draw(parsed, len(field), record.seed, event.newcomer_in(parsed, games))
        # The tournament's own standings are computed again from the start: formats that match by strength need them as
        # they were at each point. Those of all tournaments continue from what is stored.
        self.standings = None
        if record.rated:
            self.standings = Standings(event.scale(parsed, drawn_by.field.seats), winners_only=event.winners_only)
        self.course = Course(drawn_by, field, record.entrants, self.standings, event.stop_rules())
        self.recorder = BracketRecorder(store, record, name, lease, self.standings, bracket.folded)
        self.progress = Progress(name, expected=event.expected_matches(drawn_by), seconds=event.seconds_each)
        labels = {number: version.label for number, version in versions.items()}
        self.planner = MatchPlanner(record.id, parsed, record.seed, record.entrants, labels, event.sealed)
        self.stored_blocks = len(store.matches.schedule(record.id, name))
        self.stored: dict[int, dict[int, tuple[str, tuple[SeatRecord, ...]]]] = {}
        """Results of matches in the store, by block and rotation."""
        for block, rotation, match, seats in store.matches.results(record.id, name):
            self.stored.setdefault(block, {})[rotation] = match, seats
        self.leaders_due = 0.0
        """When to find the leaders again."""
        self.pace_set = (time.monotonic(), 0)
        """When the pace was last set, and how many matches had been played by then."""

    def play(self, interrupts: Interrupts) -> None:
        """Play the rest of the bracket."""
        recorder = self.recorder
        self.runner.left = None
        try:
            while not self.course.over:
                interrupts.check()
                scheduled = self._schedule()
                for report in self.runner.reports(0 if scheduled else CONFIG.poll_interval):
                    self._take(report)
                self._count()
                if recorder.is_due:
                    recorder.write()
                    self._show()
                    self._set_pace()
        except (KeyboardInterrupt, SystemExit, Stopped):  # raised by `check`, where everything is consistent
            recorder.write()
            recorder.update_strengths()
            if not recorder.record.rated:  # a comparison cannot be resumed
                recorder.finish()
            raise
        except BaseException:
            recorder.write_matches_only()
            raise
        recorder.write()
        recorder.update_strengths()
        recorder.finish()
        self.leaders_due = 0.0
        self._show()

    def _schedule(self) -> bool:
        """Give blocks to the runner while it has room. Return whether there was one."""
        scheduled = False
        progress, runner = self.progress, self.runner
        if progress.expected is not None:
            runner.left = progress.expected - progress.played
        while runner.has_room and (block := self.course.next_block()) is not None:
            scheduled = True
            if block.number >= self.stored_blocks:
                self.recorder.batch.blocks.append(block)
            stored = self.stored.pop(block.number, {})
            for rotation, (name, seats) in stored.items():
                self.course.take(block.number, rotation, name, seats)
                progress.played_before += 1
                progress.add(seats)
            rotations = [rotation for rotation in range(len(block.entrants)) if rotation not in stored]
            if rotations:
                runner.play([self.planner.match(block, rotation) for rotation in rotations])
            else:
                self._count()
        return scheduled

    def _take(self, report: MatchRecord) -> None:
        self.recorder.batch.matches.append(report)
        self.course.take(report.block, report.rotation, report.name, report.seats)
        self.progress.add(report.seats)

    def _count(self) -> None:
        for counted in self.course.count():
            self.progress.round = counted.block.round
            self.recorder.count(counted)

    def _set_pace(self) -> None:
        """Keep as many matches in progress as end in a second: displays are updated, and messages are large."""
        now, played = time.monotonic(), self.progress.played
        before, played_before = self.pace_set
        self.pace_set = now, played
        most = self.conductor.at_once
        least = min(most, CONFIG.min_matches_at_once)
        self.runner.keep_pace((played - played_before) / (now - before), least, most * CONFIG.queue_ahead)

    def _show(self) -> None:
        progress, runner = self.progress, self.runner
        progress.spoiled, progress.last_trouble = runner.spoiled, runner.last_trouble
        progress.paces, progress.notice = runner.paces(), runner.notice
        began = time.monotonic()
        if self.standings is not None and began >= self.leaders_due:
            progress.top = [
                (self.conductor.versions[version].label, rating.mu, rating.sigma)
                for version in self.standings.best(CONFIG.leaders_shown)
                for rating in [self.standings.rating(version)]
            ]
            self.leaders_due = began + CONFIG.leaders_time_share * (time.monotonic() - began)
        self.conductor.show(progress)
