"""Whether the machine has more to do than it can: then the clock on the wall says little about bots."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

STALL = 0.25
"""Seconds by which the referee's own clock may be late."""
SAMPLE = 0.5
"""Seconds between two looks at what the kernel says."""
CROWD = 4
"""So many programs that want to run, for each core, are too many."""
STOLEN = 0.2
"""The part of the processors' time that other virtual machines may take."""


class Host:
    """Watches the machine while matches are played."""

    def __init__(self) -> None:
        self._last_overload = float("-inf")
        self._last_look = time.monotonic()
        self._last_sample = self._last_look
        self._ticks = (0, 0)
        self._cores = os.cpu_count() or 1

    def overloaded_since(self, moment: float) -> bool:
        return self._last_overload >= moment

    def look(self, expected: float) -> None:
        """Called again and again; so much time should have passed since the last call."""
        now = time.monotonic()
        if now - self._last_look > expected + STALL:
            self._last_overload = now
        self._last_look = now
        if now - self._last_sample > SAMPLE:
            self._last_sample = now
            with contextlib.suppress(OSError, ValueError, IndexError):
                if self._is_crowded(Path("/proc/stat").read_text()):
                    self._last_overload = now

    def _is_crowded(self, stat: str) -> bool:
        ticks = [int(word) for word in stat.split("\n", 1)[0].split()[1:9]]
        before, self._ticks = self._ticks, (sum(ticks), ticks[7])
        passed, stolen = self._ticks[0] - before[0], self._ticks[1] - before[1]
        running = int(stat.split("procs_running ", 1)[1].split(None, 1)[0])
        return running > CROWD * self._cores or (before[0] > 0 and stolen > STOLEN * passed)
