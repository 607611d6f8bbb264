"""How far a bracket is while it is played."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from arena.records import SeatRecord
from arena.tournament.runners.base import WorkerPace


@dataclass(slots=True)
class Progress:
    """The state of a bracket, for displays."""

    bracket: str = ""
    played: int = 0
    """Matches of this bracket, including those from before a resume."""
    expected: int | None = None
    """The number of matches; None: unknown."""
    seconds: float | None = None
    """The time limit of the bracket; None: no limit."""
    began: float = field(default_factory=time.monotonic)
    played_before: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    spoiled: int = 0
    """Matches that the host has spoiled and that are played again."""
    last_trouble: str = ""
    top: list[tuple[str, float, float]] = field(default_factory=list)
    """The best bots: label, mu, sigma."""
    round: str = ""
    paces: list[WorkerPace] = field(default_factory=list)
    """The speed of each worker of a cluster."""
    notice: str = ""
    """A message about the cluster."""

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.began

    @property
    def matches_per_second(self) -> float:
        return (self.played - self.played_before) / max(1e-9, self.elapsed)

    def add(self, seats: Sequence[SeatRecord]) -> None:
        """Count a match."""
        self.played += 1
        for seat in seats:
            if seat.fault:
                self.faults[seat.fault] += 1
