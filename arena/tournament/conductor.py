"""The conductor plays a tournament: it gives matches to a runner, takes results, counts them in order and stores them.

A match is done when it is on disk. A crash, a power cut included, costs only what was not written yet; `play` on the
same tournament continues from there and reaches the same result.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress

from sqlalchemy import Connection

from arena.events import Note, NoteLevel
from arena.games.brackets import Bracket
from arena.garbage import rare_collection
from arena.interrupts import Interrupts, Stopped
from arena.rating.standings import Changes, Standings
from arena.rating.trueskill import scale_of
from arena.records import BlockRecord, SeatRecord
from arena.referee import Settings
from arena.store.home import Home
from arena.store.leases import TournamentLease
from arena.store.matches import Batch
from arena.store.schema import ALL
from arena.store.standings import SharedStandings
from arena.store.store import Store
from arena.store.strengths import update_strengths
from arena.store.tournaments import BracketProgress, TournamentRecord, TournamentState
from arena.submissions.install import launch_of
from arena.tournament.config import CONFIG
from arena.tournament.course import Course
from arena.tournament.live import LiveFolder
from arena.tournament.options import TournamentOptions
from arena.tournament.outcome import Leader, TournamentProgress
from arena.tournament.planner import MatchPlanner
from arena.tournament.runners.base import MakeRunner, Runner
from arena.tournament.runners.local import LocalRunner
from arena.tournament.runners.worker import WorkerSetup
from arena.tournament.waves import order_of_play


class Conductor:
    """Plays one tournament, from the start or from where it was interrupted."""

    runner: Runner

    def __init__(
        self,
        home: Home,
        store: Store,
        record: TournamentRecord,
        *,
        jobs: int,
        at_once: int | None = None,
        notify: Callable[[TournamentProgress | Note], None] = lambda _: None,
        runner: MakeRunner = LocalRunner,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """`at_once`: the largest number of concurrent matches of a worker. None: it grows with the number of bots.

        `stop` interrupts where it returns true.
        """
        self.home = home
        self.store = store
        self.record = record
        self.options = TournamentOptions.from_json(record.options)
        self.versions = store.bots.by_id(record.entrants)
        self.launches = {number: launch_of(home, version) for number, version in self.versions.items()}
        self.jobs = jobs
        self.multiple = 1.0
        """The matches at the same time and in a wave are multiplied by this: it is larger with many bots."""
        if at_once is None:
            self.multiple = min(CONFIG.largest_multiple, max(1.0, len(record.entrants) / CONFIG.few_bots))
        self.at_once = at_once or round(self.multiple * CONFIG.max_matches_at_once)
        self.notify = notify
        self.make_runner = runner
        self.stop = stop
        self.brackets: dict[str, BracketRun] = {}
        """The brackets that were played since the start or the resume."""
        self._notice = ""

    def play(self) -> None:
        """Play the rest of the tournament. Raise `HomeInUse` if another process plays it."""
        with TournamentLease(self.store.engine, self.record.id) as lease:
            self.record = self.store.tournaments.load(self.record.id)  # another process may have continued it
            self._play(lease)

    def _play(self, lease: TournamentLease) -> None:
        settings = Settings(
            matches_at_once=2 * self.at_once,
            hold=CONFIG.hold,
            logs=self.home.logs.resolve(),
            sandbox=self.options.sandbox,
            ponder=self.options.ponder,
        )
        setup = WorkerSetup(self.launches, self.options.limits, settings, core=None, live=self.home.live.resolve())
        LiveFolder(self.home.live).clear()
        self.home.note_conducted(self.record.id)
        at_first = min(self.at_once, round(self.multiple * CONFIG.min_matches_at_once))
        with (
            Interrupts(self.stop) as interrupts,
            self.make_runner(setup, self.jobs, at_first) as self.runner,
            rare_collection(),
        ):
            for bracket in self.record.brackets:
                if bracket.state is TournamentState.RUNNING:
                    run = self.brackets[bracket.bracket] = BracketRun(self, bracket, lease)
                    run.play(interrupts)

    def show(self, progress: TournamentProgress) -> None:
        if self.runner.notice != self._notice:
            self._notice = self.runner.notice
            self.notify(Note(f"cluster: {self._notice}", NoteLevel.DETAIL))
        self.notify(progress)


class BracketRun:
    """One bracket of the tournament that is being played."""

    def __init__(self, conductor: Conductor, bracket: BracketProgress, lease: TournamentLease) -> None:
        self.conductor = conductor
        self.lease = lease
        self.runner = conductor.runner
        self.name = bracket.bracket
        self.counted_before = bracket.folded
        """The number of blocks that are counted in the store."""
        store, record, options, versions = conductor.store, conductor.record, conductor.options, conductor.versions
        parsed = Bracket.parse(self.name)
        games = [versions[version].games for version in record.entrants]
        drawn_by, field = options.draw(parsed, games, record.seed)
        # The tournament's own standings are computed again from the start: formats that match by strength need them as
        # they were at each point. Those of all tournaments continue from what is stored.
        self.standings: Standings | None = None
        self.overall: SharedStandings | None = None
        if record.rated:
            self.standings = Standings(scale_of(parsed), winners_only=options.winners_only)
            self.overall = SharedStandings(store.standings, record.id, self.name, self.standings)
        self.course = Course(
            drawn_by,
            field,
            record.entrants,
            self.standings,
            options.stop_rules(),
            own_deals=options.own_deals,
            winners_only=options.winners_only,
        )
        labels = {number: version.label for number, version in versions.items()}
        dealt_as = options.dealt_as.get(self.name, self.name)
        self.planner = MatchPlanner(
            record.id, parsed, record.seed, record.entrants, labels, sealed=options.sealed, dealt_as=dealt_as
        )
        self.stored_blocks = store.matches.scheduled(record.id, self.name)
        self.batch = Batch(record.id, self.name)
        """What is to be written next."""
        self.wave: deque[BlockRecord] = deque()
        """Scheduled blocks that the runner does not have yet, in the order of play."""
        self.wave_matches = conductor.jobs * self.runner.at_once
        """The number of matches of a wave."""
        self.pace_seconds = conductor.multiple * CONFIG.pace_seconds
        # A sequential test may end at any block.
        self.wave_seconds = 0.0 if options.hypotheses else conductor.multiple * CONFIG.wave_seconds
        if options.seconds_each is not None:
            ahead = CONFIG.share_ahead * options.seconds_each
            self.pace_seconds = min(self.pace_seconds, max(CONFIG.least_pace_seconds, ahead))
            self.wave_seconds = min(self.wave_seconds, ahead)
        self.expected = options.expected_matches(drawn_by)
        self.played = 0
        """Matches of this bracket, including those from before a resume."""
        self.faults: Counter[str] = Counter()
        for block, rotation, match, seats in store.matches.results(record.id, self.name):
            self._take(block, rotation, match, seats)
        self.played_before = self.played
        self.round = ""
        self.leaders: tuple[Leader, ...] = ()
        self.leaders_due = 0.0
        """When to find the leaders again."""
        self.began = self.written = time.monotonic()
        self.pace_set = (self.began, self.played)
        """When the pace was last set, and how many matches had been played by then."""

    def play(self, interrupts: Interrupts) -> None:
        """Play the rest of the bracket."""
        self.runner.left = None
        try:
            while not self.course.over:
                interrupts.check()
                scheduled = self._schedule()
                for report in self.runner.reports(0 if scheduled else CONFIG.poll_interval):
                    self.batch.matches.append(report)
                    self._take(report.block, report.rotation, report.name, report.seats)
                self._count()
                self._set_pace()
                if (
                    len(self.batch.matches) >= CONFIG.write_batch
                    or time.monotonic() - self.written > CONFIG.write_interval
                ):
                    self._write()
                    self._show()
        except (KeyboardInterrupt, SystemExit, Stopped):  # raised by `check`, where everything is consistent
            self._write()
            self._update_strengths()
            if not self.conductor.record.rated:  # a comparison cannot be resumed
                self._finish()
            raise
        except BaseException:
            self._write_matches_only()
            raise
        self._write()
        self._update_strengths()
        self._finish()
        self.leaders_due = 0.0
        self._show()

    def _schedule(self) -> bool:
        """Give blocks to the runner while it has room. Return whether there was one."""
        scheduled = False
        runner = self.runner
        if self.expected is not None:
            runner.left = self.expected - self.played
        while runner.has_room and (self.wave or self._draw_wave()):
            scheduled = True
            if self.wave:
                block = self.wave.popleft()
                runner.play(self.planner.matches(block, self.course.missing(block)))
        return scheduled

    def _draw_wave(self) -> bool:
        """Draw the blocks that are played next, without those that have been played. Return whether there were any."""
        blocks: list[BlockRecord] = []
        matches, drawn_before = 0, self.course.drawn
        while matches < self.wave_matches and (block := self.course.next_block()) is not None:
            if block.number >= self.stored_blocks:
                self.batch.blocks.append(block)
            if rotations := self.course.missing(block):
                blocks.append(block)
                matches += len(rotations)
            else:
                self._count()
        at_once = self.runner.size * self.runner.at_once
        self.wave.extend(order_of_play(blocks, len(self.conductor.record.entrants), at_once))
        return self.course.drawn > drawn_before

    def _take(self, block: int, rotation: int, name: str, seats: tuple[SeatRecord, ...]) -> None:
        self.course.take(block, rotation, name, seats)
        self.played += 1
        for seat in seats:
            if seat.fault:
                self.faults[seat.fault] += 1

    def _count(self) -> None:
        for block, matches, pairs in self.course.count():
            self.round = block.round
            if self.standings is None or self.overall is None:
                continue
            if block.number >= self.counted_before:
                for name, seats in matches:
                    self.overall.fold(seats, name)
                self.batch.pairs.append((block, pairs))
            elif block.number == self.counted_before - 1:
                self.standings.take_changes()  # the store has all of this

    def _write(self) -> None:
        """Write the batch completely or not at all."""
        self.written = time.monotonic()
        if not self.batch:
            return
        changes = self.standings.take_changes() if self.standings is not None else Changes()

        def first(connection: Connection) -> None:
            self.lease.check(connection)
            if self.overall is not None:
                self.overall.write(connection, changes)

        tournament = self.conductor.record.id
        scopes = [(tournament, self.standings, changes)] if self.standings is not None else []
        self.conductor.store.matches.write(self.batch, scopes, first=first)
        self.batch = Batch(tournament, self.name)

    def _write_matches_only(self) -> None:
        """Write the matches after an error. What follows from them may be incomplete: a resume computes it again."""
        self.batch.pairs.clear()
        with suppress(Exception):  # the first error is the one to report
            self.conductor.store.matches.write(self.batch, [], first=self.lease.check)

    def _update_strengths(self) -> None:
        """Fit the strengths of the bots in this tournament and in all of them."""
        record = self.conductor.record
        for scope in (record.id, ALL) if record.rated else ():
            update_strengths(self.conductor.store, scope, self.name)

    def _finish(self) -> None:
        self.conductor.store.tournaments.end_bracket(self.conductor.record.id, self.name)

    def _set_pace(self) -> None:
        """Keep as many matches in progress as end in a few seconds: displays are updated, and messages are large."""
        now, played = time.monotonic(), self.played
        before, played_before = self.pace_set
        if played - played_before < CONFIG.pace_matches and now - before < CONFIG.pace_interval:
            return
        self.pace_set = now, played
        rate = (played - played_before) / (now - before)
        self.wave_matches = round(min(CONFIG.max_wave, max(rate * self.wave_seconds, 1)))
        most = self.conductor.at_once
        least = min(most, self.conductor.multiple * CONFIG.min_matches_at_once)
        self.runner.keep_pace(rate, self.pace_seconds, least, most * CONFIG.queue_ahead)

    def _show(self) -> None:
        now = time.monotonic()
        if self.standings is not None and now >= self.leaders_due:
            best = [(version, self.standings.rating(version)) for version in self.standings.best(CONFIG.leaders_shown)]
            labels = self.planner.labels
            self.leaders = tuple(Leader(labels[version], rating.mu, rating.sigma) for version, rating in best)
            self.leaders_due = now + CONFIG.leaders_time_share * (time.monotonic() - now)
        elapsed = now - self.began
        rate = (self.played - self.played_before) / max(1e-9, elapsed)
        time_limit = self.conductor.options.seconds_each
        self.conductor.show(
            TournamentProgress(
                tournament=self.conductor.record.id,
                bracket=self.name,
                matches=self.played,
                total=self.expected,
                matches_per_second=rate,
                elapsed=elapsed,
                time_limit=time_limit,
                seconds_left=self._seconds_left(elapsed, rate, time_limit),
                round=self.round,
                leaders=self.leaders,
                faults=dict(self.faults.most_common()),
                replayed=self.runner.spoiled,
                last_host_fault=self.runner.last_trouble,
                workers=tuple(self.runner.paces()),
            )
        )

    def _seconds_left(self, elapsed: float, rate: float, time_limit: float | None) -> float | None:
        by_clock = None if time_limit is None else max(0.0, time_limit - elapsed)
        if not self.expected or self.played <= self.played_before:
            return by_clock
        by_count = max(0, self.expected - self.played) / rate
        return by_count if by_clock is None else min(by_clock, by_count)
