"""Child processes: how they end, and how they are ended.

Bots end in their sandbox's own way (referee/processes/child.py), because they may leave processes behind.
"""

from __future__ import annotations

import ctypes
import signal
import subprocess

Child = subprocess.Popen[bytes] | subprocess.Popen[str]

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
        try:
            child.wait(grace)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def exit_status(code: int) -> str:
    """Return `exit code 3` or `signal SIGSEGV`, of a code as `subprocess` has it."""
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
