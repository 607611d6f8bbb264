"""Whether the machine is overloaded: then wall time says little about the bots."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from arena.referee.config import CONFIG


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
