"""Measure what grows with the number of matches: the time and memory of a tournament, and the reading of a big store.

- A tournament's time counts from the first result to the last.
- Stores of many matches are made of invented results, written by the store itself, with the replay of a real game in
  each; what reads them is the real code.
- What is compared is measured in turns, and the median of the ratios counts.
- The exit code is 0, whether targets are reached or not.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Annotated

import psutil
import trueskill
import typer
from rich import box
from rich.console import Console
from rich.table import Table

from arena.events import Note
from arena.games.brackets import Bracket
from arena.rating.standings import Standings
from arena.rating.trueskill import scale_of
from arena.requests import ClusterAddress, SubmitRequest
from arena.sandbox import Sandbox
from arena.store.home import Home
from arena.store.schema import ALL
from arena.store.store import Store
from arena.store.strengths import update_strengths
from arena.submissions.submit import submit
from arena.tournament.conductor import Conductor
from arena.tournament.options import TournamentOptions
from arena.tournament.outcome import TournamentProgress
from arena.tournament.runners.base import MakeRunner
from arena.tournament.runners.local import LocalRunner
from bench.stores import fill

out = Console()
CORES = len(os.sched_getaffinity(0))
MILLION = 1_000_000
QUICK_BOTS = ("random", "greedy", "counter")


def take_in(home: Home, bots: tuple[str, ...]) -> tuple[str, ...]:
    """Submits the bots that can be built here."""
    taken = []
    with Store.open(home.database) as store:
        for bot in bots:
            try:
                submit(home, store, SubmitRequest(path=bot, time_to_start=60.0), Sandbox(), thorough=False)
            except Exception as error:  # noqa: BLE001, whatever it is, it is why this bot does not play
                out.print(f"{bot} does not play: {error}", markup=False, highlight=False)
            else:
                taken.append(bot)
    return tuple(taken)


@dataclass(slots=True)
class Played:
    """A tournament that was played."""

    matches: int
    decisions: int
    seconds: float
    """From the first result to the last."""
    seconds_in_all: float
    memory: list[int]
    """The bytes of the conductor, now and then."""
    at_first: int
    """So many matches had been played when the first result was seen: on a cluster they come in batches."""


def play(
    home: Home,
    bots: tuple[str, ...],
    event: TournamentOptions,
    link: ClusterAddress | None = None,
    at_first_result: Callable[[], None] = lambda: None,
) -> Played:
    """Plays a tournament as `arena tournament` does, here or on a cluster."""
    began = perf_counter()
    first: list[tuple[float, int]] = []
    memory: list[int] = []
    us = psutil.Process()

    def show(progress: TournamentProgress | Note) -> None:
        if isinstance(progress, TournamentProgress) and progress.matches and not first:
            first.append((perf_counter(), progress.matches))
            at_first_result()
        memory.append(us.memory_info().rss)

    with home.conducting(), Store.open(home.database) as store:
        versions = [store.bots.find(bot) for bot in bots]
        record = store.tournaments.begin(
            "", event.format, event.as_json(), "bench", [version.id for version in versions], event.brackets
        )
        by_id = {version.id: version for version in versions}
        runner: MakeRunner = LocalRunner
        if link:
            from arena.tournament.runners.dask.runner import dask_runner  # what it needs is not always installed

            runner = dask_runner(link, home, by_id)
        Conductor(home, store, record, jobs=CORES, notify=show, runner=runner).play()
        ended = perf_counter()
        played = store.tournaments.load(record.id).played
        standings = [store.standings.load(record.id, bracket) for bracket in event.brackets]
    decisions = sum(bot.decisions for each in standings for bot in each.bots.values())
    since, at_first = first[0]
    return Played(played, decisions, ended - since, ended - began, memory, at_first)


# Growth


def measure_growth(sizes: tuple[int, ...]) -> None:
    table = Table("matches", "seconds", "ms a match", "conductor, MB, first and last", box=box.SIMPLE_HEAD)
    per_match = {}
    memory = {}
    with TemporaryDirectory() as folder:
        for size in sizes:
            home = Home(Path(folder) / str(size))
            bots = take_in(home, QUICK_BOTS)
            played = play(home, bots, TournamentOptions(brackets=("mantis",), matches=size))
            per_match[size] = played.seconds / played.matches
            memory[size] = played.memory
            table.add_row(
                f"{played.matches:,}",
                f"{played.seconds:.1f}",
                f"{1000 * per_match[size]:.2f}",
                f"{played.memory[0] / 2**20:.1f}, {played.memory[-1] / 2**20:.1f}",
            )
    out.print("[bold]Growth[/]: random, greedy and counter in Mantis")
    out.print(table)
    few, many = sizes[-2], sizes[-1]
    verdict(f"time for a match of {many:,} / of {few:,} (linear: about 1)", per_match[many] / per_match[few], "<=", 1.3)
    settled = memory[many][len(memory[many]) // 10]
    verdict("memory of the conductor at the end / after a tenth (flat: 1)", memory[many][-1] / settled, "<=", 1.1)


# A store of many matches


def measure_big_store(matches: int, small: int, rounds: int) -> None:
    with TemporaryDirectory() as folder:
        big_home, small_home = Home(Path(folder) / "big"), Home(Path(folder) / "small")
        began = perf_counter()
        fill(big_home, matches)
        out.print(f"[bold]A store of {matches:,} matches[/] (written in {perf_counter() - began:.0f} s)")
        fill(small_home, small)
        measure_rating(big_home, matches)
        measure_leaderboard(big_home, small_home, rounds)


def rate_again(database: str | Path) -> tuple[float, float, float, float]:
    """Rate and fit all that is stored. Return CPU seconds for both, seconds in all, and GB of memory at most."""
    scale = scale_of(Bracket.parse("mantis"))
    with Store.open(database) as store:
        began, began_cpu = perf_counter(), process_time()
        standings = Standings(scale)
        for _, _, name, seats in store.matches.results(1, "mantis"):
            standings.fold(seats, name)
        rated_cpu = process_time() - began_cpu
        update_strengths(store, ALL, "mantis")
        fitted_cpu = process_time() - began_cpu - rated_cpu
        peak = getrusage(RUSAGE_SELF).ru_maxrss * 1024 / 1e9
        return rated_cpu, fitted_cpu, perf_counter() - began, peak


def bare_seconds(database: str | Path, matches: int) -> float:
    """Return how long the calls of the trueskill package alone take, from a sample of the matches."""
    scale = scale_of(Bracket.parse("mantis"))
    sample = 3000
    environment = trueskill.TrueSkill(tau=0.0, draw_probability=scale.draw_probability)
    ratings: defaultdict[int, trueskill.Rating] = defaultdict(environment.create_rating)
    with Store.open(database) as store:
        results = [seats for *_, seats in islice(store.matches.results(1, "mantis"), sample)]
    began = perf_counter()
    for seats in results:
        rated = environment.rate(
            [(ratings[seat.version_id],) for seat in seats], ranks=[seat.placement for seat in seats]
        )
        for seat, (rating,) in zip(seats, rated, strict=True):
            ratings[seat.version_id] = rating
    return (perf_counter() - began) / len(results) * matches


def measure_rating(home: Home, matches: int) -> None:
    """Rating and refitting all that is stored, beside nothing but the calls of the trueskill package."""
    with ProcessPoolExecutor(1, get_context("spawn")) as fresh:  # so that the peak of memory is its own
        rated, fitted, ours, peak = fresh.submit(rate_again, home.database).result()
    bare = bare_seconds(home.database, matches)
    out.print(
        f"rated in {rated:.1f} s of CPU time, strengths fitted in {fitted:.1f} s, {peak:.2f} GB of memory at most; "
        f"the bare package takes {bare:.0f} s (from a sample)",
        highlight=False,
    )
    verdict("rating and refitting / bare trueskill calls", ours / bare, "<=", 2.0)
    if matches >= MILLION:
        verdict("CPU seconds of rating and refitting a million matches", (rated + fitted) / matches * MILLION, "<=", 60)
        verdict("GB of memory of rating and refitting them", peak, "<=", 2.0)


def measure_leaderboard(big: Home, small: Home, rounds: int) -> None:
    ratios = []
    for _ in range(rounds):
        seconds = []
        for home in (small, big):
            began = perf_counter()
            command = (sys.executable, "-m", "arena", "leaderboard", "--home", str(home.path))
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603, our own
            seconds.append(perf_counter() - began)
        ratios.append(seconds[1] / seconds[0])
    verdict("arena leaderboard on the big store / on one of 1,000 matches", median(ratios), "<=", 2.0)


def verdict(claim: str, value: float, relation: str, limit: float) -> None:
    reached = value >= limit if relation == ">=" else value <= limit
    word = "[green]reached[/]" if reached else "[bold red]not reached[/]"
    out.print(f"{word} {value:.2f} ({relation} {limit:g})  {claim}", highlight=False)


def main(
    rounds: Annotated[int, typer.Option(min=1, help="How often each figure is taken.")] = 3,
    most: Annotated[int, typer.Option(min=1000, help="Matches of the longest tournament.")] = 10_000,
    stored: Annotated[int, typer.Option(min=1000, help="Matches in the big store.")] = 100_000,
    quick: Annotated[bool, typer.Option("--quick", help="A look, no measurement.")] = False,
) -> None:
    """Measure how tournaments grow with the number of matches, and what a big store costs."""
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    if quick:
        rounds, most, stored = 1, 1000, 5000
    out.print(f"{CORES} cores, load {os.getloadavg()[0]:.1f} before the start.", highlight=False)
    measure_growth(tuple(size for size in (100, 1000, 10_000) if size <= most))
    measure_big_store(stored, 1000, max(3, rounds))


if __name__ == "__main__":
    typer.run(main)
