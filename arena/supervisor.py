"""Child processes: how they end, and how they are ended.

Bots end in their sandbox's own way (referee/processes/child.py), because they may leave processes behind.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import subprocess
from multiprocessing.process import BaseProcess

Child = subprocess.Popen[bytes] | subprocess.Popen[str] | BaseProcess

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


def end(*children: Child, grace: float, terminate: bool = True) -> None:
    """Send SIGTERM to the processes, wait up to `grace` seconds for each to exit, and kill those that do not.

    `terminate=False` is for processes that have been asked to exit in another way.
    """
    if terminate:
        for child in children:
            child.terminate()
    for child in children:
        if not exits(child, grace):
            child.kill()
            exits(child, None)


def exits(child: Child, seconds: float | None) -> bool:
    """Wait for the process to exit, `seconds` at most (None: without limit). Return whether it has."""
    if isinstance(child, BaseProcess):
        child.join(seconds)
        return not child.is_alive()
    if seconds is None:
        child.wait()
    elif child.poll() is None:
        with contextlib.suppress(ProcessLookupError):  # another thread has waited for it
            file = os.pidfd_open(child.pid)  # unlike Popen.wait with a timeout, this does not poll
            try:
                poll = select.poll()
                poll.register(file, select.POLLIN)
                poll.poll(1000 * seconds)
            finally:
                os.close(file)
    return child.poll() is not None


def exit_status(code: int) -> str:
    """Return `exit code 3` or `signal SIGSEGV`, of a code as `subprocess` and `multiprocessing` have it."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


def die_with_parent(sign: signal.Signals) -> None:
    """Let the kernel send this process the signal when its parent ends. Linux only."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, sign, 0, 0, 0)


def adopt_orphans() -> None:
    """Make this process the parent of descendants whose parents have ended, so that they can be found."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
