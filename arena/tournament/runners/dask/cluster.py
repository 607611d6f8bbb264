"""The processes of a cluster: a scheduler, workers that reconnect, and both on this machine."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Protocol

import uvloop
from distributed import Scheduler, Worker, rpc

from arena import interrupts
from arena.errors import HostFault, refusal
from arena.supervisor import die_with_parent, end, exit_status
from arena.tournament.config import CONFIG
from arena.tournament.runners.dask.link import CORE, Certificates, ClusterLink, configure_dask
from arena.tournament.runners.dask.worker import leave

LOCALHOST = "127.0.0.1"
NO_DASHBOARD = {"dashboard": False, "dashboard_address": f"{LOCALHOST}:0"}
"""Dask's web server cannot be left out, but it has no pages (`DASK_SETTINGS`)."""


class DaskServer(Protocol):
    """A scheduler or a worker of Dask."""

    async def finished(self) -> None: ...

    async def close(self) -> object: ...


def run_scheduler(host: str, port: int, certificates: Certificates, ready: Callable[[str], None]) -> None:
    """Run a scheduler until SIGINT or SIGTERM. `ready` gets its address."""
    configure_dask()

    async def serve() -> None:
        stop = _stop_event()
        try:
            scheduler = await Scheduler(
                host=host,
                port=port,
                protocol="tls://" if certificates.ca else "tcp://",
                security=certificates.security() or {},
                **NO_DASHBOARD,
            )
        except OSError as error:
            raise HostFault(f"The scheduler cannot listen at {refusal(error, f'{host}:{port}')}") from error
        configure_dask()
        ready(scheduler.address)
        await _until_stopped(scheduler, stop)

    uvloop.run(serve())


def run_worker(link: ClusterLink, cores: int, name: str, lost: Callable[[], None] = lambda: None) -> None:
    """Run a worker until SIGINT or SIGTERM. When the scheduler is lost, call `lost` and wait for the next one."""
    configure_dask()

    async def make() -> DaskServer:
        made: DaskServer = await Worker(
            link.address,
            host=_own_address(link),
            name=name,
            nthreads=CONFIG.batches_per_core * cores,
            resources={CORE: cores},
            security=link.certificates.security() or {},
            memory_limit=0,  # matches are played in other processes
            **NO_DASHBOARD,
        )
        return made

    async def serve() -> None:
        stop = _stop_event()
        while not stop.is_set():
            configure_dask()
            if (worker := await _unless_stopped(make(), stop)) is not None:
                await _until_stopped(worker, stop)
                leave()
                if not stop.is_set():
                    lost()
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), CONFIG.restart_delay)

    uvloop.run(serve())


def _stop_event() -> asyncio.Event:
    stop = asyncio.Event()
    interrupts.listen(stop.set)
    return stop


async def _until_stopped(server: DaskServer, stop: asyncio.Event) -> None:
    """Wait until the server ends, or close it when `stop` is set."""
    stopping, ending = asyncio.ensure_future(stop.wait()), asyncio.ensure_future(server.finished())
    await asyncio.wait((stopping, ending), return_when=asyncio.FIRST_COMPLETED)
    if stop.is_set():
        await server.close()
    stopping.cancel()
    await asyncio.wait((ending,), timeout=CONFIG.stop_timeout)


async def _unless_stopped(making: Coroutine[object, object, DaskServer], stop: asyncio.Event) -> DaskServer | None:
    """Return the worker when it is connected; None if it has failed or `stop` is set."""
    made, stopping = asyncio.ensure_future(making), asyncio.ensure_future(stop.wait())
    await asyncio.wait((made, stopping), return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    made.cancel()  # has no effect if it is done
    try:
        return await made
    except (asyncio.CancelledError, OSError, ValueError, RuntimeError):
        return None  # the scheduler was lost again, or uses another protocol


def _own_address(link: ClusterLink) -> str:
    """Return the local address on the way to the scheduler: Dask would listen on all of them."""
    host, port = link.host_and_port
    family, kind, _, _, there = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
    with socket.socket(family, kind) as probe:
        probe.connect(there)  # sends nothing
        return str(probe.getsockname()[0])


# A cluster on this machine


class LocalCluster:
    """A scheduler and workers on this machine, each with one core, started again when one dies."""

    def __init__(self, workers: int, port: int, log: Callable[[str], None]) -> None:
        self.log = log
        self.port = port or _free_port()
        self.address = f"tcp://{LOCALHOST}:{self.port}"
        cores = sorted(os.sched_getaffinity(0))
        self._arguments: dict[str, tuple[str, ...]] = {"the scheduler": ()}
        for number in range(workers):
            core = (str(cores[number]),) if workers == len(cores) else ()
            self._arguments[f"worker local-{number + 1}"] = (f"local-{number + 1}", *core)
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def run(self, ready: Callable[[str], None]) -> None:
        """Run until SIGINT or SIGTERM raises. `ready` gets the address when all workers are connected."""
        try:
            for name in self._arguments:
                self._start(name)
            self._wait_until_connected()
            ready(self.address)
            while True:
                time.sleep(CONFIG.poll_interval)
                for name, process in self._processes.items():
                    if process.poll() is not None:
                        self.log(f"{name} has ended ({exit_status(process.returncode)}) and is started again.")
                        time.sleep(CONFIG.restart_delay)
                        self._start(name)
        finally:
            end(*reversed(self._processes.values()), grace=CONFIG.stop_timeout)

    def _start(self, name: str) -> None:
        module = (sys.executable, "-P", "-m", "arena.tournament.runners.dask", str(self.port))
        self._processes[name] = subprocess.Popen(  # noqa: S603, our own
            (*module, *self._arguments[name]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,  # Ctrl-C is for this process, which then ends the others
        )

    def _wait_until_connected(self) -> None:
        deadline = time.monotonic() + CONFIG.cluster_start_timeout
        while time.monotonic() < deadline:
            if ended := [name for name, process in self._processes.items() if process.poll() is not None]:
                raise HostFault(
                    f"{' and '.join(ended)} ended at once: port {self.port} may be in use.", hint="Add `--port 0`."
                )
            if self._count_workers() == len(self._processes) - 1:
                return
            time.sleep(CONFIG.poll_interval)
        raise HostFault(
            f"The cluster did not start within {CONFIG.cluster_start_timeout:g} s: the machine is too busy or lacks "
            "memory."
        )

    def _count_workers(self) -> int:
        """Return the number of workers that the scheduler knows."""

        async def ask() -> int:
            scheduler = rpc(self.address)
            try:
                return len((await scheduler.identity())["workers"])
            finally:
                await scheduler.close_rpc()

        with suppress(OSError, TimeoutError):
            with socket.create_connection((LOCALHOST, self.port), timeout=1):
                pass  # without a listener `ask` would take long
            return asyncio.run(ask())
        return 0


def run_local(port: int, worker: str | None) -> None:
    """Run a process of a local cluster: the scheduler, or the worker with this name."""
    parent = os.getppid()
    die_with_parent(signal.SIGTERM)
    if os.getppid() != parent:
        return  # the parent has ended before that
    if worker is None:
        run_scheduler(LOCALHOST, port, Certificates(), lambda _: None)
    else:
        run_worker(ClusterLink(f"tcp://{LOCALHOST}:{port}"), 1, worker)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind((LOCALHOST, 0))
        return int(listener.getsockname()[1])
