"""The public Python API: `Arena` is the one door to every use case. The command line and the server use it.

The web pages keep one store open and call the same functions in `arena.reports`.

Methods are synchronous and work in a notebook. They take a frozen request (or the keywords to make one), return typed
results, report progress to a callback, print nothing, and keep no global state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from arena.errors import NotFound
from arena.requests import (
    CheckRequest,
    CompareRequest,
    EventT,
    ForecastRequest,
    MatchRequest,
    Request,
    ResultT,
    ResumeRequest,
    SubmitRequest,
    TournamentRequest,
)

if TYPE_CHECKING:
    from arena.client.desk import RemoteArena
    from arena.events import Activity, Note
    from arena.replay.view import MatchReplay
    from arena.reports.board import Leaderboard
    from arena.reports.listings import BotSummary, MatchSummary, TournamentSummary
    from arena.store.copying import CopyResult
    from arena.store.store import Store
    from arena.submissions.check import CheckReport, CheckResult
    from arena.submissions.submit import SubmitResult
    from arena.tournament.comparison import ComparisonEvent, ComparisonResult
    from arena.tournament.outcome import TournamentEvent, TournamentForecast, TournamentResult
    from arena.tournament.series import MatchProgress, MatchResult

Stop = Callable[[], bool]


def _ignore(*_: object) -> None:
    """Drop an event."""


def _never() -> bool:
    return False


class ArenaMethods:
    """What an arena on this machine and one on a server share: methods that make a request and run it."""

    def run(
        self,
        request: Request[ResultT, EventT],
        on_progress: Callable[[EventT], None] = _ignore,
        stop: Stop = _never,
    ) -> ResultT:
        """Carry out a request.

        `on_progress` gets frozen, picklable events. `stop` is called about ten times a second; when it returns true, a
        tournament stores the matches played so far and its result has `finished=False`.
        """
        raise NotImplementedError

    def submit(
        self, path: str, *, on_progress: Callable[[Activity | Note | CheckResult], None] = _ignore, **options: Any
    ) -> SubmitResult:
        """Submit a bot: copy, build, check and register it. `options` are the other fields of `SubmitRequest`."""
        return self.run(SubmitRequest(path=path, **options), on_progress)

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
        return self.run(TournamentRequest(bots=tuple(bots), brackets=_listed(bracket), **options), on_progress, stop)

    def forecast(
        self,
        bots: Sequence[str] = (),
        *,
        bracket: str | Sequence[str] = (),
        on_progress: Callable[[TournamentEvent], None] = _ignore,
        **options: Any,
    ) -> TournamentForecast:
        """Return the schedule and the expected duration of such a tournament without playing it."""
        request = TournamentRequest(bots=tuple(bots), brackets=_listed(bracket), **options)
        return self.run(ForecastRequest(request), on_progress)

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

    def replay(self, match: str | Path) -> MatchReplay:
        """Return the replay of a match of the store, such as `3-mantis-17-2`, or of a replay file."""
        from arena.replay.view import read_replay

        return read_replay(match, self.replays)

    def replays(self, matches: Sequence[str]) -> Iterator[bytes | NotFound]:
        """Yield the replays of these matches of the store, or why there is none, in this order."""
        raise NotImplementedError


class Arena(ArenaMethods):
    """An arena on this machine: a home folder and its store. Nothing is created before something is written."""

    def __init__(self, home: str | Path = ".arena", *, store: str | None = None) -> None:
        """`store`: the URL of a PostgreSQL database; None: SQLite in the home folder."""
        from arena.store.home import Home

        self.home = Home(Path(home), store)
        self._held: Store | None = None

    @staticmethod
    def connect(
        address: str, *, token: str, certificate: str | Path | None = None, insecure: bool = False
    ) -> RemoteArena:
        """Return the arena of an `arena serve` at HOST:PORT.

        `certificate`: the file with the server's certificate, if it is self-signed; `insecure`: without TLS.
        """
        from arena.client.desk import RemoteArena
        from arena.client.play import Destination

        ca = None if certificate is None else Path(certificate).read_bytes()
        return RemoteArena(Destination(address, token, ca, insecure))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is open between two calls."""

    def run(
        self,
        request: Request[ResultT, EventT],
        on_progress: Callable[[EventT], None] = _ignore,
        stop: Stop = _never,
    ) -> ResultT:
        notify: Any = on_progress
        result: Any
        match request:
            case TournamentRequest():
                from arena.tournament.run import start_tournament

                result = start_tournament(self.home, request, notify, stop)
            case ResumeRequest():
                from arena.tournament.run import resume_tournament

                result = resume_tournament(self.home, request, notify, stop)
            case ForecastRequest():
                from arena.tournament.run import forecast_tournament

                result = forecast_tournament(self.home, request.tournament, notify)
            case CompareRequest():
                from arena.tournament.comparison import compare

                result = compare(self.home, request, notify, stop)
            case MatchRequest():
                from arena.tournament.series import play_matches

                result = play_matches(self.home, request, notify)
            case SubmitRequest():
                from arena.submissions.submit import submit_bot

                result = submit_bot(self.home, request, notify)
            case CheckRequest():
                from arena.submissions.check import run_check

                result = run_check(self.home, request, notify)
            case _:
                raise TypeError(f"not a request: {request!r}")
        return result  # type: ignore[no-any-return]

    # Bots and matches

    def check(
        self, bot: str, *, on_progress: Callable[[Activity | Note | CheckResult], None] = _ignore, **options: Any
    ) -> CheckReport:
        """Check a bot without submitting it. `options` are the other fields of `CheckRequest`."""
        return self.run(CheckRequest(bot=bot, **options), on_progress)

    def retire(self, bot: str, *, undo: bool = False) -> None:
        """Take a bot out of future tournaments, or let it take part again."""
        with self.open_store() as store:
            store.bots.retire(bot, retired=not undo)

    def bots(self, *, every: bool = False) -> list[BotSummary]:
        """Return the latest version of every bot; `every`: also retired bots and old versions."""
        if not self.home.exists:
            return []
        from arena.reports.listings import list_bots

        with self.open_store() as store:
            return list_bots(store, every=every)

    def match(
        self,
        game: str,
        bots: Sequence[str],
        *,
        on_progress: Callable[[Note | MatchProgress], None] = _ignore,
        **options: Any,
    ) -> MatchResult:
        """Play matches between bots that need not be submitted. `options` are the other fields of `MatchRequest`."""
        return self.run(MatchRequest(game=game, bots=tuple(bots), **options), on_progress)

    def compare(
        self,
        old: str,
        new: str,
        *,
        on_progress: Callable[[ComparisonEvent], None] = _ignore,
        stop: Stop = _never,
        **options: Any,
    ) -> ComparisonResult:
        """Test whether `new` is stronger than `old`. `options` are the other fields of `CompareRequest`."""
        return self.run(CompareRequest(old=old, new=new, **options), on_progress, stop)

    # Results

    def leaderboard(
        self, bracket: str | Sequence[str] = (), *, tournament: str | int | None = None, highlights: bool = False
    ) -> Leaderboard:
        """Return the boards of these brackets, or of all, in one tournament or in all together."""
        from arena.reports.build import build_leaderboard

        with self.open_store() as store:
            return build_leaderboard(store, _canonical(bracket), tournament, highlights=highlights)

    def tournaments(self, limit: int = 20) -> list[TournamentSummary]:
        """Return the latest tournaments, the newest first."""
        from arena.reports.listings import list_tournaments

        with self.open_store() as store:
            return list_tournaments(store, limit)

    def matches(
        self,
        *,
        tournament: str | int | None = None,
        bot: str | None = None,
        bracket: str | None = None,
        only_faults: bool = False,
        limit: int = 20,
    ) -> list[MatchSummary]:
        """Return the latest matches, the newest first, or those of a tournament, a bot or a bracket."""
        from arena.reports.listings import list_matches

        named = None if tournament is None else str(tournament)
        where = _canonical(bracket)[0] if bracket else None
        with self.open_store() as store:
            return list_matches(store, tournament=named, bot=bot, bracket=where, only_faults=only_faults, limit=limit)

    def match_names(self, tournament: str | int) -> list[str]:
        """Return the names of all matches of a tournament."""
        with self.open_store() as store:
            return store.history.names(store.tournaments.find(str(tournament)).id)

    def replays(self, matches: Sequence[str]) -> Iterator[bytes | NotFound]:
        with self.open_store() as store:
            for name in matches:
                try:
                    yield store.matches.replay(name).encode()
                except NotFound as error:
                    yield error

    # The store

    def export(self, table: str) -> Iterator[Mapping[str, Any]]:
        """Yield the rows of a table of the store, with names instead of numbers."""
        from arena.store.dump import rows

        with self.open_store() as store:
            yield from rows(store, table)

    def copy_store(self, target: Arena, *, on_progress: Callable[[int, int], None] = _ignore) -> CopyResult:
        """Copy all results into an empty store. `on_progress` gets the number of rows copied and of all rows."""
        from arena.store.copying import CopyResult, copy_records

        with self.open_store() as source, target.hold_store() as written:
            return CopyResult(copy_records(source, written, on_progress), source.where, written.where)

    def check_exists(self) -> None:
        """Raise `NotFound` if nothing was ever stored here."""
        if not self.home.exists:
            hint = "Run `arena submit PATH` or `arena tournament` to create one."
            raise NotFound(f"There is no arena in `{self.home.path}`.", hint=hint)

    @contextmanager
    def open_store(self) -> Iterator[Store]:
        """Open the store. Raise `NotFound` if there is none."""
        from arena.store.store import Store

        if self._held is not None:
            yield self._held
            return
        self.check_exists()
        with Store.open(self.home.database) as store:
            yield store

    @contextmanager
    def hold_store(self) -> Iterator[Store]:
        """Open the store, created if it is missing, for all calls until this block ends, in any thread."""
        from arena.store.store import Store

        with Store.open(self.home.database) as self._held:
            try:
                yield self._held
            finally:
                self._held = None


def _listed(bracket: str | Sequence[str]) -> tuple[str, ...]:
    return (bracket,) if isinstance(bracket, str) else tuple(bracket)


def _canonical(bracket: str | Sequence[str]) -> list[str]:
    """Return the canonical names of brackets."""
    from arena.games.brackets import Bracket

    return [Bracket.parse(name).name for name in _listed(bracket)]
