"""The conductor plays a tournament: hands out matches, takes results, counts them in order, and writes all of it down.

A match is done when it is on disk. Whatever happens in between, a power cut included, costs only what was not written
yet; `play` on the same tournament goes on from there and comes to the same end.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from sqlalchemy import Connection

from arena.games.brackets import Bracket
from arena.interrupts import Interrupts, Stopped
from arena.rating.standings import Changes, Standings
from arena.records import MatchRecord, SeatRecord
from arena.referee import Launch, Settings
from arena.store.bots import BotVersion
from arena.store.home import Home
from arena.store.leases import TournamentLease
from arena.store.matches import Batch
from arena.store.schema import ALL
from arena.store.standings import SharedStandings
from arena.store.store import Store
from arena.store.strengths import update_strengths
from arena.store.tournaments import State, TournamentRecord
from arena.tournament.course import Course
from arena.tournament.event import Event
from arena.tournament.live import LiveFolder
from arena.tournament.planner import MatchPlanner
from arena.tournament.runners.local import LocalRunner, Pace, Runner
from arena.tournament.runners.worker import WorkerSetup

WRITE_AFTER = 0.5
"""Seconds after which results are written, at the latest."""
WORTH_WRITING = 200
"""So many matches are written at once: a write costs as much as many matches in it."""
LOOK_AROUND = 0.1
"""Seconds between two looks at the clock and the display, when nothing comes in."""
AT_ONCE = 256
"""How many matches each worker plays at once, at the most: many, because they share the messages to the bots."""
AT_ONCE_AT_FIRST = 32
"""And at the least. Where bots think for long, more would only mean that all of them end together, and late."""
HOLD = 0.02
"""Seconds for which a bot's turns may be held back: a worker has one core, which others use in the meantime."""
LEADERS_SHOWN = 5
LEADERS_SHARE = 20
"""Who leads may take one part in so many of the time to find, however large the field."""
AHEAD = 1.25
"""Workers are handed this many times as many matches, so that they need not wait for the next ones."""


@dataclass(slots=True)
class Progress:
    """How things stand, for whoever shows it."""

    bracket: str = ""
    played: int = 0
    """Matches of this bracket, those of earlier sittings included."""
    expected: int | None = None
    """How many there will be; None where that is not known."""
    seconds: float | None = None
    """How long the bracket is to be played; None where that is not the rule."""
    began: float = field(default_factory=time.monotonic)
    played_before: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    spoiled: int = 0
    """Matches that the host has spoiled and that are played again."""
    last_trouble: str = ""
    top: list[tuple[str, float, float]] = field(default_factory=list)
    """The best bots: label, mu, sigma."""
    round: str = ""
    paces: list[Pace] = field(default_factory=list)
    """How fast each worker of a cluster plays."""
    notice: str = ""
    """What the user should know about the cluster."""

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.began

    @property
    def matches_per_second(self) -> float:
        return (self.played - self.played_before) / max(1e-9, self.elapsed)


class Conductor:
    """Plays one tournament, from the start or from where it was left."""

    def __init__(
        self,
        home: Home,
        store: Store,
        record: TournamentRecord,
        versions: Mapping[int, BotVersion],
        programs: Mapping[int, Launch],
        *,
        jobs: int,
        at_once: int = AT_ONCE,
        show: Callable[[Progress], None] = lambda _: None,
        players: Callable[[WorkerSetup, int, int], Runner] = LocalRunner,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """`players` makes those who play, from the setup, the number of jobs, and how many matches each begins with."""
        self.home = home
        self.store = store
        self.record = record
        self.event = Event.from_json(record.options)
        self.versions = versions
        self.programs = programs
        self.jobs = jobs
        self.at_once = at_once
        self.show = show
        self.players = players
        self.stop = stop
        self.progress = Progress()
        self.courses: dict[str, Course] = {}
        """Those of the brackets that were played in this sitting, for whoever wants to draw them."""

    def play(self) -> None:
        """Plays what is left of the tournament. Raises where somebody else is playing it."""
        with self.store.lease(self.record.id) as tenure:
            self.record = self.store.tournaments.load(self.record.id)  # somebody may have gone on with it until now
            self._play(tenure)

    def _play(self, tenure: TournamentLease) -> None:
        settings = Settings(
            matches_at_once=2 * self.at_once,
            hold=HOLD,
            logs=self.home.logs.resolve(),
            sandbox=self.event.sandbox,
            ponder=self.event.ponder,
        )
        setup = WorkerSetup(self.programs, self.event.limits, settings, core=None, live=self.home.live.resolve())
        LiveFolder(self.home.live).clear()
        self.home.note_conducted(self.record.id)
        left = [bracket for bracket in self.record.brackets if bracket.state is State.RUNNING]
        at_first = min(self.at_once, AT_ONCE_AT_FIRST)
        with Interrupts(self.stop) as interrupts, self.players(setup, self.jobs, at_first) as pool:
            for bracket in left:
                share = None if self.event.seconds is None else self.event.seconds / len(self.record.brackets)
                self.progress = Progress(bracket.bracket, seconds=share)
                pool.left = None
                run = BracketRun(self, Bracket.parse(bracket.bracket), bracket.folded, pool, tenure)
                self.courses[bracket.bracket] = run.course
                run.play(interrupts)


class BracketRun:
    """One bracket of the tournament under way."""

    def __init__(
        self, conductor: Conductor, bracket: Bracket, counted_before: int, pool: Runner, tenure: TournamentLease
    ) -> None:
        self.conductor = conductor
        self.tenure = tenure
        self.store = conductor.store
        self.record = record = conductor.record
        self.bracket = bracket
        self.pool = pool
        self.progress = conductor.progress
        self.counted_before = counted_before
        """So many blocks were in the standings when this sitting began."""
        event, versions = conductor.event, conductor.versions
        field = [number for number, version in enumerate(record.entrants) if bracket.game in versions[version].games]
        newcomer = event.newcomer_in(bracket, [versions[version].games for version in record.entrants])
        drawn_by = event.draw(bracket, len(field), record.seed, newcomer)
        scale = event.scale(bracket, drawn_by.field.seats)
        # The tournament's own standings are computed again from the start: formats that match by strength need them as
        # they were at each point. Those of all tournaments continue from what is stored.
        self.own = Standings(scale, winners_only=event.winners_only) if record.rated else None
        self.overall = (
            SharedStandings(self.store.standings, record.id, bracket.name, self.own) if self.own is not None else None
        )
        self.course = Course(drawn_by, field, record.entrants, self.own, event.stop_rules())
        self.progress.expected = event.expected_matches(drawn_by)
        labels = {number: version.label for number, version in versions.items()}
        self.maker = MatchPlanner(record.id, bracket, record.seed, record.entrants, labels, event.sealed)
        self.batch = self._new_batch()
        self.written = time.monotonic()
        self.leaders_due = 0.0
        """When it is looked again who leads."""
        self.known_blocks = len(self.store.matches.schedule(record.id, bracket.name))
        self.on_record: dict[int, dict[int, tuple[str, tuple[SeatRecord, ...]]]] = {}
        for block, rotation, name, seats in self.store.matches.results(record.id, bracket.name):
            self.on_record.setdefault(block, {})[rotation] = name, seats
        self.pace_seen = (time.monotonic(), 0)
        """When the pace was last adjusted, and how many matches had been played by then."""

    def _new_batch(self) -> Batch:
        return Batch(self.record.id, self.bracket.name)

    # The main loop

    def play(self, interrupts: Interrupts) -> None:
        """Plays what is left of the bracket."""
        try:
            while not self.course.over:
                interrupts.check()
                handed_out = self._hand_out()
                for report in self.pool.reports(0 if handed_out else LOOK_AROUND):
                    self._take(report)
                self._count()
                if len(self.batch.matches) >= WORTH_WRITING or time.monotonic() - self.written > WRITE_AFTER:
                    self._write()
                    self._show()
                    self._adjust_pace()
        except (KeyboardInterrupt, SystemExit, Stopped):  # raised above, where nothing is half done
            self._write()
            self._refit()
            if not self.record.rated:  # a comparison cannot be resumed
                self.store.tournaments.end_bracket(self.record.id, self.bracket.name)
            raise
        except BaseException:
            self._keep_matches()
            raise
        self._write()
        self._refit()
        self.store.tournaments.end_bracket(self.record.id, self.bracket.name)
        self.leaders_due = 0.0
        self._show()

    def _adjust_pace(self) -> None:
        """Lets about as many matches be under way as end in a second: the display moves, and batches are large."""
        now, played = time.monotonic(), self.progress.played
        before, played_before = self.pace_seen
        self.pace_seen = now, played
        most = self.conductor.at_once
        self.pool.keep_pace((played - played_before) / (now - before), min(most, AT_ONCE_AT_FIRST), most * AHEAD)

    def _hand_out(self) -> bool:
        """Hands out blocks as long as somebody has room for them. Returns whether something happened."""
        happened = False
        if self.progress.expected is not None:
            self.pool.left = self.progress.expected - self.progress.played
        while self.pool.has_room and (block := self.course.next_block()) is not None:
            happened = True
            if block.number >= self.known_blocks:
                self.batch.blocks.append(block)
            done = self.on_record.pop(block.number, {})
            for rotation, (name, seats) in done.items():
                self.course.take(block.number, rotation, name, seats)
                self.progress.played += 1
                self.progress.played_before += 1
                self._note_faults(seats)
            jobs = [self.maker.job(block, rotation) for rotation in range(len(block.entrants)) if rotation not in done]
            if jobs:
                self.pool.play(jobs)
            else:
                self._count()
        return happened

    def _take(self, report: MatchRecord) -> None:
        self.batch.matches.append(report)
        self.course.take(report.block, report.rotation, report.name, report.seats)
        self.progress.played += 1
        self._note_faults(report.seats)

    def _note_faults(self, seats: tuple[SeatRecord, ...]) -> None:
        for seat in seats:
            if seat.fault:
                self.progress.faults[seat.fault] += 1

    # What is kept

    def _count(self) -> None:
        for counted in self.course.count():
            self.progress.round = counted.block.round
            if self.own is None:
                continue
            if counted.block.number < self.counted_before:
                if counted.block.number == self.counted_before - 1:
                    self.own.take_changes()  # all this is on record
                continue
            if self.overall is not None:
                for name, seats in counted.matches:
                    self.overall.fold(seats, name)
            self.batch.pairs.append((counted.block.number, counted.pairs))

    def _keep_matches(self) -> None:
        """Writes what was played, but not what follows from it, which may be half done: that is counted later."""
        played = Batch(self.record.id, self.bracket.name, self.batch.blocks, self.batch.matches)
        with suppress(Exception):  # what went wrong first is what is told
            self.store.matches.write(played, [], first=self.tenure.check)

    def _write(self) -> None:
        self.written = time.monotonic()
        if not self.batch:
            return
        changes = self.own.take_changes() if self.own is not None else Changes()

        def first(connection: Connection) -> None:
            self.tenure.check(connection)
            if self.overall is not None:
                self.overall.write(connection, changes)

        scopes = [(self.record.id, self.own, changes)] if self.own is not None else []
        self.store.matches.write(self.batch, scopes, first=first)
        self.batch = self._new_batch()

    def _refit(self) -> None:
        for scope in (self.record.id, ALL) if self.record.rated else ():
            update_strengths(self.store, scope, self.bracket.name)

    def _show(self) -> None:
        self.progress.spoiled, self.progress.last_trouble = self.pool.spoiled, self.pool.last_trouble
        self.progress.paces, self.progress.notice = self.pool.paces(), self.pool.notice
        began = time.monotonic()
        if self.own is not None and began >= self.leaders_due:
            self.progress.top = [
                (self.conductor.versions[version].label, rating.mu, rating.sigma)
                for version in self.own.best(LEADERS_SHOWN)
                for rating in [self.own.rating(version)]
            ]
            self.leaders_due = began + LEADERS_SHARE * (time.monotonic() - began)
        self.conductor.show(self.progress)
