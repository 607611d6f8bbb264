"""A cluster whose machines are network namespaces on a bridge: links can be cut, and nobody is told.

Runs by itself, because it takes minutes and needs root: `make cluster-test`. What must hold:
- a link that is cut for longer than Dask's patience, and comes back: the tournament ends as on one machine;
- ten kill -9 at random moments, of workers and of the scheduler: nothing is lost, nothing is counted twice.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from tests.cli.run import ARENA, ROOT, SLOW_MACHINE
from tests.tournament.test_tournaments import FIELD, board, kept, play, results

PREFIX = f"arena{os.getpid() % 10000}"
HOSTS = {"head": 1, "a": 2, "b": 3, "desk": 4}
ADDRESS = "tcp://10.213.7.1:8786"
EVENT = (*FIELD, "--seed", "namespaces", "--bracket", "mantis", *SLOW_MACHINE)
CUT_FOR = 45.0
"""Seconds: Dask calls a connection dead after 30."""
PATIENCE = 600.0


def ip(*words: str, check: bool = True) -> None:
    subprocess.run(("ip", *words), check=check, capture_output=True)


@contextmanager
def network() -> Iterator[None]:
    """A host for each name, all on one bridge."""
    bridge = f"{PREFIX}br"
    try:
        ip("link", "add", bridge, "type", "bridge")
        ip("link", "set", bridge, "up")
        for host, number in HOSTS.items():
            space, ours = f"{PREFIX}{host}", f"{PREFIX}v{number}"
            ip("netns", "add", space)
            ip("link", "add", ours, "type", "veth", "peer", "name", "eth0", "netns", space)
            ip("link", "set", ours, "master", bridge, "up")
            ip("-n", space, "addr", "add", f"10.213.7.{number}/24", "dev", "eth0")
            ip("-n", space, "link", "set", "eth0", "up")
            ip("-n", space, "link", "set", "lo", "up")
        yield
    finally:
        for host in HOSTS:
            ip("netns", "del", f"{PREFIX}{host}", check=False)
        ip("link", "del", bridge, check=False)


class Hosts:
    """What runs where."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, host: str) -> None:
        if host == "head":
            self.run(host, "cluster", "scheduler", "--host", "10.213.7.1")
        else:
            self.run(host, "cluster", "worker", ADDRESS, "--cores", "1", "--name", host)

    def run(self, host: str, *arguments: str) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "ARENA_CLUSTER_CACHE": str(self.folder / f"cache-{host}")}
        with (self.folder / f"{host}.log").open("ab") as log:
            command = ["ip", "netns", "exec", f"{PREFIX}{host}", *ARENA, *arguments]
            process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        self.processes[host] = process
        return process

    def kill(self, host: str) -> None:
        process = self.processes.pop(host)
        process.kill()
        process.wait()

    def link(self, host: str, state: str) -> None:
        ip("link", "set", f"{PREFIX}v{HOSTS[host]}", state)

    def stop(self) -> None:
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            process.wait(60)

    def tournament(self, name: str, *event: str) -> subprocess.Popen[bytes]:
        return self.run("desk", "tournament", *event, "--cluster", ADDRESS, "--home", str(self.folder / name))


def check_equal(folder: Path, name: str, straight: str) -> None:
    for look in (results, kept, board):
        assert look(folder / name) == look(folder / straight), f"{name}: not as on one machine: {look.__name__}"
    print(f"{name}: {len(results(folder / name)):,} seats, as on one machine")


def cut_and_restore(hosts: Hosts) -> None:
    event = (*EVENT, "--rounds", "3000")
    play(hosts.folder / "cut-straight", *event)
    conductor = hosts.tournament("cut", *event)
    time.sleep(5)
    hosts.link("a", "down")
    time.sleep(CUT_FOR)
    hosts.link("a", "up")
    assert conductor.wait(PATIENCE) == 0, "the tournament has failed"
    check_equal(hosts.folder, "cut", "cut-straight")


def killed_ten_times(hosts: Hosts, seed: str) -> None:
    event = (*EVENT, "--rounds", "6000")
    play(hosts.folder / "killed-straight", *event)
    random = Random(seed)
    conductor = hosts.tournament("killed", *event)
    kills = 0
    while kills < 10 and conductor.poll() is None:
        time.sleep(random.uniform(0.5, 4.0))
        victim = random.choice(["a", "b", "head"])
        hosts.kill(victim)
        hosts.start(victim)
        kills += 1
    assert conductor.wait(PATIENCE) == 0, "the tournament has failed"
    print(f"{kills} kill -9")
    check_equal(hosts.folder, "killed", "killed-straight")


def main() -> None:
    seed = sys.argv[1] if len(sys.argv) > 1 else "1"
    with tempfile.TemporaryDirectory() as name, network():
        hosts = Hosts(Path(name))
        try:
            for host in ("head", "a", "b"):
                hosts.start(host)
            cut_and_restore(hosts)
            killed_ten_times(hosts, seed)
        except BaseException:
            for log in sorted(hosts.folder.glob("*.log")):
                print(f"--- {log.name}\n{log.read_text(encoding='utf-8')[-2000:]}")
            raise
        finally:
            hosts.stop()


if __name__ == "__main__":
    main()
