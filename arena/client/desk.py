"""The arena of a server, through its desk (protos/arena/v1/desk.proto).

Every failure is an `ArenaError` that names the server.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, TypeVar

import grpc
from google.protobuf.message import Message

from arena.api import ArenaMethods
from arena.client.messages import HINT_METADATA, BadMessage, from_message, to_message
from arena.client.play import Destination, Unreachable, unreachable
from arena.errors import ArenaError, BadSubmission, NotFound, UserError
from arena.events import Activity, Note
from arena.reports.board import Leaderboard
from arena.reports.listings import BotSummary, MatchSummary, TournamentSummary
from arena.requests import EventT, ForecastRequest, Request, ResultT, ResumeRequest, SubmitRequest, TournamentRequest
from arena.submissions.archive import pack
from arena.submissions.files import content_hash
from arena.submissions.submit import SubmitResult, gather
from arena.tournament.outcome import (
    TournamentEvent,
    TournamentForecast,
    TournamentProgress,
    TournamentResult,
    TournamentStarted,
)
from arena.v1 import desk_pb2 as pb

DESK = pb.DESCRIPTOR.services_by_name["Desk"].full_name
UPLOAD_PART = 60 * 1024
"""Bytes of the archive in one message."""
REPLAYS_PER_REQUEST = 100
HAS_REASON = (
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.ABORTED,
    grpc.StatusCode.FAILED_PRECONDITION,
)
"""Codes with which the server sends a sentence for the user."""
_EVENTS = (Activity, Note, SubmitResult, TournamentForecast, TournamentProgress, TournamentResult, TournamentStarted)
EVENTS: Mapping[str, Any] = {kind.__name__: kind for kind in _EVENTS}
"""The types of events by the names of their messages."""
Response = TypeVar("Response", bound=Message)
Value = TypeVar("Value")


class RequestFailed(ArenaError):
    """The server could not carry out a request."""


class RemoteArena(ArenaMethods):
    """The arena of an `arena serve`. Close it, or use it in a with statement."""

    def __init__(self, destination: Destination) -> None:
        self.address = destination.address
        self._metadata = (("authorization", f"Bearer {destination.token}"),)
        self._answered = False
        """Whether the server has ever answered."""
        self._channel = destination.channel()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._channel.close()

    # Requests

    def run(
        self,
        request: Request[ResultT, EventT],
        on_progress: Callable[[EventT], None] = lambda _: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> ResultT:
        """Carry out a request. The server uses its own sandbox, and its own time limits to check a bot.

        A tournament continues on the server if this call is interrupted. `stop` is called after each event.
        """
        notify: Any = on_progress
        match request:
            case SubmitRequest():
                return self._submit(request, notify)  # type: ignore[no-any-return]
            case TournamentRequest():
                action = pb.RunTournamentRequest(start=to_message(request, pb.TournamentOptions()))
            case ResumeRequest():
                action = pb.RunTournamentRequest(resume=to_message(request, pb.ResumeOptions()))
            case ForecastRequest():
                action = pb.RunTournamentRequest(forecast=to_message(request.tournament, pb.TournamentOptions()))
            case _:
                raise UserError(f"`{type(request).__name__}` is not for servers: it runs on this machine only.")
        return self._tournament(action, notify, stop)  # type: ignore[no-any-return]

    def follow(self, on_progress: Callable[[TournamentEvent], None] = lambda _: None) -> TournamentResult:
        """Report the events of the current tournament, or of the latest one, and wait for its end."""
        action = pb.RunTournamentRequest(follow=pb.FollowOptions())
        return self._tournament(action, on_progress, lambda: False)  # type: ignore[no-any-return]

    def stop(self) -> None:
        """Stop the running tournament; it can be resumed."""
        self._call(pb.StopTournamentRequest(), pb.StopTournamentResponse)

    def _tournament(self, action: pb.RunTournamentRequest, notify: Any, stop: Callable[[], bool]) -> Any:
        ended = Unreachable(
            f"{self.address} stopped reporting the tournament.", hint="Run `arena tournament --follow --server …`."
        )
        return self._result(self._stream(action, pb.RunTournamentResponse), ended, notify, stop)

    def _submit(self, request: SubmitRequest, notify: Callable[[Activity], None]) -> Any:
        call = self._channel.stream_stream(
            f"/{DESK}/Submit", pb.SubmitRequest.SerializeToString, pb.SubmitResponse.FromString
        )
        with tempfile.TemporaryDirectory(prefix="arena-") as folder:
            submission, files, _ = gather(request.path, Path(folder))
            name = submission.launch.name if request.name is None else request.name
            upload = _upload(files, name, request.version or "", request.notes)
            ended = Unreachable(f"{self.address} ended the submission without a result.", hint="Submit the bot again.")
            try:
                return self._result(self._responses(call(upload, metadata=self._metadata)), ended, notify)
            except RequestFailed as error:
                hint = error.hint or f"Run `arena check {request.path}` for all checks."
                raise BadSubmission(str(error), hint=hint) from error

    def _result(
        self, responses: Iterator[Any], ended: Unreachable, notify: Any, stop: Callable[[], bool] = lambda: False
    ) -> Any:
        """Report the events of a request and return its result. Raise `ended` if there is none."""
        stopped = False
        for response in responses:
            kind = response.WhichOneof("event")
            if kind is None:  # of a newer server
                continue
            message = getattr(response, kind)
            if kind == "error":
                raise RequestFailed(f"{self.address}: {message.message}", hint=message.hint or None)
            event = self._value(message, EVENTS[message.DESCRIPTOR.name])
            if kind in ("result", "forecast"):
                return event
            notify(event)
            if not stopped and stop():
                stopped = True
                self.stop()
        raise ended

    def retire(self, bot: str, *, undo: bool = False) -> None:
        """Take a bot out of future tournaments, or let it take part again."""
        self._call(pb.RetireRequest(bot=bot, undo=undo), pb.RetireResponse)

    # Results

    def bots(self, *, every: bool = False) -> list[BotSummary]:
        """Return the latest version of every bot; `every`: also retired bots and old versions."""
        response = self._call(pb.ListBotsRequest(every=every), pb.ListBotsResponse)
        return self._values(response.bots, BotSummary)

    def leaderboard(
        self, bracket: str | Sequence[str] = (), *, tournament: str | int | None = None, highlights: bool = False
    ) -> Leaderboard:
        """Return the boards of these brackets, or of all, in one tournament or in all together."""
        brackets = [bracket] if isinstance(bracket, str) else bracket
        request = pb.GetLeaderboardRequest(brackets=brackets, tournament=_text(tournament))
        found = self._value(self._call(request, pb.GetLeaderboardResponse), Leaderboard)
        if not found.boards:
            raise NotFound(f"{self.address} sent no board: no matches on record.")
        return found if highlights else replace(found, highlights={})

    def tournaments(self, limit: int = 20) -> list[TournamentSummary]:
        """Return the latest tournaments, the newest first."""
        response = self._call(pb.ListTournamentsRequest(limit=limit), pb.ListTournamentsResponse)
        return self._values(response.tournaments, TournamentSummary)

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
        request = pb.ListMatchesRequest(
            tournament=_text(tournament), bot=_text(bot), bracket=_text(bracket), only_faults=only_faults, limit=limit
        )
        return self._values(self._call(request, pb.ListMatchesResponse).matches, MatchSummary)

    def match_names(self, tournament: str | int) -> list[str]:
        """Return the names of all matches of a tournament."""
        request = pb.ListMatchNamesRequest(tournament=str(tournament))
        return list(self._call(request, pb.ListMatchNamesResponse).names)

    def replays(self, matches: Sequence[str]) -> Iterator[bytes | NotFound]:
        for start in range(0, len(matches), REPLAYS_PER_REQUEST):
            names = matches[start : start + REPLAYS_PER_REQUEST]
            response = self._call(pb.GetReplaysRequest(matches=dict.fromkeys(names)), pb.GetReplaysResponse)
            found = {each.match: each for each in response.replays}
            for name in names:
                if name not in found:
                    yield NotFound(f"{self.address} has not sent {name}.")
                elif found[name].missing:
                    yield NotFound(f"{self.address}: {found[name].missing}")
                else:
                    yield found[name].data

    # Calls

    def _call(self, request: Message, kind: type[Response]) -> Response:
        """Make a call with one response."""
        (response,) = self._stream(request, kind)
        return response

    def _stream(self, request: Message, kind: type[Response]) -> Iterator[Response]:
        method = f"/{DESK}/{request.DESCRIPTOR.name.removesuffix('Request')}"
        call = self._channel.unary_stream(method, type(request).SerializeToString, kind.FromString)
        return self._responses(call(request, metadata=self._metadata))

    def _responses(self, responses: Iterator[Response]) -> Iterator[Response]:
        """Iterate over the responses of a call; raise an `ArenaError` if it fails."""
        try:
            for response in responses:
                self._answered = True
                yield response
        except grpc.RpcError as error:
            raise self._explained(error) from error

    def _explained(self, error: Any) -> ArenaError:
        code, details = error.code(), error.details()
        if code is grpc.StatusCode.NOT_FOUND:
            return NotFound(f"{self.address}: {details}", hint=_hint(error))
        if code in HAS_REASON:
            return ArenaError(f"{self.address}: {details}", hint=_hint(error))
        if code is grpc.StatusCode.UNIMPLEMENTED:
            return ArenaError(
                f"{self.address} does not support this: it is not an `arena serve`, or of another version."
            )
        was_connected = self._answered or code is not grpc.StatusCode.UNAVAILABLE
        return unreachable(self.address, details, was_connected=was_connected)

    def _values(self, messages: Sequence[Message], kind: type[Value]) -> list[Value]:
        return [self._value(message, kind) for message in messages]

    def _value(self, message: Message, kind: type[Value]) -> Value:
        try:
            return from_message(message, kind)
        except BadMessage as error:
            raise ArenaError(f"{self.address} sent an invalid response: {error}") from error


def _hint(error: Any) -> str | None:
    """Return the hint in the trailing metadata of a failed call."""
    hint: bytes | None = dict(error.trailing_metadata() or ()).get(HINT_METADATA)
    return None if hint is None else hint.decode(errors="replace")


def _text(value: str | int | None) -> str:
    return "" if value is None else str(value)


def _upload(files: Path, name: str, version: str, notes: str) -> Iterator[pb.SubmitRequest]:
    """Yield the messages of an upload of these files."""
    with tempfile.TemporaryFile() as archive:
        pack(files, archive)
        header = pb.SubmitHeader(
            name=name, version=version, notes=notes, content_hash=content_hash(files), size=archive.tell()
        )
        yield pb.SubmitRequest(header=header)
        archive.seek(0)
        while data := archive.read(UPLOAD_PART):
            yield pb.SubmitRequest(data=data)
