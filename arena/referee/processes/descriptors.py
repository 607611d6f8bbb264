"""Checks file descriptors before they run out: a bot whose connection cannot be accepted looks like one that hangs."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import sys
from collections.abc import Iterator

from arena.errors import HostFault
from arena.referee.config import CONFIG
from arena.sandbox import Cell


def need_descriptors(count: int, who: str) -> None:
    """Raise `HostFault` if fewer than `count` more files can be opened."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if open_files() + count > limit != resource.RLIM_INFINITY:
        raise HostFault(f"{who} was not started: Too many open files: the limit is {limit}. Raise it with `ulimit -n`.")


def allow_open_files() -> None:
    """Raise the soft limit of open files to the hard limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def open_files() -> int:
    """Return the number of open files; the limit, if none is left to find out."""
    try:
        return len(os.listdir("/proc/self/fd"))  # noqa: PTH208, it may be thousands
    except OSError as error:
        if error.errno not in (errno.EMFILE, errno.ENFILE):
            return 0  # no /proc
        return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def bots_that_fit_into_open_files() -> int:
    """Return how many bots can run at the same time without reaching the limit of open files."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY:
        return sys.maxsize
    return (limit - CONFIG.usual_files) // CONFIG.files_per_running_bot


class SpareDescriptors:
    """File descriptors held in reserve for when the limit is reached: counting open files needs some."""

    def __init__(self) -> None:
        self._files: list[int] = []
        self._take()

    def _take(self) -> None:
        with contextlib.suppress(OSError):
            while len(self._files) < CONFIG.spare_files:
                self._files.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))

    def close(self) -> None:
        while self._files:
            os.close(self._files.pop())

    @contextlib.contextmanager
    def lent(self) -> Iterator[None]:
        """Free the reserve within the block."""
        self.close()
        try:
            yield
        finally:
            self._take()


def open_sockets(cell: Cell) -> int:
    """Return the number of sockets that the bot's processes have open."""
    return sum(_sockets_of(pid) for pid in cell.processes())


def _sockets_of(pid: int) -> int:
    folder = f"/proc/{pid}/fd"
    sockets = 0
    with contextlib.suppress(OSError):  # it has just ended, or belongs to another user
        for file in os.listdir(folder):  # noqa: PTH208, a Path for each costs too much
            with contextlib.suppress(OSError):
                sockets += os.readlink(f"{folder}/{file}").startswith("socket:")  # noqa: PTH115
    return sockets
