"""Measures tournaments on a cluster of this machine beside the same tournaments without one.

Laws of the measurement:
- the cluster has as many workers as the local runner has processes: one for each core, and a scheduler besides;
- both play the same matches, in turns; the median of the ratios counts;
- a tournament's time counts from the first result to the last, and so do the matches;
- so does the processor time of all processes, which hangs less on who else uses the machine. Its ratio counts, too;
- all processes are in one session, because the system shares a busy machine out by sessions;
- reached or not, it is said, and the exit code is 0.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated

import psutil
import typer
from rich import box
from rich.table import Table

from arena.requests import ClusterAddress
from arena.store.home import Home
from arena.tournament.options import TournamentOptions
from bench.growth import CORES, QUICK_BOTS, out, play, take_in, verdict

KINDS = {
    "runners.dask": "scheduler and Dask's workers",
    "cluster local": "scheduler and Dask's workers",
    "arena.tournament.runners": "referees",
}
LOOK_EVERY = 0.2
"""Seconds between two looks at the processes: so much of what one does last is not seen."""


class ProcessorTime:
    """What all our processes have used, by kind; those that have ended are remembered."""

    def __init__(self) -> None:
        self.us = psutil.Process()
        self._used: dict[tuple[int, float], tuple[str, float]] = {}
        self._looking = 0.0
        """What looking itself has used."""
        self._begun: Counter[str] = Counter()
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while True:
            self._look()
            time.sleep(LOOK_EVERY)

    def _look(self) -> None:
        before = time.thread_time()
        for process in self.us.children(recursive=True):
            with suppress(psutil.Error):
                command = " ".join(process.cmdline())
                kind = next((kind for part, kind in KINDS.items() if part in command), "bots")
                times = process.cpu_times()
                self._used[process.pid, process.create_time()] = kind, times.user + times.system
        self._looking += time.thread_time() - before

    def _by_kind(self) -> Counter[str]:
        """In milliseconds."""
        found: Counter[str] = Counter()
        for kind, seconds in list(self._used.values()):
            found[kind] += round(1000 * seconds)
        ours = self.us.cpu_times()
        found["conductor"] = round(1000 * (ours.user + ours.system - self._looking))
        return found

    def begin(self) -> None:
        """What was used until now does not count."""
        self._look()
        self._begun = self._by_kind()

    def since_then(self) -> Counter[str]:
        self._look()
        found = self._by_kind()
        found.subtract(self._begun)
        return found


@contextmanager
def cluster(cache: Path) -> Iterator[ClusterAddress]:
    """A cluster on this machine."""
    command = (sys.executable, "-m", "arena", "cluster", "local", "--workers", str(CORES), "--port", "0")
    environment = {**os.environ, "ARENA_CLUSTER_CACHE": str(cache)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:  # noqa: S603, ours
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.search(r"tcp://\S+", line)
            assert found, f"the cluster has not said where it is, but: {line!r}"
            yield ClusterAddress(address=found[0])
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
    used: dict[tuple[str, ClusterAddress | None], Counter[str]] = {}
    matches_of: Counter[tuple[str, ClusterAddress | None]] = Counter()
    table = Table("round", "bracket", "here, matches/s", "cluster, matches/s", "ratio", box=box.SIMPLE_HEAD)
    processor = ProcessorTime()
    with TemporaryDirectory() as folder, cluster(Path(folder) / "cache") as link:
        home = Home(Path(folder) / "home")
        bots = take_in(home, QUICK_BOTS)
        play(
            home, bots, TournamentOptions(brackets=("mantis",), matches=50), link
        )  # the bots travel, which happens once
        for number in range(rounds):
            for bracket in ("mantis", "tentagram"):
                event = TournamentOptions(brackets=(bracket,), matches=matches)
                links = (None, link) if number % 2 == 0 else (link, None)
                speed = {}
                for each in links:
                    played = play(home, bots, event, each, at_first_result=processor.begin)
                    counted = played.matches - played.at_first
                    speed[each] = counted / played.seconds
                    used.setdefault((bracket, each), Counter()).update(processor.since_then())
                    matches_of[bracket, each] += counted
                ratio = speed[link] / speed[None]
                ratios.setdefault(bracket, []).append(ratio)
                table.add_row(str(number + 1), bracket, f"{speed[None]:,.0f}", f"{speed[link]:,.0f}", f"{ratio:.2f}")
    out.print(f"[bold]On a cluster of {CORES} workers[/]: {', '.join(bots)}, {matches:,} matches each")
    out.print(table)
    for bracket, found in ratios.items():
        verdict(f"{bracket}: matches/s >= 0.9 x those without the cluster", median(found), ">=", 0.9)
        here, there = (
            {kind: milliseconds / matches_of[place] for kind, milliseconds in used[place].items()}
            for place in ((bracket, None), (bracket, link))
        )
        print_used(bracket, {"here": here, "cluster": there})
        ratio = sum(there.values()) / sum(here.values())
        verdict(f"{bracket}: processor time of a match <= 1.1 x that without the cluster", ratio, "<=", 1.1)


def print_used(bracket: str, both: Mapping[str, Mapping[str, float]]) -> None:
    kinds = sorted({kind for used in both.values() for kind in used})
    table = Table(bracket, *kinds, "all", box=box.SIMPLE_HEAD, title="processor seconds for each 1,000 matches")
    for where, used in both.items():
        table.add_row(where, *(f"{used.get(kind, 0.0):.2f}" for kind in kinds), f"{sum(used.values()):.2f}")
    out.print(table)


if __name__ == "__main__":
    typer.run(main)
