"""The interface of formats: which entrants meet, round after round.

Entrants are numbered from 0. A pairing plays a number of deals; each deal is a *block*, played once in every rotation
of the seats, so that no bot has the better seat or the better cards. Every block has cards of its own: the numbers of
deals count in tournaments of older versions only, where a number meant the same cards in every pairing of a bracket.

Rules for every format:
- Pure: no I/O, no clock, and lots are drawn from the seed. The same field, seed and results lead to the same rounds, so
  a tournament can be resumed from the store.
- The results of a round are recorded completely, in the order of its pairings, before the next round is requested,
  unless `waits` is false.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

Skill = Callable[[int], tuple[float, float]]
"""Returns the current rating of an entrant, mu and sigma, for formats that match by strength."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Entrants that meet, in the seat order of the first rotation, and their deals."""

    entrants: tuple[int, ...]
    deals: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """Pairings that can be played at the same time."""

    pairings: tuple[Pairing, ...]
    title: str = ""
    """For people: "round 3", "semi-final"."""


@dataclass(frozen=True, slots=True)
class PairingResult:
    """The result of a pairing over all its deals and rotations."""

    pairing: Pairing
    points: tuple[float, ...]
    """The share of opponents that each entrant was placed before; ties count half."""


@dataclass(frozen=True, slots=True)
class Field:
    """The number of entrants and the size of pairings."""

    size: int
    seats: int
    """The seats of a match; never more than there are entrants, except in a duel."""
    fewest: int
    """The smallest number of seats of the game."""
    seed: str


class Format(ABC):
    """Decides which entrants meet."""

    name: ClassVar[str]
    summary: ClassVar[str]
    """One sentence for help texts."""
    waits: ClassVar[bool] = True
    """Whether the next round needs the results of the one before."""
    deals: int = 1
    """The number of deals of a pairing."""

    def __init__(self, field: Field) -> None:
        self.field = field

    @abstractmethod
    def next_round(self, skill: Skill) -> Round | None:
        """Return the next round; None: the tournament is over."""

    def record(self, results: Sequence[PairingResult]) -> None:
        """Take the results of a round."""
        del results

    @property
    @abstractmethod
    def pairing_count(self) -> int | None:
        """The number of pairings; None: it depends on the results, or there is no end."""

    @property
    def match_count(self) -> int | None:
        """The number of matches, if all pairings are full."""
        pairings = self.pairing_count
        return None if pairings is None else pairings * self.deals * self.field.seats
