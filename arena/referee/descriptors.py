"""Open files are looked at before they run out: a bot that nobody can let in would look like one that does not come."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
from pathlib import Path

from arena.errors import HostFault
from arena.sandbox import Cell

TO_SERVE = 16
"""So many files a referee opens before its first bot comes."""
FOR_A_BOT = 12
"""So many files are open while a bot is being started, and some to spare. Four of them stay open while it runs."""


SCARCE = 0.6
"""Open files become scarce when this part of those that we may have is open."""


def need_descriptors(count: int, who: str) -> None:
    """Raises HostFault unless so many more files may be opened."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        taken = len(list(Path("/proc/self/fd").iterdir()))
    except OSError as error:
        if error.errno not in (errno.EMFILE, errno.ENFILE):
            return  # a system that does not tell
        taken = most
    if taken + count > most != resource.RLIM_INFINITY:
        raise HostFault(f"{who} was not started: Too many open files, {most} are allowed: allow more with ulimit -n.")


def allow_open_files() -> None:
    """Takes all the open files that we may have: many systems give a process few unless it asks for more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def open_files_are_scarce() -> bool:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft != resource.RLIM_INFINITY and _count_files(os.getpid()) > SCARCE * soft


def open_files(cell: Cell) -> int:
    """How many the bot's processes hold together."""
    return sum(_count_files(pid) for pid in (cell.accounts.processes() if cell.accounts else ()))


def _count_files(pid: int) -> int:
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))  # noqa: PTH208, thousands of paths would be made for nothing
    except OSError:
        return 0
