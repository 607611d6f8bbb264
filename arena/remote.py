"""`RemoteArena`: the methods of `Arena` that a server offers, over the network."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, overload

from arena.client.desk import REPLAYS_PER_REQUEST, BotUpload, DeskClient
from arena.client.play import Destination
from arena.errors import BadSubmission, NotFound
from arena.events import Activity, Note
from arena.replay.view import MatchReplay, read_replay
from arena.reports.board import Leaderboard
from arena.reports.build import build_overall
from arena.reports.listings import BotSummary, MatchSummary, TournamentSummary
from arena.requests import ResumeRequest, SubmitRequest, TournamentRequest
from arena.submissions.check import CheckResult
from arena.submissions.run import SubmitResult
from arena.submissions.submit import gather
from arena.tournament.outcome import TournamentEvent, TournamentForecast, TournamentResult


class RemoteArena:
    """The arena of an `arena serve`. Close it, or use it in a with statement."""

    def __init__(self, address: str, token: str, ca: bytes | None = None, *, insecure: bool = False) -> None:
        """`ca`: the server's certificate, if it is self-signed; `insecure`: without TLS."""
        self.address = address
        self.server = DeskClient(Destination(address, token, ca, insecure))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self.server.__exit__(None, None, None)

    def submit(
        self,
        path: str,
        *,
        on_progress: Callable[[Activity | Note | CheckResult], None] = lambda _: None,
        **options: Any,
    ) -> SubmitResult:
        """Submit a bot. The server builds and checks it, and puts the user's name before its name."""
        return self.run(SubmitRequest(path=path, **options), on_progress)

    @overload
    def run(
        self, request: SubmitRequest, on_progress: Callable[[Activity | Note | CheckResult], None] = ...
    ) -> SubmitResult: ...

    @overload
    def run(
        self, request: TournamentRequest | ResumeRequest, on_progress: Callable[[TournamentEvent], None] = ...
    ) -> TournamentResult: ...

    def run(
        self,
        request: SubmitRequest | TournamentRequest | ResumeRequest,
        on_progress: Callable[[Any], None] = lambda _: None,
    ) -> SubmitResult | TournamentResult:
        """Carry out a request. The server uses its own sandbox, and its own time limits to check a bot.

        A tournament continues on the server if this call is interrupted.
        """
        if isinstance(request, SubmitRequest):
            return self._submit(request, on_progress)
        return self.server.run(request, on_progress)

    def tournament(
        self,
        bots: Sequence[str] = (),
        *,
        bracket: str | Sequence[str] = (),
        on_progress: Callable[[TournamentEvent], None] = lambda _: None,
        **options: Any,
    ) -> TournamentResult:
        """Play a tournament on the server. `options` are the other fields of `TournamentRequest`."""
        brackets = (bracket,) if isinstance(bracket, str) else tuple(bracket)
        return self.run(TournamentRequest(bots=tuple(bots), brackets=brackets, **options), on_progress)

    def resume(
        self,
        tournament: str | int | None = None,
        *,
        on_progress: Callable[[TournamentEvent], None] = lambda _: None,
        **options: Any,
    ) -> TournamentResult:
        """Continue an interrupted tournament, by default the latest. `options` are fields of `ResumeRequest`."""
        named = None if tournament is None else str(tournament)
        return self.run(ResumeRequest(tournament=named, **options), on_progress)

    def follow(self, on_progress: Callable[[TournamentEvent], None] = lambda _: None) -> TournamentResult:
        """Report the events of the current tournament, or of the latest one, and wait for its end."""
        return self.server.follow(on_progress)

    def stop(self) -> None:
        """Stop the running tournament; it can be resumed."""
        self.server.stop()

    def run_forecast(
        self, request: TournamentRequest, on_progress: Callable[[TournamentEvent], None] = lambda _: None
    ) -> TournamentForecast:
        """Return the schedule and the expected duration of a tournament without playing it."""
        return self.server.forecast(request, on_progress)

    def _submit(
        self, request: SubmitRequest, on_progress: Callable[[Activity | Note | CheckResult], None]
    ) -> SubmitResult:
        with tempfile.TemporaryDirectory(prefix="arena-") as folder:
            submission, files, _ = gather(request.path, Path(folder))
            name = request.name if request.name is not None else submission.launch.name
            bot = BotUpload(files, name, request.version or "", request.notes)
            try:
                taken = self.server.submit(bot, lambda what: on_progress(Activity(what)))
            except BadSubmission as error:
                raise BadSubmission(str(error), hint=f"Run `arena check {request.path}` for all checks.") from error
        bot_name, _, version = taken.label.rpartition(" ")
        failed = tuple(CheckResult(False, what, detail) for what, detail in taken.failed_checks)
        return SubmitResult(bot_name, version, tuple(taken.games), taken.is_new, failed)

    def retire(self, bot: str, *, undo: bool = False) -> None:
        """Take a bot out of future tournaments, or let it take part again."""
        self.server.retire(bot, undo=undo)

    def bots(self, *, every: bool = False) -> list[BotSummary]:
        """Return the latest version of every bot; `every`: also retired bots and old versions."""
        return self.server.bots(every=every)

    def leaderboard(
        self, bracket: str | Sequence[str] = (), *, tournament: str | int | None = None, highlights: bool = False
    ) -> Leaderboard:
        """Return the boards of these brackets, or of all, in one tournament or in all together."""
        brackets = [bracket] if isinstance(bracket, str) else bracket
        boards, found = self.server.leaderboard(brackets, None if tournament is None else str(tournament))
        if not boards:
            raise NotFound(f"{self.server.address} sent no board: no matches on record.")
        overall = build_overall(boards) if len(boards) > 1 else None
        return Leaderboard(tuple(boards), overall, found if highlights else {})

    def tournaments(self, limit: int = 20) -> list[TournamentSummary]:
        """Return the latest tournaments, the newest first."""
        return self.server.tournaments(limit)

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
        named = None if tournament is None else str(tournament)
        return self.server.matches(tournament=named, bot=bot, bracket=bracket, only_faults=only_faults, limit=limit)

    def match_names(self, tournament: str | int) -> list[str]:
        """Return the names of all matches of a tournament."""
        return self.server.names(str(tournament))

    def replay(self, match: str | Path) -> MatchReplay:
        """Return the replay of a match of the server, or of a replay file."""
        return read_replay(match, self.replays)

    def replays(self, matches: Sequence[str]) -> Iterator[bytes | NotFound]:
        """Yield the replays of these matches, or why there is none, in this order."""
        for start in range(0, len(matches), REPLAYS_PER_REQUEST):
            names = matches[start : start + REPLAYS_PER_REQUEST]
            found = self.server.replays(list(dict.fromkeys(names)))
            for name in names:
                yield found.get(name) or NotFound(f"{self.server.address} has not sent {name}.")
