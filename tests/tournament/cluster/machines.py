"""A real cluster on this machine: a scheduler and two workers, each a process that a test may kill and start again."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.cli.run import ARENA, ROOT

PATIENCE = 120.0


def wait_until(what: str, is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline, f"not within {PATIENCE:g} s: {what}"
        time.sleep(0.05)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@dataclass
class Machines:
    """The processes of a cluster."""

    folder: Path
    protocol: str = "tcp"
    options: Sequence[str] = ()
    port: int = field(default_factory=free_port)
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def address(self) -> str:
        return f"{self.protocol}://127.0.0.1:{self.port}"

    def cache(self, name: str) -> Path:
        """Where a worker has its bots."""
        return self.folder / f"cache-{name}"

    def start_scheduler(self) -> None:
        self._start("scheduler", "scheduler", "--port", str(self.port))

    def start_worker(self, name: str) -> None:
        self._start(name, "worker", self.address, "--cores", "1", "--name", name)

    def _start(self, name: str, *arguments: str) -> None:
        environment = {**os.environ, "ARENA_CLUSTER_CACHE": str(self.cache(name))}
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                [*ARENA, "cluster", *arguments, *self.options], cwd=ROOT, env=environment, stdout=log, stderr=log
            )

    def kill(self, name: str) -> None:
        """As a power cut does it."""
        process = self.processes.pop(name)
        process.kill()
        process.wait()

    def tables(self, name: str) -> list[psutil.Process]:
        """The worker's processes that play."""
        return psutil.Process(self.processes[name].pid).children()

    def plays(self, name: str) -> bool:
        """Whether bots run at the worker's tables."""
        try:
            return any(len(table.children(recursive=True)) > 1 for table in self.tables(name))
        except psutil.NoSuchProcess:  # one that has played for an earlier tournament ends just now
            return False

    def freeze(self, name: str) -> None:
        """From now on nothing comes from the worker, but nobody is told."""
        for process in (psutil.Process(self.processes[name].pid), *self.tables(name)):
            process.suspend()

    def stop(self) -> None:
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            process.wait(PATIENCE)

    def said(self) -> str:
        return "".join(log.read_text(encoding="utf-8") for log in self.folder.glob("*.log"))
