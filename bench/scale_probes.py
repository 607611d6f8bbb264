"""What things cost on this machine: each probe measures one of them, with the code that the arena runs.

Laws of the measurement:
- times are processor time, the least of a few tries: what else the machine does is not in them, nor waiting for disks;
- a series has three small sizes, to which a law is fitted, and a larger one, which the law has to predict;
- bots are the bundled `random`: what others think is their own, and would only hide what the arena costs.
"""

from __future__ import annotations

import os
import tracemalloc
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any
from unittest import mock

import psutil
import uvloop

from arena import replay
from arena.games.brackets import USUAL_SEATS
from arena.rating.arrays import np
from arena.rating.bradley_terry import Pairs, refit
from arena.rating.trueskill import Rating, Scale
from arena.referee import Limits, Referee
from arena.referee.connection import Connection
from arena.referee.launch import Launch
from arena.referee.series import pairings, play_series
from arena.reports.build import build_board
from arena.server.matchmaking import Matchmaker
from arena.store.home import Home
from arena.store.schema import ALL
from arena.store.store import Store
from arena.submissions.submission import find_launch
from arena.tournament.design import design
from arena.tournament.formats import Swiss
from arena.tournament.formats.base import Field, MeetingResult
from arena.tournament.separation import refit_scope
from arena.web.pages.boards import ON_A_PAGE, Filter, load
from bench.scale_laws import Point
from bench.scale_rehearsal import (
    BRACKET,
    Rehearsed,
    bytes_of_replays,
    bytes_of_tables,
    memory_of_standings,
    memory_to_resume,
    rehearse,
)

REPLICATES = 10
"""A refit draws 200; their time is in proportion."""
PATIENT = Limits(start=60.0, turn=None)
"""A bot that the machine starves would be ended otherwise, and could not be asked any more what it has used."""


@dataclass(slots=True)
class Found:
    """What was measured: single costs, and costs at several sizes, the last of which is the one to be predicted."""

    units: dict[str, float] = field(default_factory=dict)
    series: dict[str, list[Point]] = field(default_factory=dict)


def least(tries: int, work: Callable[[], object]) -> float:
    """The seconds of the quickest try."""
    seconds = []
    for _ in range(tries):
        began = process_time()
        work()
        seconds.append(process_time() - began)
    return min(seconds)


# A match between real bots


class Wire:
    """Counts what goes between the referee and its bots, as messages and as bytes in them."""

    def __init__(self) -> None:
        self.messages = self.bytes = 0

    def count(self, message: Any) -> None:
        self.messages += 1
        self.bytes += message.ByteSize()

    @contextmanager
    def tapped(self) -> Iterator[None]:
        take, receive = Connection.take, Connection.receive

        def counted_take(connection: Connection, now: Any) -> Any:
            if (message := take(connection, now)) is not None:
                self.count(message)
            return message

        def counted_receive(connection: Connection, message: Any, now: Any) -> Any:
            self.count(message)
            return receive(connection, message, now)

        with (
            mock.patch.object(Connection, "take", counted_take),
            mock.patch.object(Connection, "receive", counted_receive),
        ):
            yield


def measure_play(found: Found, matches: int) -> None:
    """Processor time, messages, bytes and replays of matches; what a bot's start takes, and what it holds."""
    program = find_launch("random")

    async def play(count: int, at_once: int) -> tuple[float, float, Wire, list[int]]:
        wire, replays = Wire(), []
        async with Referee(PATIENT) as referee:
            await everybody_plays_once(referee, program)
            processes = [psutil.Process(each.process.pid) for each in referee.instances.values()]
            found.units["start_memory"] = float(np.mean([each.process.memory() for each in referee.instances.values()]))
            started = [sum(process.cpu_times()[:2]) for process in processes]
            found.units["start_cpu"] = float(np.mean(started))
            before = sum(os.times()[:2])
            series = pairings("mantis", {}, [program.label] * USUAL_SEATS, count, "bench")
            with wire.tapped():
                async for _, outcome in play_series(referee, series, [program] * USUAL_SEATS, at_once):
                    replays.append(len(zlib.compress(replay.dumps(outcome.replay).encode(), 1)))
            ours = sum(os.times()[:2]) - before
            theirs = sum(sum(process.cpu_times()[:2]) for process in processes) - sum(started)
        return ours / count, theirs / count, wire, replays

    ours, theirs, wire, replays = uvloop.run(play(matches, 64))
    found.units["play_cpu"] = ours + theirs
    found.units["wire_bytes"], found.units["wire_messages"] = wire.bytes / matches, wire.messages / matches
    found.units["replay_bytes"] = float(np.mean(replays))
    few = max(1, matches // 20)
    found.units["alone_cpu"], _, alone, _ = uvloop.run(play(few, 1))
    found.units["alone_bytes"], found.units["alone_messages"] = alone.bytes / few, alone.messages / few


async def everybody_plays_once(referee: Referee, program: Launch) -> None:
    series = pairings("mantis", {}, [program.label] * USUAL_SEATS, 1, "start")
    async for _ in play_series(referee, series, [program] * USUAL_SEATS, 1):
        pass


# The ratings


def measure_folds(found: Found, matches: int) -> None:
    """The rating alone, for tables of some sizes."""
    for seats in (2, 4, 6):
        rng = Random(f"fold {seats}")
        tables = [(rng.sample(range(100), seats), rng.sample(range(1, seats + 1), seats)) for _ in range(matches)]

        def fold(tables: Sequence[tuple[Sequence[int], Sequence[int]]] = tables) -> None:
            scale, ratings = Scale(0.05), [Rating()] * 100
            for bots, places in tables:
                for bot, rating in zip(bots, scale.rate([ratings[bot] for bot in bots], places), strict=True):
                    ratings[bot] = rating

        found.units[f"rate_{seats}"] = least(3, fold) / matches


def invented_pairs(bots: int, blocks: int) -> Pairs:
    """What came of so many blocks for each bot: pairs that are near each other in strength, as in a ladder."""
    rng = np.random.default_rng(bots)
    first = rng.integers(bots, size=bots * blocks)
    second = (first + rng.integers(1, min(25, bots), size=len(first))) % bots
    return Pairs(np.arange(len(first)), first, second, rng.integers(9, size=len(first)) / 2, np.full(len(first), 4.0))


def measure_refit(found: Found, sizes: Sequence[int], sizes_of_memory: Sequence[int]) -> None:
    """A fit of one data set, of which a refit makes one for each replicate and one more; and the most memory."""

    def seconds(size: int) -> float:
        pairs = invented_pairs(size, 20)
        return least(2, lambda: refit(size, pairs, replicates=REPLICATES)) / (REPLICATES + 1)

    def memory(size: int) -> float:
        pairs = invented_pairs(size, 20)
        tracemalloc.start()
        try:
            refit(size, pairs, replicates=1)
            return float(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()

    found.series["refit"] = [Point(size, seconds(size)) for size in sizes]
    found.series["refit_memory"] = [Point(size, memory(size)) for size in sizes_of_memory]


# Who meets whom


def measure_design(found: Found, sizes: Sequence[int]) -> None:
    def seconds(size: int) -> float:
        design.cache_clear()
        return least(1, lambda: design(size, USUAL_SEATS))

    found.series["design"] = [Point(size, seconds(size)) for size in sizes]


def measure_swiss(found: Found, sizes: Sequence[int]) -> None:
    """The fourth round: from then on there are bots that have met already."""

    def seconds(size: int) -> float:
        rng, swiss = Random(size), Swiss(Field(size, USUAL_SEATS, 2, "seed"), rounds=10)
        for _ in range(3):
            drawn = swiss.next_round(lambda _: (25.0, 8.0))
            assert drawn
            points = [tuple(rng.sample((1.0, 2 / 3, 1 / 3, 0.0), len(each.entrants))) for each in drawn.meetings]
            swiss.record([MeetingResult(*each) for each in zip(drawn.meetings, points, strict=True)])
        return least(1, lambda: swiss.next_round(lambda _: (25.0, 8.0)))

    found.series["swiss"] = [Point(size, seconds(size)) for size in sizes]


def measure_tables(found: Found, sizes: Sequence[int]) -> None:
    """One table of the ladder of bots from elsewhere, with so many who are free."""

    def seconds(size: int) -> float:
        rng = Random(size)
        ratings = [Rating(rng.gauss(25, 4), rng.uniform(1, 8)) for _ in range(size)]
        maker = Matchmaker(ratings.__getitem__, rng)
        return least(3, lambda: [maker.pairing(range(size), USUAL_SEATS) for _ in range(10)]) / 10

    found.series["table"] = [Point(size, seconds(size)) for size in sizes]


# A tournament without bots, and what it leaves behind


def measure_ladders(found: Found, sizes: Sequence[int], rounds: int) -> None:
    """What the conductor does for a match and for a round, in ladders of several sizes."""
    ladders: list[Rehearsed] = []
    for size in sizes:
        with TemporaryDirectory() as folder:
            ladders.append(rehearse(Path(folder), size, rounds))
            if size == sizes[-1]:
                measure_rows(found, Path(folder), ladders[-1])
    for step in ("hand out", "take", "fold", "write"):
        found.series[step.replace(" ", "_")] = [Point(each.bots, each.per_match(step)) for each in ladders]
    found.series["draw"] = [Point(each.bots, each.seconds["draw"] / rounds) for each in ladders]
    found.units["pair_memory"], found.units["bot_memory"] = memory_of_standings(sizes[0], rounds)


def measure_rows(found: Found, folder: Path, ladder: Rehearsed) -> None:
    replays = bytes_of_replays(folder)
    for table, (size, rows) in bytes_of_tables(folder).items():
        if table == "matches":
            found.units["bytes_matches"] = (size - replays) / rows
        elif table in ("seats", "blocks", "standings", "head_to_head", "rating_points", "seat_tallies"):
            found.units[f"bytes_{table}"] = size / rows
        elif table == "surprises":
            found.units["bytes_surprises"] = size / ladder.bots / 2  # of a bot, in each of two scopes
    found.units["report_bytes"] = (ladder.report_bytes - replays) / ladder.matches
    found.units["resume_memory"] = memory_to_resume(folder)


def measure_starts(found: Found, sizes: Sequence[int], rounds: int) -> None:
    """How often a bot is started for each match, where there are more bots than the workers can keep."""
    ladders = [rehearse(None, size, rounds) for size in sizes]
    found.series["starts"] = [Point(each.bots, each.starts / each.matches) for each in ladders]


def measure_opponents(found: Found, bots: int, rounds: Sequence[int]) -> None:
    """How many different opponents a bot of a ladder has after so many rounds."""
    found.series["opponents"] = [Point(each, rehearse(None, bots, each).opponents) for each in rounds]


def measure_boards(found: Found, pages: Sequence[int], whole: Sequence[int]) -> None:
    """What a page of the board reads, and what the whole board reads: fields that have played one round."""
    found.series["page"], found.series["whole_board"] = [], []
    for size in sorted({*pages, *whole}):
        with TemporaryDirectory() as folder:
            rehearse(Path(folder), size, 1)
            with Store.open(Home(Path(folder)).database) as store:

                def page(store: Store = store) -> None:
                    load(store, BRACKET, Filter(), ON_A_PAGE)
                    store.standings.table_sizes(ALL, BRACKET)

                if size in pages:
                    found.series["page"].append(Point(size, least(3, page)))
                if size in whole:
                    board = least(2, lambda store=store: build_board(store, BRACKET))  # type: ignore[misc]
                    found.series["whole_board"].append(Point(size, board))


def measure_told_apart(found: Found, sizes: Sequence[int], rounds: int) -> None:
    """The bytes of a bot's row in the refits, which names all bots that it is told apart from."""
    found.series["told_apart"] = []
    for size in sizes:
        with TemporaryDirectory() as folder:
            rehearse(Path(folder), size, rounds)
            with Store.open(Home(Path(folder)).database) as store:
                refit_scope(store, ALL, BRACKET)
            bytes_, rows = bytes_of_tables(Path(folder))["refits"]
            found.series["told_apart"].append(Point(size, bytes_ / rows))
