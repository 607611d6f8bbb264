"""The processes of a cluster: a scheduler, workers that come back when they have lost it, and both on this machine."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import uvloop
from distributed import Scheduler, Worker

from arena import interrupts, supervisor
from arena.errors import HostFault, refusal
from arena.tournament.runners.dask.link import CORE, NO_PAGES, Link, keep_quiet, security, spare_the_cores
from arena.tournament.runners.dask.worker import AT_A_TABLE, leave

UP_WITHIN = 60.0
"""Seconds in which a cluster on this machine must be up."""
LOOK = 0.1
"""Seconds between two looks at the processes."""
START_AGAIN_AFTER = 1.0
"""Seconds before a process that has ended is started again."""
PATIENCE = 10.0


class Server(Protocol):
    """A scheduler or a worker of Dask."""

    async def finished(self) -> None: ...

    async def close(self) -> object: ...


def told_to_stop() -> asyncio.Event:
    """Set by SIGTERM and Ctrl-C, from now on, whatever is being done when they come."""
    stop = asyncio.Event()
    interrupts.listen(stop.set)
    return stop


async def until_stopped(server: Server, stop: asyncio.Event) -> None:
    """Waits until the server ends, or ends it where it is told to stop."""
    stopping, ending = asyncio.ensure_future(stop.wait()), asyncio.ensure_future(server.finished())
    await asyncio.wait((stopping, ending), return_when=asyncio.FIRST_COMPLETED)
    if stop.is_set():
        await server.close()
    stopping.cancel()
    await asyncio.wait((ending,), timeout=PATIENCE)


def run_scheduler(host: str, port: int, certificates: Sequence[Path | None], ready: Callable[[str], None]) -> None:
    """Runs a scheduler until it is stopped. `ready` is told its address."""
    keep_quiet()
    spare_the_cores()
    ca, cert, key = certificates
    protocol = "tls" if ca else "tcp"

    async def serve() -> None:
        stop = told_to_stop()
        try:
            scheduler = await Scheduler(
                host=host,
                port=port,
                protocol=f"{protocol}://",
                security=security(ca, cert, key) or {},
                dashboard=False,
                dashboard_address=NO_PAGES,
            )
        except OSError as error:
            raise HostFault(f"no scheduler can listen at {refusal(error, f'{host}:{port}')}") from error
        keep_quiet()
        ready(scheduler.address)
        await until_stopped(scheduler, stop)

    uvloop.run(serve())


def run_worker(link: Link, cores: int, name: str, lost: Callable[[], None]) -> None:
    """Runs a worker until it is stopped. Dask's own ends when its scheduler is gone; this one waits for the next.

    `lost` is called when that happens.
    """
    spare_the_cores()

    async def make() -> Server:
        made: Server = await Worker(
            link.address,
            host=_own_address(link),
            name=name,
            nthreads=AT_A_TABLE * cores,
            resources={CORE: cores},
            security=link.security() or {},
            memory_limit=0,  # matches are played in other processes
            dashboard=False,
            dashboard_address=NO_PAGES,
        )
        return made

    async def serve() -> None:
        stop = told_to_stop()
        while not stop.is_set():
            keep_quiet()
            if (worker := await _unless_stopped(make(), stop)) is not None:
                await until_stopped(worker, stop)
                leave()
                if not stop.is_set():
                    lost()
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), START_AGAIN_AFTER)

    uvloop.run(serve())


def _own_address(link: Link) -> str:
    """The address by which the scheduler is reached. Dask would listen at all of them, to whoever comes by another."""
    host, _, port = link.address.partition("://")[2].rpartition(":")
    family, kind, _, _, there = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_DGRAM)[0]
    with socket.socket(family, kind) as asking:
        asking.connect(there)  # sends nothing
        return str(asking.getsockname()[0])


async def _unless_stopped(making: Coroutine[object, object, Server], stop: asyncio.Event) -> Server | None:
    """The worker, when it has found its scheduler; None where it is told to stop, or has failed."""
    made, stopping = asyncio.ensure_future(making), asyncio.ensure_future(stop.wait())
    await asyncio.wait((made, stopping), return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    made.cancel()  # does nothing where it is done
    try:
        return await made
    except (asyncio.CancelledError, OSError, ValueError, RuntimeError):
        return None  # the scheduler was there and is gone, or speaks another protocol


# Both on this machine


class LocalCluster:
    """A scheduler and workers on this machine, started again where one dies."""

    def __init__(self, workers: int, port: int, said: Callable[[str], None]) -> None:
        self.said = said
        self.port = port or _free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        arena = (sys.executable, "-m", "arena", "cluster")
        cores = sorted(os.sched_getaffinity(0))
        self._commands: list[tuple[str, tuple[str, ...], int | None]] = [
            ("the scheduler", (*arena, "scheduler", "--host", "127.0.0.1", "--port", str(self.port)), None)
        ]
        for number in range(workers):
            name = f"local-{number + 1}"
            core = cores[number] if workers == len(cores) else None
            command = (*arena, "worker", self.address, "--cores", "1", "--name", name)
            self._commands.append((f"worker {name}", command, core))
        self._processes: list[subprocess.Popen[bytes]] = []

    def run(self, ready: Callable[[str], None]) -> None:
        """Runs until SIGTERM or Ctrl-C raises here. `ready` is told the address when all workers are there."""
        try:
            self._processes = [self._start(command, core) for _, command, core in self._commands]
            self._wait_until_up()
            ready(self.address)
            while True:
                time.sleep(LOOK)
                self._start_again()
        finally:
            self._end()

    def _start(self, command: tuple[str, ...], core: int | None) -> subprocess.Popen[bytes]:
        def before() -> None:
            supervisor.die_with_parent(signal.SIGTERM)
            if core is not None:
                os.sched_setaffinity(0, {core})

        return subprocess.Popen(  # noqa: S603, our own
            command,
            preexec_fn=before,  # there is one thread here
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # Ctrl-C is for us, and we end them. No session of their own: the system gives each session an equal share
            # of a busy machine, so they would take more from others than processes of a tournament do.
            process_group=0,
        )

    def _wait_until_up(self) -> None:
        deadline = time.monotonic() + UP_WITHIN
        while time.monotonic() < deadline:
            if ended := [name for (name, _, _), process in self._pairs() if process.poll() is not None]:
                raise HostFault(
                    f"{' and '.join(ended)} ended at once: is port {self.port} taken? Choose another: --port 0"
                )
            if self._count() == len(self._commands) - 1:
                return
            time.sleep(LOOK)
        raise HostFault(f"the cluster was not up within {UP_WITHIN:g} s: the machine is too busy, or lacks memory.")

    def _pairs(self) -> Sequence[tuple[tuple[str, tuple[str, ...], int | None], subprocess.Popen[bytes]]]:
        return list(zip(self._commands, self._processes, strict=True))

    def _count(self) -> int:
        """How many workers the scheduler has."""
        from distributed import rpc

        async def ask() -> int:
            scheduler = rpc(self.address)
            try:
                return len((await scheduler.identity())["workers"])
            finally:
                await scheduler.close_rpc()

        with suppress(OSError, TimeoutError):
            with socket.create_connection(("127.0.0.1", self.port), timeout=1):
                pass  # somebody listens: only then it is worth asking, because asking waits for long
            return asyncio.run(ask())
        return 0

    def _start_again(self) -> None:
        for place, ((name, command, core), process) in enumerate(self._pairs()):
            if process.poll() is not None:
                self.said(f"{name} has ended with exit code {process.returncode}, and is started again.")
                time.sleep(START_AGAIN_AFTER)
                self._processes[place] = self._start(command, core)

    def _end(self) -> None:
        supervisor.end(*reversed(self._processes), grace=PATIENCE)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
