"""Measure the costs that grow with the field, and print by which power of the field each one grows.

    python -m bench.scale            # half a minute
    python -m bench.scale --quick    # small sizes, to see that every measurement works

Each cost is measured at several field sizes. Two exponents are printed: the one that the code leads to as the field
grows, and the slope between the measured points on a log-log scale. Larger fields are extrapolated from the largest
measured size with the exponent of the code: an exponent chosen by small sizes is wrong by orders of magnitude further
out. docs/scale.md says what follows.

Times are processor time, because other work on the machine would distort the wall clock.
"""

from __future__ import annotations

import sqlite3
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from math import log
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time
from typing import Annotated, NamedTuple

import typer
from rich.console import Console
from rich.table import Table

from arena.games.brackets import Bracket
from arena.rating.arrays import np
from arena.rating.bradley_terry import Pairs, fit_strengths
from arena.rating.standings import Standings
from arena.rating.trueskill import Rating, Scale
from arena.reports.build import build_board
from arena.server.matchmaking import Matchmaker
from arena.store.home import Home
from arena.store.schema import ALL
from arena.store.store import Store
from arena.tournament.formats.base import Field, PairingResult
from arena.tournament.formats.ladder import Ladder
from arena.tournament.formats.swiss import Swiss
from bench.stores import fill, seat_of

BRACKET = "mantis"
ROWS_ON_A_PAGE = 100


class Point(NamedTuple):
    """A field size, and the cost measured there."""

    bots: int
    value: float


def measured_exponent(points: Sequence[Point]) -> float:
    """Return the exponent of the power law through the points: least squares on the logarithms."""
    sizes, values = ([log(number) for number in column] for column in zip(*points, strict=True))
    return float(np.polyfit(sizes, values, 1)[0])


@dataclass(frozen=True, slots=True)
class Cost:
    """A cost to measure."""

    name: str
    """The name used in docs/scale.md."""
    unit: str
    """`s` or `B`."""
    exponent: int
    """The power of the number of bots that the code leads to, logarithms aside."""
    sizes: tuple[int, ...]
    measure: Callable[[int], float]


def quickest(work: Callable[[], object], tries: int = 3) -> float:
    """Return the seconds of the quickest of several runs."""
    seconds = []
    for _ in range(tries):
        began = process_time()
        work()
        seconds.append(process_time() - began)
    return max(min(seconds), 1e-9)


# Pairings


def draw_ladder_round(bots: int) -> float:
    rng = Random(bots)
    ladder = Ladder(Field(bots, 4, 2, "seed"))
    skills = [(rng.gauss(25, 4), rng.uniform(1, 8)) for _ in range(bots)]
    return quickest(lambda: ladder.next_round(skills.__getitem__))


def draw_swiss_round(bots: int) -> float:
    """Measure the fourth round: from then on the draw has to avoid pairs that have met."""
    rng, swiss = Random(bots), Swiss(Field(bots, 4, 2, "seed"), rounds=10)
    for _ in range(3):
        drawn = swiss.next_round(lambda _: (25.0, 8.0))
        assert drawn
        points = [tuple(rng.sample((1.0, 2 / 3, 1 / 3, 0.0), len(each.entrants))) for each in drawn.pairings]
        swiss.record([PairingResult(*each) for each in zip(drawn.pairings, points, strict=True)])
    return quickest(lambda: swiss.next_round(lambda _: (25.0, 8.0)), tries=1)


def pair_remote_bots(bots: int) -> float:
    """Measure one match of the open ladder, with this many bots connected and free."""
    rng = Random(bots)
    ratings = [Rating(rng.gauss(25, 4), rng.uniform(1, 8)) for _ in range(bots)]
    matchmaker = Matchmaker(Bracket.parse("mantis"), ratings.__getitem__, rng)
    return quickest(lambda: [matchmaker.pairing(range(bots), 4) for _ in range(10)]) / 10


# Ratings


def fold_match(bots: int, matches: int = 2000) -> float:
    rng = Random(bots)
    played = [
        [seat_of(version, place, last=False) for place, version in enumerate(rng.sample(range(1, bots + 1), 4), 1)]
        for _ in range(matches)
    ]

    def fold() -> None:
        standings = Standings(Scale(0.05))
        for number, seats in enumerate(played):
            standings.fold(seats, str(number))

    return quickest(fold, tries=2) / matches


def invented_pairs(bots: int, blocks: int = 20) -> Pairs:
    """Return results between bots of similar strength, as in a ladder."""
    rng = np.random.default_rng(bots)
    first = rng.integers(bots, size=bots * blocks)
    second = (first + rng.integers(1, min(25, bots), size=len(first))) % bots
    return Pairs(np.arange(len(first)), first, second, rng.integers(9, size=len(first)) / 2, np.full(len(first), 4.0))


def fit_strengths_time(bots: int) -> float:
    """Measure one of the 201 fits that a bootstrap with 200 replicates makes."""
    pairs, replicates = invented_pairs(bots), 5
    return quickest(lambda: fit_strengths(bots, pairs, replicates=replicates), tries=2) / (replicates + 1)


def fit_strengths_memory(bots: int) -> float:
    pairs = invented_pairs(bots)
    tracemalloc.start()
    try:
        fit_strengths(bots, pairs, replicates=1)
        return float(tracemalloc.get_traced_memory()[1])
    finally:
        tracemalloc.stop()


# The store and its boards


def in_store(
    measure: Callable[[Store, Path], float], *, blocks: int = 2, strengths: bool = False
) -> Callable[[int], float]:
    """Return a measurement on a store in which every bot has played this many blocks of four matches."""

    def measured(bots: int) -> float:
        with TemporaryDirectory() as folder:
            home = Home(Path(folder))
            fill(home, blocks * bots, bots=bots, seats=4, strengths=strengths)
            with Store.open(home.database) as store:
                return measure(store, Path(folder))

    return measured


def read_page(store: Store, _: Path) -> float:
    def read() -> None:
        first = [version for version, *_ in store.standings.leaders(ALL, BRACKET, ROWS_ON_A_PAGE)]
        build_board(store, BRACKET, versions=first, with_history=False)
        store.standings.table_sizes(ALL, BRACKET)

    return quickest(read)


def read_whole_board(store: Store, _: Path) -> float:
    return quickest(lambda: build_board(store, BRACKET), tries=2)


def strength_row(_: Store, folder: Path) -> float:
    """Return the bytes of a bot's row with its strength, which lists the bots that it is separated from."""
    with closing(sqlite3.connect(Home(folder).database)) as database:
        size = "SELECT SUM(pgsize) FROM dbstat JOIN sqlite_master USING (name) WHERE tbl_name = 'refits'"
        (total,) = database.execute(size).fetchone()
        (rows,) = database.execute("SELECT COUNT(*) FROM refits").fetchone()
    return float(total / rows)


COSTS = (
    Cost("draw a ladder round", "s", 1, (100, 300, 1000, 3000), draw_ladder_round),
    Cost("draw a Swiss round", "s", 1, (300, 1000, 3000, 10_000), draw_swiss_round),
    Cost("pair remote bots", "s", 1, (1000, 3000, 10_000, 30_000), pair_remote_bots),
    Cost("fold a match", "s", 0, (100, 300, 1000, 3000), fold_match),
    Cost("fit strengths: time", "s", 3, (100, 200, 400, 800), fit_strengths_time),
    Cost("fit strengths: memory", "B", 2, (600, 800, 1000, 1200), fit_strengths_memory),
    Cost("read a page of the board", "s", 1, (200, 400, 800, 1600), in_store(read_page)),
    Cost("read the whole board", "s", 2, (200, 400, 800, 1600), in_store(read_whole_board)),
    Cost("store a strength", "B", 1, (50, 100, 200, 400), in_store(strength_row, blocks=25, strengths=True)),
)
QUICK_SIZES = (12, 16, 24, 32)


def amount(value: float, unit: str) -> str:
    """Return the value with two significant digits and a fitting unit: `3.1 ms`, `640 GB`."""
    steps = {
        "s": ((31_557_600, "years"), (86_400, "d"), (3600, "h"), (60, "min"), (1, "s"), (1e-3, "ms"), (1e-6, "µs")),
        "B": ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1, "B")),
    }[unit]
    size, name = next((step for step in steps if value >= step[0]), steps[-1])
    rounded = float(f"{value / size:.1e}")
    return f"{rounded:,.0f} {name}" if rounded >= 10 else f"{rounded:.2g} {name}"


def report(measured: Mapping[str, Sequence[Point]]) -> Table:
    """Return one line per cost: how it grows, and its value for large fields."""
    table = Table(
        "cost", "grows as", "measured exponent", "largest field measured", "10^4 bots", "10^5 bots", "10^6 bots"
    )
    for cost in COSTS:
        largest = measured[cost.name][-1]
        table.add_row(
            cost.name,
            f"n^{cost.exponent}" if cost.exponent else "constant",
            f"{measured_exponent(measured[cost.name]):.2f}",
            f"{largest.bots:,}: {amount(largest.value, cost.unit)}",
            *(
                amount(largest.value * (bots / largest.bots) ** cost.exponent, cost.unit)
                for bots in (10**4, 10**5, 10**6)
            ),
        )
    return table


def main(
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes, to see that it works.")] = False,
) -> None:
    """Measure the costs that grow with the number of bots."""
    out = Console(highlight=False, width=140)
    measured = {}
    for cost in COSTS:
        sizes = QUICK_SIZES if quick else cost.sizes
        measured[cost.name] = [Point(bots, cost.measure(bots)) for bots in sizes]
        values = ", ".join(f"{point.bots:,}: {amount(point.value, cost.unit)}" for point in measured[cost.name])
        out.print(f"{cost.name}  {values}")
    out.print(report(measured))


if __name__ == "__main__":
    typer.run(main)
