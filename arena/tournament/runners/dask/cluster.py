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

from distributed import Scheduler, Worker

from arena import interrupts
from arena.errors import HostFault, refusal
from arena.requests import ClusterAddress
from arena.supervisor import die_with_parent, end, exit_status
from arena.tournament.config import CONFIG
from arena.tournament.runners.dask.link import CORE, configure_dask, connect, host_and_port, security
from arena.tournament.runners.dask.worker import leave

LOCALHOST = "127.0.0.1"
NO_DASHBOARD = {"dashboard": False, "dashboard_address": f"{LOCALHOST}:0"}
"""Dask's web server cannot be left out, but it has no pages (`DASK_SETTINGS`)."""


def run_scheduler(cluster: ClusterAddress, ready: Callable[[str], None]) -> None:
    """Run a scheduler until SIGINT or SIGTERM. `ready` gets its address, with a real port if that of `cluster` is 0."""
    host, port = host_and_port(cluster)

    async def serve() -> None:
        configure_dask()
        try:
            scheduler = await Scheduler(
                host=host,
                port=port,
                protocol="tls://" if cluster.ca else "tcp://",
                security=security(cluster) or {},
                **NO_DASHBOARD,
            )
        except OSError as error:
            raise HostFault(f"The scheduler cannot listen at {refusal(error, f'{host}:{port}')}") from error
        configure_dask()
        ready(scheduler.address)
        try:
            await scheduler.finished()
        finally:
            await scheduler.close()

    _run_until_stopped(serve())


def run_worker(cluster: ClusterAddress, cores: int, name: str, lost: Callable[[], None] = lambda: None) -> None:
    """Run a worker until SIGINT or SIGTERM. When the scheduler is lost, call `lost` and wait for the next one."""

    async def play() -> None:
        worker = await Worker(
            cluster.address,
            host=_own_address(cluster),
            name=name,
            nthreads=CONFIG.batches_per_core * cores,
            resources={CORE: cores},
            security=security(cluster) or {},
            memory_limit=0,  # matches are played in other processes
            **NO_DASHBOARD,
        )
        try:
            await worker.finished()
            lost()
        finally:
            await worker.close()
            leave()

    async def serve() -> None:
        while True:
            configure_dask()
            with suppress(OSError, ValueError, RuntimeError):  # lost again, or the scheduler uses another protocol
                await play()
            await asyncio.sleep(CONFIG.restart_delay)

    _run_until_stopped(serve())


def _run_until_stopped(job: Coroutine[object, object, None]) -> None:
    with suppress(KeyboardInterrupt, SystemExit):
        interrupts.run(job)


def _own_address(cluster: ClusterAddress) -> str:
    """Return the local address on the way to the scheduler: Dask would listen on all of them."""
    host, port = host_and_port(cluster)
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
        module = (sys.executable, "-P", "-m", "arena.tournament.runners.dask.cluster", str(self.port))
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
        with suppress(HostFault), connect(ClusterAddress(address=self.address), timeout=1) as client:
            return len(client.nthreads())
        return 0


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind((LOCALHOST, 0))
        return int(listener.getsockname()[1])


def main() -> None:
    """Run a process of a local cluster, the scheduler or a worker. The arguments are `PORT [WORKER [CORE]]`."""
    port, worker, core = (*sys.argv[1:], None, None)[:3]
    interrupts.install()
    parent = os.getppid()
    die_with_parent(signal.SIGTERM)
    if os.getppid() != parent:
        return  # the parent has ended before that
    if core is not None:
        os.sched_setaffinity(0, {int(core)})
    cluster = ClusterAddress(address=f"tcp://{LOCALHOST}:{port}")
    if worker is None:
        run_scheduler(cluster, lambda _: None)
    else:
        run_worker(cluster, 1, worker)


if __name__ == "__main__":
    main()
