"""Whether the machine is overloaded, when wall time says little about the bots, and whether its memory is short."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

import psutil

from arena.referee.config import CONFIG

CONTROL_GROUPS = Path("/sys/fs/cgroup")
MEMORY_FILES = (
    ("memory.max", "memory.current", "memory.stat", "inactive_file"),
    ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat", "total_inactive_file"),
)
"""Of a container: the limit, the usage, and the part of it that is cached files; in both versions."""


class HostLoad:
    """Watches the machine while matches are played."""

    def __init__(self) -> None:
        self._last_overload = float("-inf")
        self._last_tick = time.monotonic()
        self._last_sample = self._last_tick
        self._ticks = (0, 0)
        self._cores = os.cpu_count() or 1

    def overloaded_since(self, moment: float) -> bool:
        return self._last_overload >= moment

    def sample(self, expected: float) -> None:
        """Check the load. Called periodically, `expected` seconds apart."""
        now = time.monotonic()
        if now - self._last_tick > expected + CONFIG.stall:
            self._last_overload = now
        self._last_tick = now
        if now - self._last_sample > CONFIG.load_interval:
            self._last_sample = now
            with contextlib.suppress(OSError, ValueError, IndexError):
                if self._is_crowded(Path("/proc/stat").read_text()):
                    self._last_overload = now

    def _is_crowded(self, stat: str) -> bool:
        ticks = [int(word) for word in stat.split("\n", 1)[0].split()[1:9]]
        before, self._ticks = self._ticks, (sum(ticks), ticks[7])
        passed, stolen = self._ticks[0] - before[0], self._ticks[1] - before[1]
        running = int(stat.split("procs_running ", 1)[1].split(None, 1)[0])
        crowded = running > CONFIG.runnable_per_core * self._cores
        return crowded or (before[0] > 0 and stolen > CONFIG.stolen_share * passed)


def share_of_memory_left(control_groups: Path = CONTROL_GROUPS) -> float:
    """Return the share of the memory that is available: of the machine, or of the container if that is less.

    It is 1 where that cannot be found out, because no files may be opened, for instance.
    """
    shares = [1.0]
    with contextlib.suppress(OSError):
        memory = psutil.virtual_memory()
        shares.append(memory.available / memory.total)
    for limit_file, usage_file, stat_file, cached in MEMORY_FILES:
        with contextlib.suppress(OSError, ValueError):  # the other version, or no limit
            limit = int((control_groups / limit_file).read_text())
            usage = int((control_groups / usage_file).read_text())
            stat = dict(line.split() for line in (control_groups / stat_file).read_text().splitlines())
            shares.append(1 - (usage - int(stat.get(cached, 0))) / limit)
    return min(shares)
