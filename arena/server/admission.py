"""How often one may do something: so many times at once, then so many a minute."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable

MOST_KNOWN = 10_000
"""So many who have done something lately are remembered."""


class Allowance:
    """Counts what each one does. Who is allowed again in full is forgotten."""

    def __init__(self, at_once: float, a_minute: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.at_once = at_once
        self.a_second = a_minute / 60
        self.clock = clock
        self._left: dict[Hashable, tuple[float, float]] = {}
        """For each one how much was left, and when."""

    def left(self, who: Hashable) -> float:
        now = self.clock()
        left, since = self._left.get(who, (self.at_once, now))
        return min(self.at_once, left + (now - since) * self.a_second)

    def take(self, who: Hashable) -> bool:
        """Whether it may do it now; if so it has."""
        left = self.left(who)
        if left < 1:
            return False
        if len(self._left) >= MOST_KNOWN:
            self._forget()
        self._left.pop(who, None)  # so that the latest is the last
        self._left[who] = left - 1, self.clock()
        return True

    def _forget(self) -> None:
        self._left = {who: kept for who, kept in self._left.items() if self.left(who) < self.at_once}
        if len(self._left) > MOST_KNOWN // 2:  # the older ones go, so that this is not done each time
            self._left = dict(list(self._left.items())[-MOST_KNOWN // 2 :])
