"""Measures what the sandbox costs, and whether honest bots keep their time beside bots that hog the processor.

Laws of the measurement:
- start-up: the same bot in Python is started without a sandbox and in each tier, in turns; what counts is the median of
  what the sandbox adds, divided by the median of a start without it, from the start of the process to the hello;
- speed: the same tournament is played without a sandbox and in each tier, in turns, as in bench/growth.py; what
  counts is the median of the ratios of matches/s. The machine may be shared and noisy: the spread is printed, too;
- clocks: an honest bot that needs 200 ms of processor time for each decision, with 500 ms allowed, plays against bots
  that burn the processor in every turn of their opponents. How many of its matches it loses on time is counted, with
  pondering off, as by default, and what its turns took by both clocks;
- reached or not, it is said, and the exit code is 0.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Annotated

import typer
import uvloop
from rich.console import Console
from rich.progress import track
from rich.table import Table

from arena.referee import Launch, Limits, MatchPlan, Outcome, Referee, Settings
from arena.replay import FaultKind
from arena.sandbox import Sandbox, Tier, probe
from arena.store.home import Home
from arena.submissions.submission import find_launch
from arena.tournament.options import TournamentOptions
from bench.growth import QUICK_BOTS, Played, play, take_in, verdict

out = Console()
STARTUP_TARGET, SPEED_TARGET = 0.5, 0.95
JOB_MS, LIMIT_MS = 200, 500

HONEST = f"""
import time
from arena.bot import Bot

class Honest(Bot):
    matches_at_once = 1

    def mantis(self, turn):
        until = time.process_time() + {JOB_MS / 1000}
        while time.process_time() < until:
            pass
        return turn.legal[0]

Honest().run()
"""
BURNER = """
import multiprocessing, time
from arena.bot import Bot

def burn():
    while True:
        pass

class Burner(Bot):
    matches_at_once = 1

    def mantis(self, turn):
        return turn.legal[0]

if __name__ == "__main__":
    for _ in range(2):
        multiprocessing.get_context("spawn").Process(target=burn, daemon=True).start()
    Burner().run()
"""


def tiers() -> list[Tier]:
    """The tiers that work here, without a sandbox first."""
    found = [Tier.NONE]
    for tier in (Tier.USER, Tier.STRONG):
        if probe(tier).works:
            found.append(tier)
        else:
            out.print(f"The {tier} tier is left out: {probe(tier).detail}.")
    return found


# Start-up


async def start_once(tier: Tier, bot: Launch) -> float:
    async with Referee(Limits(start=120.0), Settings(sandbox=Sandbox(tier))) as referee:
        began = perf_counter()
        await referee.pool.start(bot)
        return 1000 * (perf_counter() - began)


def measure_startup(rounds: int) -> None:
    bot = find_launch("random")
    found: dict[Tier, list[float]] = {tier: [] for tier in tiers()}
    for _ in track(range(rounds), "start-up", transient=True, console=out):
        for tier, times in found.items():
            times.append(uvloop.run(start_once(tier, bot)))
    table = Table(
        "tier", "start to hello, ms", "added, ms", "added / bare start", title="Start-up", title_justify="left"
    )
    bare = median(found[Tier.NONE])
    for tier, times in found.items():
        added = median(boxed - open_ for boxed, open_ in zip(times, found[Tier.NONE], strict=True))
        table.add_row(tier, f"{median(times):.0f}", f"{added:.0f}", f"{added / bare:.2f}")
    out.print(table)
    for tier in found:
        if tier is not Tier.NONE:
            added = median(boxed - open_ for boxed, open_ in zip(found[tier], found[Tier.NONE], strict=True))
            verdict(f"{tier}: what the sandbox adds / a bare start", added / bare, "<=", STARTUP_TARGET)


# Speed


def measure_speed(rounds: int, seconds: float) -> None:
    found: dict[Tier, list[Played]] = {tier: [] for tier in tiers()}
    with TemporaryDirectory() as folder:
        home = Home(Path(folder))
        bots = take_in(home, QUICK_BOTS)
        for _ in track(range(rounds), "speed", transient=True, console=out):
            for tier, runs in found.items():
                event = TournamentOptions(
                    brackets=("mantis",), seconds=seconds, sandbox=Sandbox(tier), ponder=tier is Tier.NONE
                )
                runs.append(play(home, bots, event))
    bare = [played.matches / played.seconds for played in found[Tier.NONE]]
    noise = [later / earlier for earlier, later in pairwise(bare)]
    table = Table("tier", "matches/s", "/ without a sandbox", "single rounds", title="Speed", title_justify="left")
    medians = {}
    for tier, runs in found.items():
        rates = [played.matches / played.seconds for played in runs]
        ratios = [rate / base for rate, base in zip(rates, bare, strict=True)]
        medians[tier] = median(ratios)
        spread = noise if tier is Tier.NONE else ratios
        said = f"{min(spread):.2f} to {max(spread):.2f}" if spread else ""
        table.add_row(tier, f"{median(rates):,.0f}", f"{medians[tier]:.2f}", said)
    out.print(table)
    out.print("In the line of none: each round / the one before, which is the noise of the measurement.")
    for tier, ratio in medians.items():
        if tier is not Tier.NONE:
            verdict(f"{tier}: matches/s / those without a sandbox", ratio, ">=", SPEED_TARGET)


# Clocks


@contextmanager
def bot_folder(source: str, name: str) -> Iterator[Launch]:
    with TemporaryDirectory() as folder:
        Path(folder, "bot.py").write_text(source, encoding="utf-8")
        manifest = f'name = {json.dumps(name)}\ngames = ["mantis"]\ncommand = ["python", "bot.py"]\n'
        Path(folder, "arena.toml").write_text(manifest, encoding="utf-8")
        yield find_launch(folder)


async def play_beside_burners(
    tier: Tier, honest: Launch, burner: Launch, matches: int, burners: int
) -> list[tuple[int, Outcome]]:
    limits = Limits(start=120.0, turn=LIMIT_MS / 1000)
    settings = Settings(matches_at_once=1, sandbox=Sandbox(tier), ponder=False)
    played = []
    async with Referee(limits, settings) as referee:
        for number in track(range(matches), f"clocks, {tier}", transient=True, console=out):
            seat = number % (burners + 1)
            contestants = [burner] * (burners + 1)
            contestants[seat] = honest
            names = tuple("honest" if each is honest else f"burner {place}" for place, each in enumerate(contestants))
            plan = MatchPlan(f"clocks-{number}", "mantis", {}, f"clocks/{number}", names)
            played.append((seat, await referee.play(plan, contestants)))
    return played


def measure_clocks(matches: int, burners: int) -> None:
    columns = (
        "tier",
        "matches",
        "lost on time",
        "turns",
        "cpu, ms a turn",
        "wall, ms a turn",
        "slowest turn, ms charged",
    )
    table = Table(*columns, title=f"An honest bot beside {burners} that burn", title_justify="left")
    lost = {}
    with bot_folder(HONEST, "honest") as honest, bot_folder(BURNER, "burner") as burner:
        for tier in tiers():
            played = asyncio.run(play_beside_burners(tier, honest, burner, matches, burners))
            turns = sum(outcome.decisions[seat] for seat, outcome in played)
            cpu = sum(outcome.cpu_ms[seat] or 0.0 for seat, outcome in played)
            wall = sum(outcome.wall_ms[seat] for seat, outcome in played)
            lost[tier] = sum(
                fault.seat == seat and fault.fault is FaultKind.TIMEOUT
                for seat, outcome in played
                for fault in outcome.faults
            )
            slowest = max(
                getattr(entry, "ms", 0.0)
                for seat, outcome in played
                for entry in outcome.replay.entries
                if entry.seat == seat
            )
            table.add_row(
                tier, str(matches), str(lost[tier]), str(turns), f"{cpu / turns:.0f}", f"{wall / turns:.0f}",
                f"{slowest:.0f}",
            )  # fmt: skip
    out.print(table)
    for tier, times in lost.items():
        verdict(f"{tier}: matches of {matches} that the honest bot lost on time", times, "<=", 0)


def main(
    rounds: Annotated[int, typer.Option(min=1)] = 9,
    starts: Annotated[int, typer.Option(min=1)] = 15,
    seconds: Annotated[float, typer.Option(min=1.0, help="For each tournament.")] = 6.0,
    matches: Annotated[int, typer.Option(min=1, help="Of the honest bot, in each tier.")] = 100,
    only: Annotated[str | None, typer.Option(help="startup, speed or clocks.")] = None,
) -> None:
    """Measure what the sandbox costs, and whether the clocks are honest."""
    if only in (None, "startup"):
        measure_startup(starts)
    if only in (None, "speed"):
        measure_speed(rounds, seconds)
    if only in (None, "clocks"):
        measure_clocks(matches, burners=4)


if __name__ == "__main__":
    typer.run(main)
