"""The think clock of a bot. Pure: times are passed in.

1. The clock of a turn starts when the turn has been sent and all turns sent before it have been answered.
2. A message with several answers stops the clock once; its time is divided evenly among the answers.
3. The network's round trip is not charged: the clock starts that much later.
4. Wall time and the bot's CPU time are read together. CPU time is charged where it is measured.
5. A bot that exceeds a limit is late until its next answer. The turns that waited meanwhile are charged nothing.
6. While the bot cannot be reached, no clock runs.
"""

from __future__ import annotations

from typing import NamedTuple


class Spent(NamedTuple):
    """The time that a bot has taken for a turn, in ms."""

    wall: float
    cpu: float | None = None
    """CPU time of all its processes; None where it is not measured."""

    @property
    def charged(self) -> float:
        """The time that counts: CPU time does not depend on what else the machine does."""
        return self.wall if self.cpu is None else self.cpu

    def divided(self, parts: int) -> Spent:
        """Return the share of each of `parts` turns that were answered together."""
        return Spent(self.wall / parts, None if self.cpu is None else self.cpu / parts)


NO_TIME = Spent(0.0)


class Moment(NamedTuple):
    """A reading of both clocks."""

    time: float
    """Seconds of wall time."""
    cpu_ms: float | None = None
    """Milliseconds of CPU time that the bot has used in all; None where it is not measured."""

    def since(self, earlier: Moment) -> Spent:
        cpu = None if self.cpu_ms is None or earlier.cpu_ms is None else max(0.0, self.cpu_ms - earlier.cpu_ms)
        return Spent(max(0.0, 1000 * (self.time - earlier.time)), cpu)

    def later(self, seconds: float) -> Moment:
        return Moment(self.time + seconds, self.cpu_ms)


LONG_AGO = Moment(float("-inf"), 0.0)


class ThinkClock:
    """Measures one bot's think time from message to message."""

    __slots__ = ("_last_answer", "late_since")

    def __init__(self) -> None:
        self._last_answer = LONG_AGO
        self.late_since: float | None = None
        """When the bot exceeded a limit; None: it is not late."""

    def running(self, sent: Moment, now: Moment) -> Spent:
        """Return the time taken so far for a turn sent at `sent`, all turns before it being answered."""
        return now.since(max(sent, self._last_answer))

    def stop(self, sent: Moment, now: Moment, answers: int) -> Spent:
        """Return the time of each of the answers that arrived now; `sent`: when the first of their turns was sent."""
        spent = now.since(now) if self.late_since is not None else self.running(sent, now)
        self.late_since = None
        self._last_answer = now
        return spent.divided(answers) if answers > 1 else spent

    def shift(self, seconds: float) -> None:
        """Make up for seconds in which the bot could not be reached."""
        self._last_answer = self._last_answer.later(seconds)
        if self.late_since is not None:
            self.late_since += seconds
