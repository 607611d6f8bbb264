"""A process and its descendants, for tiers without control groups: CPU time, memory, stop and continue.

The CPU time is read from the kernel's clock of each process. The descendants are looked up at intervals, because that
means reading all of /proc; a process that lives shorter than an interval may be missed.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections import defaultdict
from pathlib import Path

from arena.sandbox.config import CONFIG

PAGE = os.sysconf("SC_PAGE_SIZE")


class ProcessTable:
    """The children of every process of this machine, shared by all process trees."""

    def __init__(self) -> None:
        self.children: dict[int, list[int]] = {}
        self.read = 0.0

    def descendants(self, pid: int) -> list[int]:
        found = [pid]
        for each in found:
            found += self.children.get(each, ())
        return found

    def refresh(self) -> None:
        self.read = time.monotonic()
        children: defaultdict[int, list[int]] = defaultdict(list)
        try:
            for entry in os.listdir("/proc"):  # noqa: PTH208, a Path for each would take too long
                if entry.isdigit():
                    try:
                        with open(f"/proc/{entry}/stat", "rb", 0) as file:  # noqa: PTH123, there may be thousands
                            stat = file.read()
                    except (FileNotFoundError, ProcessLookupError, PermissionError):
                        continue
                    # "1234 (any name) S 1 …": the parent is the second word after the name.
                    children[int(stat[stat.rindex(b")") + 2 :].split(None, 2)[1])].append(int(entry))
        except OSError:  # no file descriptors left: keep the previous table
            return
        self.children = dict(children)


_table = ProcessTable()


def descendants(pid: int) -> list[int]:
    """Return the descendants of a process, which may have ended or started in the last moments."""
    if time.monotonic() - _table.read > CONFIG.recent:
        _table.refresh()
    return _table.descendants(pid)[1:]


def reap_init_processes() -> None:
    """Reap dead init processes of sandboxes. They become our children if bubblewrap ends before them."""
    _table.refresh()
    for pid in _table.children.get(os.getpid(), ()):
        with contextlib.suppress(OSError):
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
            is_first = any(line.startswith("NSpid:") and line.split()[2:] == ["1"] for line in lines)
            if is_first and any(line.startswith("State:\tZ") for line in lines):
                os.waitpid(pid, os.WNOHANG)


def wait_until_stopped(pid: int) -> None:
    """Wait until a process has stopped after SIGSTOP. Until then it may start other processes."""
    deadline = time.monotonic() + CONFIG.stop_timeout
    with contextlib.suppress(OSError):  # it has ended
        while time.monotonic() < deadline:
            stat = Path(f"/proc/{pid}/stat").read_bytes()
            if stat[stat.rindex(b")") + 2 :][:1] in b"TtZX":
                return
            time.sleep(0.0005)


def cpu_clock(pid: int) -> int:
    """Return the id of the clock that counts the CPU time of all threads of a process."""
    return (~pid << 3) | 2


class ProcessTree:
    """A process with all its descendants."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._used = {pid: 0}
        """The last known CPU time of each process in ns, including those that have ended."""
        self._alive = [pid]
        self._refreshed = 0.0

    def _refresh(self, *, now: bool = False) -> None:
        if now or time.monotonic() - _table.read > CONFIG.tree_interval:
            _table.refresh()
        if self._refreshed != _table.read:
            self._refreshed = _table.read
            self._alive = _table.descendants(self.pid)

    def processes(self) -> list[int]:
        self._refresh(now=True)
        return self._alive

    def cpu_ns(self) -> int:
        """Return the CPU time of all processes."""
        self._refresh()
        used = self._used
        for pid in self._alive:
            try:
                used[pid] = max(used.get(pid, 0), time.clock_gettime_ns(cpu_clock(pid)))
            except OSError:  # it has ended
                continue
        return sum(used.values())

    def freeze(self, frozen: bool) -> None:
        self._refresh()  # new processes are found at the next interval: reading /proc for each turn takes too long
        for pid in self._alive:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGSTOP if frozen else signal.SIGCONT)

    def memory(self, limit: int) -> int:
        """Return the memory of all processes in bytes; exact only near `limit`, and otherwise an upper bound."""
        self._refresh()
        resident = sum(_resident(pid) for pid in self._alive)
        # The exact figure takes long, so it is read only if the upper bound reaches the limit.
        return resident if resident < limit else sum(_proportional(pid) for pid in self._alive)


def _resident(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    return 0


def _proportional(pid: int) -> int:
    """Return the process's own memory and its part of shared memory, in bytes."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return _resident(pid)
