"""Measures tournaments on a cluster of this machine beside the same tournaments without one.

Laws of the measurement:
- the cluster has as many workers as the local runner has processes: one for each core, and a scheduler besides;
- both play the same matches, in turns; the median of the ratios counts;
- a tournament's time counts from the first result to the last, and so do the matches;
- all processes are in one session, because the system shares a busy machine out by sessions;
- reached or not, it is said, and the exit code is 0.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich import box
from rich.table import Table

from arena.store.home import Home
from arena.tournament.cluster.link import Link
from arena.tournament.event import Event
from bench.tournament import CORES, QUICK_BOTS, out, play, take_in, verdict


@contextmanager
def cluster(cache: Path) -> Iterator[Link]:
    """A cluster on this machine."""
    command = (sys.executable, "-m", "arena", "cluster", "local", "--workers", str(CORES), "--port", "0")
    environment = {**os.environ, "ARENA_CLUSTER_CACHE": str(cache)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:  # noqa: S603, ours
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.search(r"tcp://\S+", line)
            assert found, f"the cluster has not said where it is, but: {line!r}"
            yield Link(found[0])
        finally:
            process.terminate()


def main(
    rounds: Annotated[int, typer.Option(min=1, help="How often each figure is taken.")] = 5,
    matches: Annotated[int, typer.Option(min=500, help="Matches of each tournament.")] = 3000,
) -> None:
    """Measure tournaments on a cluster of this machine beside the same without one."""
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    out.print(f"{CORES} cores, load {os.getloadavg()[0]:.1f} before the start.", highlight=False)
    ratios: dict[str, list[float]] = {}
    table = Table("round", "bracket", "here, matches/s", "cluster, matches/s", "ratio", box=box.SIMPLE_HEAD)
    with TemporaryDirectory() as folder, cluster(Path(folder) / "cache") as link:
        home = Home(Path(folder) / "home")
        bots = take_in(home, QUICK_BOTS)
        play(home, bots, Event(brackets=("mantis",), matches=50), link)  # the bots travel, which happens once
        for number in range(rounds):
            for bracket in ("mantis", "tentagram"):
                event = Event(brackets=(bracket,), matches=matches)
                links = (None, link) if number % 2 == 0 else (link, None)
                speed = {}
                for each in links:
                    played = play(home, bots, event, each)
                    speed[each] = (played.matches - played.at_first) / played.seconds
                ratio = speed[link] / speed[None]
                ratios.setdefault(bracket, []).append(ratio)
                table.add_row(str(number + 1), bracket, f"{speed[None]:,.0f}", f"{speed[link]:,.0f}", f"{ratio:.2f}")
    out.print(f"[bold]On a cluster of {CORES} workers[/]: {', '.join(bots)}, {matches:,} matches each")
    out.print(table)
    for bracket, found in ratios.items():
        verdict(f"{bracket}: matches/s >= 0.9 x those without the cluster", median(found), ">=", 0.9)


if __name__ == "__main__":
    typer.run(main)
