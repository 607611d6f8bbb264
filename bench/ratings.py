"""Measure ratings beside bare calls of the `trueskill` package, the strength fit, and tie rates.

Method:
- one core; synthetic matches: blocks of bots with planted skills, one match per rotation of the seats;
- both rate the same matches in slices, in turn, and are compared within each slice. The median counts;
- the package is called as in its documentation, on its own ratings: no conversion is measured;
- strengths are fitted to all matches of a run with 200 replicates. This time is added to ours in the goal;
- tie rates are between equals: one bot on all four seats, on the engine, without a referee.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice, pairwise
from random import Random
from statistics import mean, median
from time import perf_counter
from typing import Annotated, Any

import numpy as np
import trueskill
import typer
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table

from arena.games.registry import GAMES, profile_of
from arena.rating.bradley_terry import Pairs, fit_strengths
from arena.rating.trueskill import Rating, Scale
from bench.engine import pin_to_one_cpu, version_of
from bench.strength import Bracket, decide, load_bot

FIELD = 12
SEATS = (2, 4, 6)
SLICE = 100
"""Matches per turn of each side."""
DRAW_PROBABILITY = 0.05
GOAL = 2.0
"""Ratings and strengths may take this many times as long as the bare calls."""
TIE_BOTS = ("random", "greedy", "counter")

out = Console(highlight=False)
err = Console(stderr=True)


@dataclass(frozen=True, slots=True)
class Match:
    """The bots in seat order, and their placements."""

    block: int
    bots: tuple[int, ...]
    placements: tuple[int, ...]


def synthetic_matches(seats: int, rng: Random) -> Iterator[Match]:
    """Yield matches without end, between bots whose skills differ as in a usual field."""
    skills = [rng.gauss(25, 4) for _ in range(FIELD)]
    block = 0
    while True:
        bots = tuple(sorted(rng.sample(range(FIELD), seats)))
        for _ in range(seats):
            scores = [round(rng.gauss(skills[bot], 25 / 6)) for bot in bots]  # whole numbers, so that some tie
            yield Match(block, bots, tuple(1 + sum(other > score for other in scores) for score in scores))
        block += 1


# Folding


class OurFold:
    def __init__(self) -> None:
        self.scale = Scale(DRAW_PROBABILITY)
        self.ratings = [Rating()] * FIELD

    def fold(self, matches: Sequence[Match]) -> None:
        ratings = self.ratings
        for match in matches:
            rated = self.scale.rate([ratings[bot] for bot in match.bots], match.placements)
            for bot, rating in zip(match.bots, rated, strict=True):
                ratings[bot] = rating


class PackageFold:
    def __init__(self) -> None:
        self.environment = trueskill.TrueSkill(tau=0.0, draw_probability=DRAW_PROBABILITY)
        self.ratings: list[Any] = [self.environment.create_rating()] * FIELD

    def fold(self, matches: Sequence[Match]) -> None:
        ratings = self.ratings
        for match in matches:
            rated = self.environment.rate([(ratings[bot],) for bot in match.bots], match.placements)
            for bot, (rating,) in zip(match.bots, rated, strict=True):
                ratings[bot] = rating


@dataclass(slots=True)
class Run:
    """What was measured at tables of one size."""

    seats: int
    matches: int
    ours: list[float] = field(default_factory=list)
    """Per slice, seconds."""
    package: list[float] = field(default_factory=list)
    apart: float = 0.0
    """How far the two ratings of a bot are apart in the end, at most."""
    strengths: float = 0.0
    """Seconds."""

    @property
    def ratio(self) -> float:
        return median(theirs / ours for ours, theirs in zip(self.ours, self.package, strict=True))

    @property
    def with_strengths(self) -> float:
        """The time of ratings and strengths as a multiple of that of the bare calls."""
        return (sum(self.ours) + self.strengths) / sum(self.package)


def seconds_of(fold: OurFold | PackageFold, matches: Sequence[Match]) -> float:
    began = perf_counter()
    fold.fold(matches)
    return perf_counter() - began


def pairs_of(matches: Sequence[Match]) -> Pairs:
    rows = [
        (match.block, match.bots[one], match.bots[other], (second > first) + (second == first) / 2)
        for match in matches
        for (one, first), (other, second) in combinations(enumerate(match.placements), 2)
    ]
    block, row, column, points = np.array(rows).T
    return Pairs(block.astype(np.intp), row.astype(np.intp), column.astype(np.intp), points, np.ones(len(rows)))


def measure(seats: int, count: int) -> Run:
    matches = list(islice(synthetic_matches(seats, Random(f"matches of {seats}")), count))
    run = Run(seats, count)
    ours, package = OurFold(), PackageFold()
    starts = range(0, count, SLICE)
    for start in track(starts, f"{seats} seats", console=err, transient=True, disable=not err.is_terminal):
        part = matches[start : start + SLICE]
        run.ours.append(seconds_of(ours, part))
        run.package.append(seconds_of(package, part))
    run.apart = max(abs(one.mu - other.mu) for one, other in zip(ours.ratings, package.ratings, strict=True))
    pairs = pairs_of(matches)
    began = perf_counter()
    fit_strengths(FIELD, pairs)
    run.strengths = perf_counter() - began
    return run


def print_runs(runs: Sequence[Run]) -> None:
    table = Table(box=box.SIMPLE_HEAD, title="Ratings", title_justify="left", title_style="bold")
    for heading in ("seats", "updates/s", "package", "ratio", "apart", "strengths, s", "all / package"):
        table.add_column(heading, justify="right")
    for run in runs:
        table.add_row(
            str(run.seats),
            f"{run.matches / sum(run.ours):,.0f}",
            f"{run.matches / sum(run.package):,.0f}",
            f"{run.ratio:.1f}",
            f"{run.apart:.0e}",
            f"{run.strengths:.2f}",
            f"{run.with_strengths:.3f}",
        )
    out.print(table)
    worst = max(run.with_strengths for run in runs)
    verdict = "[green]reached[/]" if worst <= GOAL else "[red]not reached[/]"
    out.print(
        f"Must reach: ratings and strengths take at most {GOAL:g} x the bare calls: {verdict}, {worst:.3f}",
        soft_wrap=True,
    )


# Tie rates


def tie_rate(bracket: Bracket, bot: str, games: int) -> float:
    """The share of neighbouring places that are tied, with the bot on all seats."""
    ties = 0
    for game in range(games):
        state = bracket.new(f"ties {game}")
        bots = [load_bot(bot)() for _ in range(bracket.seats)]
        rngs = [Random(f"ties {game} seat {seat}") for seat in range(bracket.seats)]
        while (seat := state.to_move) is not None:
            state.apply(decide(bots[seat], state, seat, rngs[seat]))
        ties += sum(one == other for one, other in pairwise(sorted(state.result().placements)))
    return ties / (games * (bracket.seats - 1))


def print_tie_rates(games: int) -> None:
    table = Table(box=box.SIMPLE_HEAD, title="Tie rates, four seats", title_justify="left", title_style="bold")
    for heading in ("bracket", *TIE_BOTS, "mean", "in its profile"):
        table.add_column(heading, justify="left" if heading == "bracket" else "right")
    known_rates = [
        ("/".join([game, *values]), rate) for game in GAMES for values, rate in profile_of(game).tie_rates.items()
    ]
    for bracket, known in track(known_rates, "ties", console=err, transient=True, disable=not err.is_terminal):
        rates = [tie_rate(Bracket.parse(f"{bracket}:4"), bot, games) for bot in TIE_BOTS]
        table.add_row(bracket, *(f"{rate:.4f}" for rate in [*rates, mean(rates)]), f"{known:.3f}")
    out.print(table)


def main(
    matches: Annotated[int, typer.Option(min=1, help="Matches for each size of table.")] = 20_000,
    ties: Annotated[bool, typer.Option("--ties", help="Measure how often places are tied instead.")] = False,
    games: Annotated[int, typer.Option(min=1, help="With --ties: games of each bot in each bracket.")] = 1_000,
) -> None:
    """Measure the ratings beside the trueskill package, or the tie rates of the games."""
    if ties:
        print_tie_rates(games)
        return
    python = f"{platform.python_implementation()} {platform.python_version()}"
    out.print(
        f"{python}, one core, {pin_to_one_cpu()}; {version_of('trueskill')}, {version_of('numpy')}.", soft_wrap=True
    )
    out.print(
        f"{matches:,} matches for each size of table. The ratio is the median over slices of {SLICE}.\n", soft_wrap=True
    )
    print_runs([measure(seats, matches) for seats in SEATS])


if __name__ == "__main__":
    typer.run(main)
