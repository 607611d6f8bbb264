"""A real cluster: a scheduler, workers and a client, each a process that a test may kill and start again.

They are on this machine, or each on a host of its own in a network of namespaces.
"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from distributed import rpc

from tests.support.cli import ARENA, ROOT
from tests.tournament.runners.dask.network import Network

PATIENCE = 120.0
HEAD, DESK = "head", "desk"
"""The hosts of the scheduler and the client. Workers have the names of theirs."""


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
    network: Network | None = None
    """None: all are on this machine."""
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    conductor: subprocess.Popen[bytes] | None = None
    earlier: set[psutil.Process] = field(default_factory=set)
    """Processes that still played for an earlier tournament when the latest began."""

    @property
    def host(self) -> str:
        return self.network.address(HEAD) if self.network else "127.0.0.1"

    @property
    def address(self) -> str:
        return f"{self.protocol}://{self.host}:{self.port}"

    def cache(self, name: str) -> Path:
        """Where a worker has its bots."""
        return self.folder / f"cache-{name}"

    def start(self, name: str) -> None:
        if name == HEAD:
            arguments = ["scheduler", "--host", self.host, "--port", str(self.port)]
        else:
            arguments = ["worker", self.address, "--cores", "1", "--name", name]
        environment = {**os.environ, "ARENA_CLUSTER_CACHE": str(self.cache(name))}
        command = [*self._on(name), *ARENA, "cluster", *arguments, *self.options]
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)

    def _on(self, host: str) -> Sequence[str]:
        return self.network.inside(host) if self.network else ()

    def begin(self, home: Path, *arguments: str) -> subprocess.Popen[bytes]:
        """Begins a tournament on the cluster."""
        workers = [name for name in self.processes if name != HEAD]
        self.earlier = {table for name in workers for table in self.tables(name)}
        command = [*self._on(DESK), *ARENA, "tournament", *arguments, "--cluster", self.address, "--home", str(home)]
        with (self.folder / f"{DESK}.log").open("wb") as log:
            self.conductor = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
        return self.conductor

    def output(self) -> str:
        """What the conductor of the latest tournament has said."""
        return " ".join((self.folder / f"{DESK}.log").read_text(encoding="utf-8").split())

    def end(self, patience: float = PATIENCE) -> str:
        """Waits for the end of the tournament. Returns what was said in it."""
        assert self.conductor is not None, "a tournament was started"
        assert self.conductor.wait(patience) == 0, self.output()
        assert "Traceback" not in self.output()
        return self.output()

    def kill(self, name: str) -> None:
        """As a power cut does it."""
        process = self.processes.pop(name)
        process.kill()
        process.wait()

    def kill_conductor(self) -> None:
        assert self.conductor is not None, "a tournament was started"
        self.conductor.kill()
        self.conductor.wait()

    def workers(self) -> int:
        """How many have found the scheduler."""

        async def ask() -> int:
            scheduler = rpc(self.address)
            try:
                return len((await scheduler.identity())["workers"])
            finally:
                await scheduler.close_rpc()

        with suppress(OSError), socket.create_connection((self.host, self.port)):  # or asking would wait for long
            return asyncio.run(ask())
        return 0

    def tables(self, name: str) -> list[psutil.Process]:
        """The worker's processes that play."""
        return psutil.Process(self.processes[name].pid).children()

    def plays(self, *names: str) -> bool:
        """Whether bots run at the tables of these workers, in the latest tournament."""
        try:
            return all(
                any(len(table.children(recursive=True)) > 1 for table in self.tables(name) if table not in self.earlier)
                for name in names
            )
        except psutil.NoSuchProcess:  # one that has played for an earlier tournament ends just now
            return False

    def freeze(self, name: str) -> list[psutil.Process]:
        """Stop a worker without closing its connections. Return its worker processes."""
        psutil.Process(self.processes[name].pid).suspend()  # first: it could end the others meanwhile
        tables = self.tables(name)
        for table in tables:
            table.suspend()
        return tables

    def thaw(self, name: str) -> None:
        for table in self.tables(name):  # before the worker, which may end them at once
            with suppress(psutil.NoSuchProcess):  # one whose work is done has ended by itself
                table.resume()
        psutil.Process(self.processes[name].pid).resume()

    def stop(self) -> None:
        if self.conductor is not None and self.conductor.poll() is None:
            self.kill_conductor()
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            process.wait(PATIENCE)

    def said(self) -> str:
        return "".join(log.read_text(encoding="utf-8") for log in self.folder.glob("*.log"))
