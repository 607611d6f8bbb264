"""What a format decides: who meets whom, round after round.

Entrants are numbered from 0. A pairing brings some of them to one table for a number of deals; each deal is a *deal
block*, played once for every rotation of the bots around the table, so that nobody has the better seat or the better
cards. The deals are numbered, and a number stands for the same cards at every table of a bracket.

Laws kept by every format:
- pure: no I/O and no clock, and what is drawn by lot is drawn from the seed. The same field, the same seed and the same
  results lead to the same rounds, so that a tournament can be continued from what is on record;
- the results of a round are recorded completely, in the order of its pairings, before the next one is asked for, unless
  the format says that it does not wait for them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

Skill = Callable[[int], tuple[float, float]]
"""The rating of an entrant now, as mu and sigma: for formats that match by strength."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Entrants at one table, in the seat order of the first rotation, and the deals that they play."""

    entrants: tuple[int, ...]
    deals: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """Meetings that can be played at the same time."""

    pairings: tuple[Pairing, ...]
    title: str = ""
    """What people call it: "round 3", "semi-final"."""


@dataclass(frozen=True, slots=True)
class PairingResult:
    """What came of a pairing, over all its deals and rotations."""

    pairing: Pairing
    points: tuple[float, ...]
    """For each entrant the opponents that it was placed before, ties half, as a part of all there were."""


@dataclass(frozen=True, slots=True)
class Field:
    """Who takes part, and at tables of which size."""

    size: int
    seats: int
    """How many sit at a table; never more than there are entrants."""
    fewest: int
    """The game is not played with fewer."""
    seed: str


class Format(ABC):
    """Decides who meets whom."""

    name: ClassVar[str]
    summary: ClassVar[str]
    """One sentence for the help."""
    waits: ClassVar[bool] = True
    """Whether a round can be drawn only when the results of the one before are recorded."""
    deals: int = 1
    """How many deals a pairing has."""

    def __init__(self, field: Field) -> None:
        self.field = field

    @abstractmethod
    def next_round(self, skill: Skill) -> Round | None:
        """The next round; None: the tournament is over."""

    def record(self, results: Sequence[PairingResult]) -> None:
        """Takes the results of a round."""
        del results

    @property
    @abstractmethod
    def pairing_count(self) -> int | None:
        """How many pairings there will be; None where that depends on the results or there is no end."""

    @property
    def match_count(self) -> int | None:
        """How many matches that makes, if all tables are full."""
        pairings = self.pairing_count
        return None if pairings is None else pairings * self.deals * self.field.seats
