"""A cluster whose machines are network namespaces: a scheduler, two workers and a client, and all that can go wrong.

Runs by itself, because it takes minutes and needs root: `make cluster-test`; test_namespaces.py has a part of it. After
each of these the record must be the same as on one machine, to the last digit, and what was on record must have stayed:
- a worker's machine dies, for good;
- a link is cut for longer than Dask's patience, and comes back;
- a link is late and loses frames;
- the scheduler dies, and comes back;
- a worker does not get on: others play its matches, and then it comes with results, too;
- the client is killed ten times and resumed, here or on the cluster, while workers and the scheduler are killed, too.
"""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import psutil

from tests.support.cli import ARENA, ROOT
from tests.support.tournaments import board, on_record, play
from tests.support.waiting import until
from tests.tournament.runners.dask.events import Record, check_equal, event, record, take_in
from tests.tournament.runners.dask.machines import DESK, HEAD, Machines
from tests.tournament.runners.dask.network import network

ROUNDS = 2000
CUT_FOR = 45.0
"""Seconds: Dask calls a connection dead after 30."""
LATE, LOSS = 0.04, 0.02
"""Seconds in each direction, and the share of frames."""
PATIENCE = 600.0
KILLS = 10


class Trial:
    """A cluster in namespaces, and tournaments on it."""

    def __init__(self, machines: Machines, rounds: int) -> None:
        self.machines = machines
        self.event = event(rounds)
        self.bots = take_in(machines.folder)
        self.straight = self._straight()
        self.kept: dict[str, Any] = {}
        """The stored matches at the time of a kill, by name."""

    def _straight(self) -> Record:
        home = self.home("straight")
        began = time.monotonic()
        play(home, *self.event)
        print(f"on one machine: {on_record(home):,} matches in {time.monotonic() - began:.0f} s", flush=True)
        return record(home)

    def home(self, name: str) -> Path:
        """A new one that has the bots."""
        return shutil.copytree(self.bots, self.machines.folder / "homes" / name)

    def begin(self, name: str) -> Path:
        """A tournament is under way, on both workers."""
        home = self.home(name)
        self.kept = {}
        self.machines.begin(home, *self.event)
        until(lambda: self.machines.plays("a", "b") and on_record(home), "both workers play")
        return home

    def note(self, home: Path) -> None:
        """What is on record from now on must stay."""
        self.kept |= acknowledged(home)

    def end(self, home: Path, *expected: str) -> None:
        """Waits for the end, and compares."""
        output = self.machines.end(PATIENCE)
        for words in expected:
            assert words in output, f"expected {words!r} in: {output}"
        check_equal(home, self.straight)
        assert board(home) == self.straight.board
        now = acknowledged(home)
        changed = [name for name, match in self.kept.items() if now.get(name) != match]
        assert not changed, f"what was on record is gone or changed: {changed}"


def acknowledged(home: Path) -> dict[str, Any]:
    """All that is on record of each match, times included: a match that was played again would have others."""
    with sqlite3.connect(f"file:{home / 'arena.db'}?mode=ro", uri=True) as connection:
        return {row[0]: row for row in connection.execute("SELECT name, * FROM matches")}


# What goes wrong


def worker_dies(trial: Trial) -> str:
    home = trial.begin("worker")
    trial.note(home)
    for table in trial.machines.freeze("a"):
        table.kill()
    trial.machines.kill("a")
    trial.end(home, "lost: a")
    trial.machines.start("a")
    return "worker a killed with all it had, and not started again"


def link_is_cut(trial: Trial, seconds: float = CUT_FOR) -> str:
    net = trial.machines.network
    assert net is not None
    home = trial.begin("link")
    trial.note(home)
    trial.machines.freeze("a")  # or its part of the tournament might be over before
    net.cut("a")
    trial.machines.thaw("a")
    time.sleep(seconds)
    net.restore("a")
    trial.end(home)
    until(lambda: "The scheduler is lost" in trial.machines.said(), "worker a has noticed")
    return f"the link of worker a cut for {seconds:g} s"


def link_is_bad(trial: Trial) -> str:
    net = trial.machines.network
    assert net is not None
    way = net.worsen("a", LATE, LOSS)
    took = connecting(trial.machines, "a")
    assert took > 2 * LATE, f"connecting took {took * 1e3:.0f} ms only"
    trial.end(trial.begin("line"))
    counts = net.mend("a")
    return f"{LATE * 1e3:g} ms each way and {LOSS:.0%} loss by {way}; {took * 1e3:.0f} ms to connect; {counts}"


def connecting(machines: Machines, host: str) -> float:
    """The seconds that it takes to connect to the scheduler from there."""
    code = (
        "import socket, sys, time; began = time.monotonic(); "
        "socket.create_connection((sys.argv[1], int(sys.argv[2]))); print(time.monotonic() - began)"
    )
    assert machines.network is not None
    command = [*machines.network.inside(host), sys.executable, "-c", code, machines.host, str(machines.port)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def scheduler_dies(trial: Trial) -> str:
    home = trial.begin("scheduler")
    trial.note(home)
    trial.machines.kill(HEAD)
    trial.machines.start(HEAD)
    trial.end(home, "the scheduler at")
    return "the scheduler killed and started again"


def worker_is_slow(trial: Trial) -> str:
    home = trial.begin("slow")
    tables = trial.machines.tables("a")
    for table in tables:
        table.suspend()
    until(lambda: "a worker is slow" in trial.machines.output(), "others play what the slow worker has")
    for table in tables:
        table.resume()
    trial.end(home, "a worker is slow")
    return "the tables of worker a stood still until others played its matches, too, and then went on"


def many_are_killed(trial: Trial, random: Random) -> str:
    """Half of the clients are killed as soon as they have written something, half of them at any moment before."""
    machines, home = trial.machines, trial.home("killed")
    trial.kept = {}
    machines.begin(home, *trial.event)
    until(lambda: on_record(home), "something is on record")
    victims = [DESK] * KILLS + [random.choice(["a", "b", HEAD]) for _ in range(KILLS)]
    random.shuffle(victims)
    clients = 0
    for victim in victims:
        before, moment = on_record(home), time.monotonic() + random.uniform(0.0, 1.0)
        if victim == DESK and random.random() < 0.5:
            moment += PATIENCE
        while time.monotonic() < moment and on_record(home) == before:
            time.sleep(0.02)
        if victim == DESK:
            clients += 1
            _go_on_after_a_kill(trial, home, there=clients % 2 == 0)
        else:
            machines.kill(victim)
            machines.start(victim)
    trial.end(home)
    counts = ", ".join(f"{victims.count(victim)} of {victim}" for victim in (DESK, HEAD, "a", "b"))
    return f"{len(victims)} kill -9 ({counts}), {len(trial.kept):,} matches on record at the last one of {DESK}"


def _go_on_after_a_kill(trial: Trial, home: Path, *, there: bool) -> None:
    machines = trial.machines
    assert machines.conductor is not None
    assert machines.conductor.poll() is None, "it was over before: play a longer event"
    machines.kill_conductor()
    trial.note(home)
    if there:
        machines.begin(home, "--resume")
    else:
        command = [*ARENA, "tournament", "--resume", "--home", str(home)]
        machines.conductor = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


# All of it


@contextmanager
def trial(rounds: int) -> Iterator[Trial]:
    """A cluster in namespaces, which is gone afterwards, whatever happens."""
    with TemporaryDirectory() as name, network((HEAD, "a", "b", DESK)) as net:
        machines = Machines(Path(name), port=8786, network=net)
        try:
            for host in (HEAD, "a", "b"):
                machines.start(host)
            yield Trial(machines, rounds)
        except BaseException:
            for log in sorted(machines.folder.glob("*.log")):
                print(f"--- {log.name}\n{log.read_text(encoding='utf-8')[-2000:]}")
            raise
        finally:
            machines.stop()
            until(lambda: not left(machines.folder), "all that played is gone")


def left(folder: Path) -> list[psutil.Process]:
    """Processes that still work for the cluster."""
    found = []
    for process in psutil.process_iter():
        try:
            if str(folder) in " ".join(process.cmdline()) or process.cwd().startswith(str(folder)):
                found.append(process)
        except psutil.Error:
            continue
    return found


def main() -> None:
    """The arguments are a seed for the kills, and the names of scenes where not all are wanted."""
    seed, *wanted = sys.argv[1:] or ["1"]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the namespaces are removed
    print(f"seed {seed}", flush=True)
    with trial(ROUNDS) as tried:
        scenes: list[tuple[str, Callable[[], str]]] = [
            ("worker", lambda: worker_dies(tried)),
            ("cut", lambda: link_is_cut(tried)),
            ("line", lambda: link_is_bad(tried)),
            ("scheduler", lambda: scheduler_dies(tried)),
            ("slow", lambda: worker_is_slow(tried)),
            ("kills", lambda: many_are_killed(tried, Random(seed))),
        ]
        names = [name for name, _ in scenes]
        if unknown := set(wanted) - set(names):
            sys.exit(
                f"usage: python -m tests.tournament.runners.dask.namespaces [SEED [{'|'.join(names)}]…], not {unknown}"
            )
        for name, scene in scenes:
            if wanted and name not in wanted:
                continue
            began = time.monotonic()
            what = scene()
            print(f"{what}: as on one machine, after {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
