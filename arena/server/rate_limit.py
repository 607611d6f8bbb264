"""A token bucket per key: a burst of requests, then a steady rate."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable


class RateLimit:
    """Limit how often each key does something. The least recently used keys are forgotten."""

    max_keys = 10_000

    def __init__(self, burst: float, per_minute: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.burst = burst
        self.per_second = per_minute / 60
        self.clock = clock
        self._buckets: dict[Hashable, tuple[float, float]] = {}
        """For each key what was left, and when. The most recently used key is the last one."""

    def left(self, key: Hashable) -> float:
        """Return how many requests the key may make now."""
        now = self.clock()
        left, since = self._buckets.get(key, (self.burst, now))
        return min(self.burst, left + (now - since) * self.per_second)

    def take(self, key: Hashable) -> bool:
        """Count a request. Return False, and count nothing, if the key is over its limit."""
        left = self.left(key)
        if left < 1:
            return False
        self._buckets.pop(key, None)
        self._buckets[key] = left - 1, self.clock()
        if len(self._buckets) > self.max_keys:
            del self._buckets[next(iter(self._buckets))]
        return True
