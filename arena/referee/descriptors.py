"""Open files are looked at before they run out: a bot that nobody can let in would look like one that does not come."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
from collections.abc import Iterator

from arena.errors import HostFault
from arena.sandbox import Cell

TO_SERVE = 16
"""So many files a referee opens before its first bot comes."""
FOR_A_BOT = 12
"""So many files are open while a bot is being started, and some to spare. Four of them stay open while it runs."""
USUAL_FILES = 100
"""So many files a referee and its program have open at the most, besides those for bots."""
TO_LOOK_AROUND = 4
"""So many files are kept for the moment when there are no others."""


def need_descriptors(count: int, who: str) -> None:
    """Raises HostFault unless so many more files may be opened."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken = open_files()
    if taken + count > most != resource.RLIM_INFINITY:
        raise HostFault(f"{who} was not started: Too many open files, {most} are allowed: allow more with ulimit -n.")


def allow_open_files() -> None:
    """Takes all the open files that we may have: many systems give a process few unless it asks for more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def open_files() -> int:
    """How many we have open; all that we may have, where there are none left to find out."""
    try:
        return len(os.listdir("/proc/self/fd"))  # noqa: PTH208, it may be thousands
    except OSError as error:
        if error.errno not in (errno.EMFILE, errno.ENFILE):
            return 0  # a system that does not tell
        return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


class Spare:
    """A few open files for the moment when there are no others: to look around takes some."""

    def __init__(self) -> None:
        self._files: list[int] = []
        self._take()

    def _take(self) -> None:
        with contextlib.suppress(OSError):
            while len(self._files) < TO_LOOK_AROUND:
                self._files.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))

    def close(self) -> None:
        while self._files:
            os.close(self._files.pop())

    @contextlib.contextmanager
    def lent(self) -> Iterator[None]:
        """While this lasts there are some."""
        self.close()
        try:
            yield
        finally:
            self._take()


def open_sockets(cell: Cell) -> int:
    """How many sockets the bot's processes have open together."""
    return sum(_sockets_of(pid) for pid in (cell.accounts.processes() if cell.accounts else ()))


def _sockets_of(pid: int) -> int:
    folder = f"/proc/{pid}/fd"
    sockets = 0
    with contextlib.suppress(OSError):  # it has just ended, or is not ours to look at
        for file in os.listdir(folder):  # noqa: PTH208, a Path for each would be made for nothing
            with contextlib.suppress(OSError):
                sockets += os.readlink(f"{folder}/{file}").startswith("socket:")  # noqa: PTH115
    return sockets
