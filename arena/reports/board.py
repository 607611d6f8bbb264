"""Leaderboards as plain values.

A board shows one bracket, in one tournament or in all; the overall board combines the brackets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from statistics import fmean
from typing import NamedTuple

from arena.errors import NotFound, unknown
from arena.rating.standings import Meetings
from arena.rating.trueskill import MU, SIGMA, Rating


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
    """The 95 % interval, bootstrapped over deals."""


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

    def to_dict(self) -> dict[str, str | float | bool | None]:
        """Return the row as a flat dictionary."""
        strength = self.strength
        return {
            "rank": self.rank,
            "bot": self.bot,
            "version": self.version,
            "language": self.language,
            "rating": self.conservative,
            "mu": self.mu,
            "sigma": self.sigma,
            "strength": strength.elo if strength else None,
            "strength_low": strength.low if strength else None,
            "strength_high": strength.high if strength else None,
            "separated": self.separated,
            "matches": self.matches,
            "wins": self.wins,
            "win_share": self.win_share,
            "mean_placement": self.mean_placement if self.matches else None,
            "ms_per_move": self.think_ms,
            "faults": sum(self.faults.values()),
        }


@dataclass(frozen=True, slots=True)
class Board:
    """The standings of one bracket."""

    bracket: str
    tournament: str | None
    """The tournament's id; None: all tournaments together."""
    matches: int
    rows: Sequence[BoardRow]
    head_to_head: Sequence[Sequence[Meetings | None]]
    """The row's bot against the column's, in the order of the rows; None on the diagonal."""
    bots: int | None = None
    """The number of bots, if some have no row; None: one per row."""

    def to_dicts(self) -> list[dict[str, str | float | bool | None]]:
        """Return one flat dictionary per row, for example for `pandas.DataFrame`."""
        return [{"bracket": self.bracket, "tournament": self.tournament, **row.to_dict()} for row in self.rows]


class Reached(NamedTuple):
    """What a bot version has reached in a bracket."""

    mu: float
    sigma: float
    matches: int

    @property
    def conservative(self) -> float:
        return self.mu - 3 * self.sigma


@dataclass(frozen=True, slots=True)
class OverallRow:
    """A bot across the brackets."""

    rank: int
    bot: str
    version: str
    conservative: float
    """The mean of its standardised ratings in the brackets that it has played, minus three times its uncertainty."""
    by_bracket: Mapping[str, float]
    """Its conservative rating in each bracket it has played."""
    matches: int


@dataclass(frozen=True, slots=True)
class OverallBoard:
    """The board across brackets.

    Ratings are standardised in each bracket to the mean and spread of new bots, so that no bracket counts more than
    another. A bracket that a bot has not played does not count.
    """

    brackets: Sequence[str]
    rows: Sequence[OverallRow]

    @staticmethod
    def across(boards: Sequence[Board]) -> OverallBoard:
        """Return the board across these brackets."""
        return OverallBoard.of(
            {
                board.bracket: {(row.bot, row.version): Reached(row.mu, row.sigma, row.matches) for row in board.rows}
                for board in boards
            }
        )

    @staticmethod
    def of(brackets: Mapping[str, Mapping[tuple[str, str], Reached]]) -> OverallBoard:
        """Combine what each bot version has reached in each bracket."""
        by_bot: dict[tuple[str, str], dict[str, Reached]] = {}
        standardised: dict[tuple[str, str], list[Rating]] = {}
        for bracket, bots in brackets.items():
            for bot, rating in _standardised(bots).items():
                by_bot.setdefault(bot, {})[bracket] = bots[bot]
                standardised.setdefault(bot, []).append(rating)
        rated = [(_mean(ratings).conservative, bot, by_bot[bot]) for bot, ratings in standardised.items()]
        rated.sort(key=lambda each: (-each[0], each[1]))
        rows = [
            OverallRow(
                rank=rank,
                bot=bot,
                version=version,
                conservative=conservative,
                by_bracket={bracket: each.conservative for bracket, each in reached.items()},
                matches=sum(each.matches for each in reached.values()),
            )
            for rank, (conservative, (bot, version), reached) in enumerate(rated, start=1)
        ]
        return OverallBoard(list(brackets), rows)


def _standardised(bots: Mapping[tuple[str, str], Reached]) -> dict[tuple[str, str], Rating]:
    """Return the ratings of a bracket with the mean and spread of new bots; the spread includes the uncertainty."""
    if not bots:
        return {}
    middle = fmean(each.mu for each in bots.values())
    spread = sqrt(fmean((each.mu - middle) ** 2 + each.sigma**2 for each in bots.values()))
    factor = SIGMA / spread if spread else 1.0
    return {bot: Rating(MU + factor * (each.mu - middle), factor * each.sigma) for bot, each in bots.items()}


def _mean(ratings: Sequence[Rating]) -> Rating:
    return Rating(fmean(each.mu for each in ratings), sqrt(sum(each.sigma**2 for each in ratings)) / len(ratings))


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """The boards of several brackets, in one tournament or in all."""

    boards: tuple[Board, ...]
    highlights: Mapping[str, str] = field(default_factory=dict)
    """Matches worth watching: why, by name. Empty unless asked for."""

    def __getitem__(self, bracket: str) -> Board:
        for board in self.boards:
            if board.bracket == bracket:
                return board
        raise NotFound(unknown("bracket", bracket, [board.bracket for board in self.boards]))

    @property
    def overall(self) -> OverallBoard | None:
        """The board across the brackets; None for one bracket."""
        return OverallBoard.across(self.boards) if len(self.boards) > 1 else None

    @property
    def rows(self) -> list[BoardRow]:
        """The rows of all boards, one board after the other."""
        return [row for board in self.boards for row in board.rows]

    def to_dicts(self) -> list[dict[str, str | float | bool | None]]:
        """Return one flat dictionary for each row of each board, for pandas or polars."""
        return [row for board in self.boards for row in board.to_dicts()]
