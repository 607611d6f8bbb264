"""A process and its descendants, where there is no control group: their processor time, their memory, stop and go on.

The kernel keeps a clock for the processor time of every process, which anybody may read. Who belongs to the family is
looked up now and then, because that means reading all of /proc; a process that lives shorter than that is missed.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections import defaultdict
from pathlib import Path

LOOK_AGAIN = 0.25
"""Seconds after which the families are looked up anew."""
STOPPED_WITHIN = 1.0
"""Seconds in which a process stops that is told to, unless the kernel has something else to do with it."""
PAGE = os.sysconf("SC_PAGE_SIZE")


class ProcessTable:
    """Who is whose child on this machine, read once for all families."""

    def __init__(self) -> None:
        self._children: dict[int, list[int]] = {}
        self.read = 0.0

    def children(self, pid: int) -> list[int]:
        return self._children.get(pid, [])

    def descendants(self, pid: int) -> list[int]:
        found = [pid]
        for each in found:
            found += self._children.get(each, ())
        return found

    def look(self) -> None:
        self.read = time.monotonic()
        children: defaultdict[int, list[int]] = defaultdict(list)
        try:
            for entry in os.listdir("/proc"):  # noqa: PTH208, a Path for each would take longer than the rest
                if entry.isdigit():
                    with contextlib.suppress(FileNotFoundError, ProcessLookupError, PermissionError):
                        # "1234 (name, which may hold anything) S 1 …": the parent is the second word behind the name.
                        stat = Path("/proc", entry, "stat").read_bytes()
                        children[int(stat[stat.rindex(b")") + 2 :].split(None, 2)[1])].append(int(entry))
        except OSError:  # there are no open files left: what was known before must do
            return
        self._children = dict(children)


_table = ProcessTable()


def reap_init_processes() -> None:
    """Buries what has become our child, because bubblewrap ended before the first process of its box, and has ended."""
    _table.look()
    for pid in _table.children(os.getpid()):
        with contextlib.suppress(OSError):
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
            is_first = any(line.startswith("NSpid:") and line.split()[2:] == ["1"] for line in lines)
            if is_first and any(line.startswith("State:\tZ") for line in lines):
                os.waitpid(pid, os.WNOHANG)


def wait_until_stopped(pid: int) -> None:
    """Waits until a process that was sent SIGSTOP does nothing more: until then it may still start others."""
    deadline = time.monotonic() + STOPPED_WITHIN
    with contextlib.suppress(OSError):  # it is gone
        while time.monotonic() < deadline:
            stat = Path(f"/proc/{pid}/stat").read_bytes()
            if stat[stat.rindex(b")") + 2 :][:1] in b"TtZX":
                return
            time.sleep(0.0005)


def cpu_clock(pid: int) -> int:
    """The number of the clock that counts the processor time of all threads of a process."""
    return (~pid << 3) | 2


class ProcessTree:
    """A process with all its descendants."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._used = {pid: 0}
        """The processor time of each, in ns, when it was last looked at. Who has ended keeps it."""
        self._alive = [pid]
        self._looked = 0.0

    def _look(self, *, now: bool = False) -> None:
        if now or time.monotonic() - _table.read > LOOK_AGAIN:
            _table.look()
        if self._looked != _table.read:
            self._looked = _table.read
            self._alive = _table.descendants(self.pid)

    def processes(self) -> list[int]:
        self._look(now=True)
        return self._alive

    def cpu_ns(self) -> int:
        """The processor time of all of them."""
        self._look()
        for pid in self._alive:
            with contextlib.suppress(OSError):
                self._used[pid] = max(self._used.get(pid, 0), time.clock_gettime_ns(cpu_clock(pid)))
        return sum(self._used.values())

    def freeze(self, frozen: bool) -> None:
        for pid in self.processes() if frozen else self._alive:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGSTOP if frozen else signal.SIGCONT)

    def memory(self, limit: int) -> int:
        """The bytes of memory that they hold. What several of them share is counted once where it matters."""
        self._look()
        resident = sum(_resident(pid) for pid in self._alive)
        # The exact figure is dear: it is asked for only where the cheap one, which is too high, comes near the limit.
        return resident if resident < limit else sum(_proportional(pid) for pid in self._alive)


def _resident(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    return 0


def _proportional(pid: int) -> int:
    """Its own memory and its part of what it shares."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return _resident(pid)
