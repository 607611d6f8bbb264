"""A ladder as the conductor plays it, but with invented results: the same course, jobs, standings and store, no bots.

Each step of the conductor's loop is timed by itself, so that it can be told which of them grows with the field. What a
store holds in the end is what a real tournament of that size would have written, but for the replays, which are all the
same one.
"""

from __future__ import annotations

import pickle
import sqlite3
import tracemalloc
import zlib
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import process_time

from sqlalchemy import insert

from arena import replay
from arena.games.brackets import USUAL_SEATS, Bracket
from arena.games.registry import find_game
from arena.rating.standings import Standings
from arena.rating.trueskill import BETA, MU
from arena.records import MatchRecord
from arena.referee import Settings
from arena.replay.selfplay import simulate_game
from arena.store.home import Home
from arena.store.matches import Batch
from arena.store.schema import ALL, bots, versions
from arena.store.store import Store
from arena.tournament.conductor import WORTH_WRITING
from arena.tournament.course import Course
from arena.tournament.event import Event
from arena.tournament.formats import Ladder
from arena.tournament.formats.base import Field, Round, Skill
from arena.tournament.jobs import Job, JobMaker
from arena.tournament.stopping import MatchLimit
from bench.stores import seat_of

BRACKET = "mantis"
SPREAD = 4.0
"""How far the planted skills lie apart, on the scale of the ratings: as in a usual field."""
WORKERS = 2
"""Blocks go to so many workers in turns, each of which keeps some bots running."""


@dataclass(slots=True)
class Rehearsed:
    """Seconds of the processor for each step of the loop, and what came of it."""

    bots: int
    rounds: int
    seconds: dict[str, float] = field(default_factory=dict)
    matches: int = 0
    starts: int = 0
    """How often a worker would have had to start a bot."""
    report_bytes: int = 0
    """What the workers would have sent."""
    standings: Standings = field(default_factory=lambda: Standings(Event().scale_of(BRACKET)))

    def per_match(self, *steps: str) -> float:
        return sum(self.seconds[step] for step in steps) / self.matches

    @property
    def opponents(self) -> float:
        """How many different opponents a bot has had, on average."""
        return len(self.standings.head_to_head) / self.bots

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        began = process_time()
        yield
        self.seconds[step] = self.seconds.get(step, 0.0) + process_time() - began


class TimedLadder(Ladder):
    """Notes how long it draws."""

    def __init__(self, field: Field, rehearsed: Rehearsed) -> None:
        super().__init__(field)
        self.rehearsed = rehearsed

    def next_round(self, skill: Skill) -> Round | None:
        with self.rehearsed.timed("draw"):
            return super().next_round(skill)


class Workers:
    """Which bots run where: each worker keeps those that it needed last, as the referee does."""

    def __init__(self, count: int = WORKERS, kept: int = Settings().processes) -> None:
        self.kept = kept
        self.running: list[OrderedDict[int, None]] = [OrderedDict() for _ in range(count)]
        self.starts = 0

    def play(self, block: int, entrants: Sequence[int]) -> None:
        running = self.running[block % len(self.running)]
        for entrant in entrants:
            if entrant not in running:
                self.starts += 1
                if len(running) >= self.kept:
                    running.popitem(last=False)
            running[entrant] = None
            running.move_to_end(entrant)


def register(store: Store, count: int) -> list[int]:
    """So many bots at once: taking them in one by one takes a transaction each, and is not what is measured."""
    numbers = range(1, count + 1)
    when = "2026-01-01 00:00:00"
    with store.engine.begin() as connection:
        connection.execute(
            insert(bots), [{"id": each, "name": f"bot{each}", "retired": False, "created": when} for each in numbers]
        )
        same = {"version": "1", "language": "python", "games": ["mantis"], "notes": "", "created": when}
        connection.execute(
            insert(versions),
            [{"id": n, "bot_id": n, "content_hash": f"{n:064x}", "program": f"{n:064x}", **same} for n in numbers],
        )
    return list(numbers)


def rehearse(folder: Path | None, count: int, rounds: int) -> Rehearsed:
    """A ladder of so many bots and rounds, with a store in the folder or without one."""
    done = Rehearsed(count, rounds)
    if folder is None:
        _play(done, None, list(range(1, count + 1)), 1)
        return done
    with Store.open(Home(folder).database) as store:
        entrants = register(store, count)
        event = Event(format=Ladder.name, brackets=(BRACKET,), matches=count * rounds)
        record = store.tournaments.begin("", Ladder.name, event.as_json(), "seed", entrants, [BRACKET])
        _play(done, store, entrants, record.id)
    return done


def _play(done: Rehearsed, store: Store | None, entrants: Sequence[int], tournament: int) -> None:
    bracket = Bracket.parse(BRACKET)
    ladder = TimedLadder(Field(done.bots, USUAL_SEATS, bracket.fewest, "seed"), done)
    most = done.bots * done.rounds
    course = Course(ladder, range(done.bots), entrants, done.standings, [MatchLimit(most)])
    maker = JobMaker(tournament, bracket, "seed", entrants, {each: f"bot{each} 1" for each in entrants})
    table = Table(done.bots)
    workers = Workers()
    batch = Batch(tournament, BRACKET)
    while not course.over:
        drawn_before = done.seconds.get("draw", 0.0)
        with done.timed("hand out"):
            block = course.next_block()
            jobs = [maker.job(block, rotation) for rotation in range(len(block.entrants))] if block else []
            pickle.dumps(jobs)
        done.seconds["hand out"] -= done.seconds.get("draw", 0.0) - drawn_before
        if block:
            batch.blocks.append(block)
            workers.play(block.number, block.entrants)
            sent = pickle.dumps([table.play(job) for job in jobs])
            done.report_bytes += len(sent)
            with done.timed("take"):
                for report in pickle.loads(sent):  # noqa: S301, our own
                    batch.matches.append(report)
                    course.take(report.block, report.rotation, report.name, report.seats)
        with done.timed("fold"):
            batch.pairs += [(counted.block.number, counted.pairs) for counted in course.count()]
        if len(batch.matches) >= WORTH_WRITING or course.over:
            with done.timed("write"):
                changes = done.standings.take_changes()
                if store:
                    scopes = [(scope, done.standings, changes) for scope in (tournament, ALL)]
                    store.matches.write(batch, scopes)
            batch = Batch(tournament, BRACKET)
    done.matches, done.starts = course.matches_counted, workers.starts


class Table:
    """Invents results between bots of planted skills."""

    def __init__(self, count: int) -> None:
        self.rng = Random(f"skills of {count}")
        self.skills = {number: self.rng.gauss(MU, SPREAD) for number in range(1, count + 1)}
        game = simulate_game(find_game(BRACKET), {}, USUAL_SEATS, "bench", "bench")
        self.packed = zlib.compress(replay.dumps(game.replay).encode(), 1)

    def play(self, job: Job) -> MatchRecord:
        scores = {version: self.rng.gauss(self.skills[version], BETA) for version in job.versions}
        order = sorted(job.versions, key=lambda version: -scores[version])
        seated = tuple(seat_of(version, order.index(version) + 1, last=False) for version in job.versions)
        plan = job.plan
        own = bytes(bytearray(self.packed))  # otherwise it would be sent once for all matches of a block
        return MatchRecord(job.block, job.rotation, plan.id, plan.seed, "over", seated, own, "2026-01-01 00:00:00")


# What is left in the store and in memory


def bytes_of_tables(folder: Path) -> dict[str, tuple[int, int]]:
    """Of each table the bytes that it takes with its indexes, and its rows."""
    with closing(sqlite3.connect(Home(folder).database)) as database:
        found = database.execute(
            "SELECT tbl_name, SUM(pgsize) FROM dbstat JOIN sqlite_master USING (name) GROUP BY tbl_name"
        ).fetchall()
        count = "SELECT COUNT(*) FROM {}"
        return {name: (size, database.execute(count.format(f'"{name}"')).fetchone()[0]) for name, size in found}


def bytes_of_replays(folder: Path) -> int:
    with closing(sqlite3.connect(Home(folder).database)) as database:
        return int(database.execute("SELECT SUM(LENGTH(replay)) FROM matches").fetchone()[0])


def memory_of_standings(count: int, rounds: int) -> tuple[float, float]:
    """The bytes that the conductor holds for a pair that has met, in one direction, and for a bot besides."""
    tracemalloc.start()
    try:
        standings = rehearse(None, count, rounds).standings
        pairs = len(standings.head_to_head)
        whole = tracemalloc.get_traced_memory()[0]
        standings.head_to_head.clear()
        without_pairs = tracemalloc.get_traced_memory()[0]
        standings.bots.clear()
        return (whole - without_pairs) / pairs, (without_pairs - tracemalloc.get_traced_memory()[0]) / count
    finally:
        tracemalloc.stop()


def memory_to_resume(folder: Path) -> float:
    """The bytes that the conductor holds for a match on record when it goes on with a tournament."""
    with Store.open(Home(folder).database) as store:
        tournament = store.tournaments.latest(1)[0].id
        tracemalloc.start()
        try:
            on_record = list(store.matches.results(tournament, BRACKET))
            return tracemalloc.get_traced_memory()[0] / len(on_record)
        finally:
            tracemalloc.stop()
