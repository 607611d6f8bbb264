"""What a tournament reports while it is played, and its result: frozen values that can be pickled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from arena.errors import NotFound, unknown
from arena.events import Activity, Note
from arena.reports.board import Board
from arena.tournament.formats.elimination import KnockoutRound


class WorkerPace(NamedTuple):
    """The speed of a worker on another machine."""

    worker: str
    matches_per_second: float


@dataclass(frozen=True, slots=True)
class TournamentStarted:
    """The tournament is in the store and is about to be played."""

    tournament: int
    name: str
    format: str
    brackets: tuple[str, ...]
    entrants: tuple[str, ...]
    resumed: bool


@dataclass(frozen=True, slots=True)
class Leader:
    """One of the best bots of a bracket so far."""

    bot: str
    mu: float
    sigma: float

    @property
    def rating(self) -> float:
        """The conservative rating that bots are ranked by."""
        return self.mu - 3 * self.sigma


@dataclass(frozen=True, slots=True)
class TournamentProgress:
    """How far a bracket of a running tournament is."""

    tournament: int
    bracket: str
    matches: int
    """Matches of this bracket that are played, including those from before a resume."""
    total: int | None
    """None: it depends on the results or on the time."""
    matches_per_second: float
    elapsed: float
    """Seconds since this bracket was started or resumed."""
    time_limit: float | None
    """Seconds after which the bracket stops. None: no limit."""
    seconds_left: float | None
    """An estimate. None: unknown."""
    round: str
    leaders: tuple[Leader, ...]
    faults: Mapping[str, int]
    """Forfeits by kind."""
    replayed: int
    """Matches that are played again because of a fault of the host."""
    last_host_fault: str
    workers: tuple[WorkerPace, ...]
    """The speed of each worker of a cluster."""


TournamentEvent = TournamentStarted | TournamentProgress | Note | Activity


@dataclass(frozen=True, slots=True)
class BracketResult:
    """What a format says about a bracket beyond its leaderboard."""

    bracket: str
    entrants: tuple[str, ...]
    """The bots that played in it. `rounds` refers to them by position."""
    rounds: tuple[KnockoutRound, ...] = ()
    """Knockout: the tree."""
    champion: str | None = None
    """Knockout: the winner."""
    ranking: tuple[str, ...] = ()
    """Swiss: all bots by Swiss points."""


@dataclass(frozen=True, slots=True)
class Forfeit:
    """A way in which a bot lost matches by its own fault."""

    bot: str
    kind: str
    detail: str
    count: int


@dataclass(frozen=True, slots=True)
class TournamentResult:
    """A tournament that is over, or was stopped and can be resumed."""

    tournament: int
    name: str
    format: str
    matches: int
    finished: bool
    """False: it was stopped; `Arena.resume` continues it."""
    boards: tuple[Board, ...]
    brackets: tuple[BracketResult, ...]
    """The brackets that were played in this run."""
    forfeits: tuple[Forfeit, ...]
    """The most frequent first."""
    replayed: int
    last_host_fault: str

    def leaderboard(self, bracket: str) -> Board:
        """Return the leaderboard of one bracket in this tournament."""
        for board in self.boards:
            if board.bracket == bracket:
                return board
        known = [board.bracket for board in self.boards]
        raise NotFound(unknown("bracket", bracket, known) if known else "No match of this tournament was played.")


@dataclass(frozen=True, slots=True)
class BracketForecast:
    """The schedule of a bracket that is not played, and how long it would take."""

    bracket: str
    bots: int
    seats: int
    pairings: int | None
    """The number of pairings; None: it depends on the results or on a stop rule."""
    matches: int | None
    seconds: float | None
    first_pairings: tuple[tuple[str, ...], ...]
    """The bots of the first pairings."""
    known: bool
    """Whether all bots have played before."""


@dataclass(frozen=True, slots=True)
class TournamentForecast:
    """The forecast of a tournament."""

    format: str
    jobs: int
    seconds: float | None
    """The time limit of each bracket."""
    brackets: tuple[BracketForecast, ...]
