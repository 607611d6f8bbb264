"""Play the same work in this arena and in its peers: two-seat games of about 30 random moves, one process per bot.

How it is measured:
- peers are installed from PyPI, each into its own virtual environment in .bench; one that cannot be installed is left
  out, with the reason. bench/peer_games.py plays their games, one dealer with its two bots pinned to each core;
- the raw pipe is a dealer in plain Python without rules or checks, one message a decision: the limit of what a dealer
  that waits for each answer can reach. This arena sends many matches' turns in one message;
- each contestant plays two lengths, and the difference counts, so start and end do not. The CPU time of all processes
  counts. A round measures everyone in turn; figures are medians over the rounds.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated, NamedTuple

import typer

from bench.checkouts import HERE, ROOT
from bench.usage import CommandFailed, measure
from bench.workloads import CannotRun, Homes, Series, Tournament

GAMES = ROOT / "bench" / "peer_games.py"
PIPE = "raw pipe, no rules"
OURS, REFEREE = "arena: tournament, rated and stored", "arena: bare referee"


class Speed(NamedTuple):
    """What a contestant reached in one round."""

    decisions_per_second: float
    cpu_per_decision: float
    """CPU seconds of all processes."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A dealer of bench/peer_games.py."""

    dealer: str
    short: int
    long: int
    """Games of the two lengths."""
    python: str = sys.executable

    def measure(self) -> Speed:
        with TemporaryDirectory() as folder:
            few, many = (
                measure((self.python, str(GAMES), self.dealer, str(games)), Path(folder))
                for games in (self.short, self.long)
            )
        decisions = _last_number(many.printed) - _last_number(few.printed)
        used = many.minus(few)
        return Speed(decisions / used.seconds, used.cpu / decisions)


def _last_number(printed: str) -> int:
    """Return the number of decisions; some packages print notes when they are imported."""
    return int(printed.split()[-1])


def install(package: str) -> str | None:
    """Return the Python of a virtual environment with the package, or None with a message if it cannot be installed."""
    folder = ROOT / ".bench" / f"peer-{package}"
    python, done = folder / "bin" / "python", folder / ".installed"
    if not done.exists():
        typer.echo(f"Installing {package} into {folder.relative_to(ROOT)} …", err=True)
        for command in (
            (str(ROOT / "tools" / "create-venv"), str(folder)),
            (str(python), "-m", "pip", "install", "--quiet", package),
        ):
            ran = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603, our own
            if ran.returncode:
                typer.echo(f"{package} is left out, it cannot be installed: {ran.stderr.strip()[-500:]}")
                return None
        done.touch()
    return str(python)


def version_in(python: str, package: str) -> str:
    code = f"import importlib.metadata as m; print(m.version({package!r}))"
    return subprocess.run((python, "-c", code), capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603


def contestants(homes: Homes, scale: float) -> dict[str, Callable[[], Speed]]:
    def ours(workload: Tournament | Series) -> Callable[[], Speed]:
        def run() -> Speed:
            figures = workload.measure(HERE, homes, scale)
            return Speed(figures.decisions_per_second, figures.cpu_per_decision)

        return run

    found = {
        OURS: ours(Tournament("mantis", 2, ("random", "random"), 1000, 5000)),
        REFEREE: ours(Series(("random", "random"), 1000, 5000)),
        PIPE: Peer("pipe", int(1000 * scale), int(10_000 * scale)).measure,
    }
    for package, title, short, long in (
        ("open_spiel", "OpenSpiel {}, Hex 6 x 6", 1000, 10_000),
        ("kaggle-environments", "kaggle-environments {}, ConnectX 6 x 6", 20, 200),
    ):
        if python := install(package):
            name = title.format(version_in(python, package))
            found[name] = Peer(package, int(short * scale), int(long * scale), python).measure
    return found


def main(
    rounds: Annotated[int, typer.Option(min=1, help="How often each contestant is measured.")] = 5,
    scale: Annotated[float, typer.Option(min=0.1, help="Multiplies the number of games.")] = 1.0,
) -> None:
    """Compare this arena with its peers, and print a table in Markdown."""
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    load = os.getloadavg()[0]
    with TemporaryDirectory() as folder:
        everyone = contestants(Homes(Path(folder)), scale)
        speeds: dict[str, list[Speed]] = {name: [] for name in everyone}
        for number in range(rounds):
            for name, run in [*everyone.items()]:
                try:
                    speeds[name].append(speed := run())
                except (CannotRun, CommandFailed) as reason:
                    typer.echo(f"{name} is left out: {reason}")
                    del everyone[name], speeds[name]
                    continue
                typer.echo(f"round {number + 1}, {name}: {1e6 * speed.cpu_per_decision:.1f} µs a decision", err=True)
    typer.echo(
        f"Python {platform.python_version()}, {len(os.sched_getaffinity(0))} cores, load {load:.1f} before the start, "
        f"medians of {rounds} rounds.\n"
    )
    typer.echo("| one process per bot, random moves | decisions/s | CPU µs per decision |")
    typer.echo("|---|---:|---:|")
    for name, found in speeds.items():
        rate = median(speed.decisions_per_second for speed in found)
        cpu = median(1e6 * speed.cpu_per_decision for speed in found)
        typer.echo(f"| {name} | {rate:,.0f} | {cpu:,.1f} |")


if __name__ == "__main__":
    typer.run(main)
