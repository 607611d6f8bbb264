"""Leaderboards as plain values.

A board shows one bracket, in one tournament or in all; the overall board combines the brackets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from arena.errors import NotFound, unknown
from arena.rating.standings import THINK_MS_BOUNDS

__all__ = [
    "THINK_MS_BOUNDS",
    "Board",
    "BoardRow",
    "HeadToHead",
    "HistoryPoint",
    "Leaderboard",
    "OverallBoard",
    "OverallRow",
    "Strength",
]


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """A bot's rating after a number of its matches."""

    matches: int
    mu: float
    sigma: float


@dataclass(frozen=True, slots=True)
class Strength:
    """A bot's strength: the order-free fit to all results, in Elo points around the field's mean of 0."""

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
    """Whether it is separated from the next row at 95 %; None for the last row, or if it is not known."""
    matches: int
    wins: float
    """A win that n seats share counts 1/n."""
    mean_placement: float
    think_ms: float | None
    """Mean think time per move; None if it never moved."""
    faults: Mapping[str, int]
    """The number of forfeits by kind of fault."""
    placements: Sequence[int]
    """How often it came first, second, and so on."""
    think_times: Sequence[int]
    """The number of matches by mean think time, in the classes of THINK_MS_BOUNDS."""
    history: Sequence[HistoryPoint] = field(default_factory=tuple)

    @property
    def conservative(self) -> float:
        return self.mu - 3 * self.sigma

    @property
    def win_share(self) -> float | None:
        """Wins per match; None without matches."""
        return self.wins / self.matches if self.matches else None


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """How often the row's bot was placed before the column's, ties half, and the number of their matches."""

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
    """The number of bots, if some have no row; None: one per row."""

    def to_dicts(self) -> list[dict[str, str | float | bool | None]]:
        """Return one flat dictionary per row, for example for `pandas.DataFrame`."""
        return [
            {
                "bracket": self.bracket,
                "tournament": self.tournament,
                "rank": row.rank,
                "bot": row.bot,
                "version": row.version,
                "language": row.language,
                "rating": row.conservative,
                "mu": row.mu,
                "sigma": row.sigma,
                "strength": row.strength.elo if row.strength else None,
                "strength_low": row.strength.low if row.strength else None,
                "strength_high": row.strength.high if row.strength else None,
                "separated": row.separated,
                "matches": row.matches,
                "wins": row.wins,
                "win_share": row.win_share,
                "mean_placement": row.mean_placement if row.matches else None,
                "ms_per_move": row.think_ms,
                "faults": sum(row.faults.values()),
            }
            for row in self.rows
        ]


@dataclass(frozen=True, slots=True)
class OverallRow:
    """A bot across the brackets."""

    rank: int
    bot: str
    version: str
    conservative: float
    """The mean of its conservative ratings over all brackets; a bracket without matches counts as 0."""
    by_bracket: Mapping[str, float]
    """Its conservative rating in each bracket it has played."""
    matches: int


@dataclass(frozen=True, slots=True)
class OverallBoard:
    """The board across brackets."""

    brackets: Sequence[str]
    rows: Sequence[OverallRow]


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """The boards of several brackets, in one tournament or in all."""

    boards: tuple[Board, ...]
    overall: OverallBoard | None
    """The board across the brackets; None for one bracket."""
    highlights: Mapping[str, str] = field(default_factory=dict)
    """Matches worth watching: why, by name. Empty unless asked for."""

    def __getitem__(self, bracket: str) -> Board:
        for board in self.boards:
            if board.bracket == bracket:
                return board
        raise NotFound(unknown("bracket", bracket, [board.bracket for board in self.boards]))

    @property
    def rows(self) -> list[BoardRow]:
        """The rows of all boards, one board after the other."""
        return [row for board in self.boards for row in board.rows]

    def to_dicts(self) -> list[dict[str, str | float | bool | None]]:
        """Return one flat dictionary for each row of each board, for pandas or polars."""
        return [row for board in self.boards for row in board.to_dicts()]
