"""What a leaderboard says, whatever it is shown on.

A board is about one bracket, in one tournament or in all of them; the overall board combines the brackets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from arena.rating.standings import THINK_MS_BOUNDS

__all__ = [
    "THINK_MS_BOUNDS",
    "Board",
    "BoardRow",
    "HeadToHead",
    "HistoryPoint",
    "OverallBoard",
    "OverallRow",
    "Strength",
]


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """A bot's rating after so many of its matches."""

    matches: int
    mu: float
    sigma: float


@dataclass(frozen=True, slots=True)
class Strength:
    """A bot's strength by maximum likelihood on all results at once, in Elo points around the field's mean of 0."""

    elo: float
    low: float
    high: float
    """The 95 % interval, bootstrapped over deal blocks."""


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One bot version on the board."""

    rank: int
    bot: str
    version: str
    language: str
    mu: float
    sigma: float
    strength: Strength | None
    separated: bool | None
    """Whether it is told apart from the next row at 95 %; None for the last row, or where it is not known."""
    matches: int
    wins: float
    """A win that n seats share counts 1/n."""
    mean_placement: float
    think_ms: float | None
    """Mean think time of a move; None where it never made one."""
    faults: Mapping[str, int]
    """By kind: how many matches were lost by it."""
    placements: Sequence[int]
    """How often it came first, second, and so on."""
    think_times: Sequence[int]
    """How many matches had a mean think time in each class of THINK_MS_BOUNDS, the open one included."""
    history: Sequence[HistoryPoint] = field(default_factory=tuple)

    @property
    def conservative(self) -> float:
        return self.mu - 3 * self.sigma


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """How often the row's bot was placed before the column's, ties half, and in how many matches they met."""

    points: float
    matches: int

    @property
    def share(self) -> float | None:
        return self.points / self.matches if self.matches else None


@dataclass(frozen=True, slots=True)
class Board:
    """The standings of one bracket."""

    bracket: str
    tournament: str | None
    """The tournament's id; None: all tournaments together."""
    matches: int
    rows: Sequence[BoardRow]
    head_to_head: Sequence[Sequence[HeadToHead | None]]
    """In the order of the rows; None on the diagonal."""
    bots: int | None = None
    """How many there are in all, where some have no row; None: as many as rows."""


@dataclass(frozen=True, slots=True)
class OverallRow:
    """A bot across the brackets."""

    rank: int
    bot: str
    version: str
    conservative: float
    """The mean of its conservative ratings over all brackets; a bracket it does not play counts as a newcomer's 0."""
    by_bracket: Mapping[str, float]
    """Its conservative rating in each bracket that it has played."""
    matches: int


@dataclass(frozen=True, slots=True)
class OverallBoard:
    """The board across brackets."""

    brackets: Sequence[str]
    rows: Sequence[OverallRow]
