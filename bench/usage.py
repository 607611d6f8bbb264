"""Run a command and measure what it and all the processes that it starts use.

- The total is exact: the kernel adds up the CPU time of all processes that ended, orphans included.
- The shares of single processes are sampled while they live; what a process uses after its last sample is part of the
  total only, and is listed as `other`.
- The cost of starting is separated by running two lengths: see `Usage.minus`.
"""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import time
import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import psutil

SAMPLING_SECONDS = 0.01
PATIENCE_SECONDS = 900.0
"""A command that takes longer is killed."""
SAMPLES_PER_SEARCH = 10
"""Reading a clock is cheap, searching for new processes is not."""
REAPING_SECONDS = 10.0
PR_SET_CHILD_SUBREAPER = 36
OTHER = "other"
WORKER_MODULES = ("arena.tournament.runners", "multiprocessing.spawn")
"""How the command lines of workers are recognised; the second is that of earlier commits."""


class CommandFailed(Exception):
    """Raised when a command ends with an error or takes too long; the message has its last output."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a command used."""

    seconds: float
    cpu: float
    by_process: Mapping[str, float]
    """CPU seconds of each kind of process."""
    printed: str

    def minus(self, shorter: Usage) -> Usage:
        """Return what the longer of two runs used more: the cost of its additional work, without that of starting."""
        names = self.by_process.keys() | shorter.by_process.keys()
        more = {name: self.by_process.get(name, 0.0) - shorter.by_process.get(name, 0.0) for name in sorted(names)}
        return Usage(self.seconds - shorter.seconds, self.cpu - shorter.cpu, more, self.printed)


def measure(command: Sequence[str], cwd: Path, *, main: str = "main", env: Mapping[str, str] | None = None) -> Usage:
    """Run the command. `main` is the name of its own process in the result. Raise `CommandFailed`."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)  # orphans become our children, so their CPU time is added up
    before, began = _cpu_of_children(), time.perf_counter()
    with (cwd / "printed").open("w+") as output, (cwd / "errors").open("w+") as errors:
        process = subprocess.Popen(  # noqa: S603, our own
            command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, env={**os.environ, **(env or {})}
        )
        sampler = _Sampler(process.pid, main)
        for number in count():
            if number % SAMPLES_PER_SEARCH == 0:
                sampler.search()
            sampler.sample()
            with suppress(subprocess.TimeoutExpired):
                code = process.wait(SAMPLING_SECONDS)
                break
            if time.perf_counter() > began + PATIENCE_SECONDS:
                process.kill()
        seconds = time.perf_counter() - began
        _reap_orphans()
        output.seek(0)
        errors.seek(0)
        if code:
            raise CommandFailed(f"{' '.join(command)}: exit code {code}\n{errors.read()[-2000:]}")
        cpu = _cpu_of_children() - before
        shares = sampler.by_process()
        shares[OTHER] = shares.get(OTHER, 0.0) + cpu - sum(shares.values())
        return Usage(seconds, cpu, shares, output.read())


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _reap_orphans() -> None:
    deadline = time.monotonic() + REAPING_SECONDS
    with suppress(ChildProcessError):
        while time.monotonic() < deadline:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):  # there are some, and none has ended
                time.sleep(0.01)


class _Sampler:
    """Reads the CPU clocks of a process and its descendants."""

    def __init__(self, pid: int, main: str) -> None:
        self._root = psutil.Process(pid)
        self._names = {pid: main}
        self._cpu: dict[int, float] = {}

    def search(self) -> None:
        """Find processes that were started since."""
        with suppress(psutil.NoSuchProcess):
            for child in self._root.children(recursive=True):
                if self._names.get(child.pid, OTHER) == OTHER:  # a new process still has its parent's command line
                    self._names[child.pid] = name_of(child)

    def sample(self) -> None:
        for pid in self._names:
            with suppress(OSError):
                # The kernel's number for the CPU clock of all threads of another process, as clock_getcpuclockid
                # makes it. It is exact to the nanosecond; /proc/PID/stat counts hundredths of a second.
                self._cpu[pid] = time.clock_gettime((~pid << 3) | 2)

    def by_process(self) -> dict[str, float]:
        total: dict[str, float] = defaultdict(float)
        for pid, cpu in self._cpu.items():
            total[self._names[pid]] += cpu
        return dict(total)


def name_of(process: psutil.Process) -> str:
    """Return `worker`, the name of the bot in whose folder the process runs, or `other`."""
    with suppress(psutil.Error, OSError, tomllib.TOMLDecodeError, KeyError):
        if any(module in word for word in process.cmdline() for module in WORKER_MODULES):
            return "worker"
        return str(tomllib.loads((Path(process.cwd()) / "arena.toml").read_text("utf-8"))["name"])
    return OTHER
