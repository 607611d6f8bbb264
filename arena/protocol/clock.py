"""What a bot is charged for its turns. Pure: times are passed in.

1. The time between two messages of a bot is charged to the turn that it has kept waiting longest. So the sum of what is
   charged is what was used, and a turn that is kept back pays for everything that is done meanwhile.
2. If that turn is answered by the message, and the time is short, the message was a batch of quick turns: the time is
   divided evenly among its answers.
3. The clock starts when a turn has been sent to an idle bot, later by the network's round trip.
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

    def plus(self, other: Spent) -> Spent:
        cpu = None if self.cpu is None and other.cpu is None else (self.cpu or 0.0) + (other.cpu or 0.0)
        return Spent(self.wall + other.wall, cpu)


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
