"""The public Python API: `Arena` is the one door to every use case. The command line, the server and the pages use it.

Methods are synchronous and work in a notebook. They take a frozen request (or the keywords to make one), return typed
results, report progress to a callback, print nothing, and keep no global state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.requests import ResumeRequest, TournamentRequest

if TYPE_CHECKING:
    from arena.tournament.outcome import TournamentEvent, TournamentForecast, TournamentResult

Stop = Callable[[], bool]


def _ignore(_: object) -> None:
    """Report to nothing."""


def _never() -> bool:
    return False


class Arena:
    """An arena on this machine: a home folder and its store. Nothing is created before something is written."""

    def __init__(self, home: str | Path = ".arena", *, store: str | None = None) -> None:
        """`store`: the URL of a PostgreSQL database; None: SQLite in the home folder."""
        from arena.store.home import Home

        self.home = Home(Path(home), store)

    def tournament(
        self,
        bots: Sequence[str] = (),
        *,
        bracket: str | Sequence[str] = (),
        on_progress: Callable[[TournamentEvent], None] = _ignore,
        stop: Stop = _never,
        **options: Any,
    ) -> TournamentResult:
        """Play a tournament. `options` are the other fields of `TournamentRequest`."""
        return self.run(_tournament_request(bots, bracket, options), on_progress, stop)

    def forecast(
        self,
        bots: Sequence[str] = (),
        *,
        bracket: str | Sequence[str] = (),
        on_progress: Callable[[TournamentEvent], None] = _ignore,
        **options: Any,
    ) -> TournamentForecast:
        """Return the schedule and the expected duration of such a tournament without playing it."""
        return self.run_forecast(_tournament_request(bots, bracket, options), on_progress)

    def resume(
        self,
        tournament: str | int | None = None,
        *,
        on_progress: Callable[[TournamentEvent], None] = _ignore,
        stop: Stop = _never,
        **options: Any,
    ) -> TournamentResult:
        """Continue an interrupted tournament, by default the latest. `options` are fields of `ResumeRequest`."""
        named = None if tournament is None else str(tournament)
        return self.run(ResumeRequest(tournament=named, **options), on_progress, stop)

    def run(
        self,
        request: TournamentRequest | ResumeRequest,
        on_progress: Callable[[TournamentEvent], None] = _ignore,
        stop: Stop = _never,
    ) -> TournamentResult:
        """Carry out a request.

        `on_progress` gets frozen, picklable events. `stop` is called about ten times a second; when it returns true,
        the matches played so far are stored and the result has `finished=False`.
        """
        from arena.tournament.run import resume_tournament, start_tournament

        if isinstance(request, ResumeRequest):
            return resume_tournament(self.home, request, on_progress, stop)
        return start_tournament(self.home, request, on_progress, stop)

    def run_forecast(
        self, request: TournamentRequest, on_progress: Callable[[TournamentEvent], None] = _ignore
    ) -> TournamentForecast:
        """Return the forecast of a request."""
        from arena.tournament.run import forecast_tournament

        return forecast_tournament(self.home, request, on_progress)


def _tournament_request(
    bots: Sequence[str], bracket: str | Sequence[str], options: dict[str, Any]
) -> TournamentRequest:
    brackets = (bracket,) if isinstance(bracket, str) else tuple(bracket)
    return TournamentRequest(bots=tuple(bots), brackets=brackets, **options)
