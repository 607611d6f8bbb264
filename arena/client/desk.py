"""The client of a server's desk (protos/arena/v1/desk.proto): returns the same values as the reports of a local store.

Every failure is an `ArenaError` that names the server.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import grpc
from google.protobuf.message import Message

from arena.client.messages import BadMessage, from_message, to_message
from arena.client.play import CHANNEL_OPTIONS, Destination, Unreachable, unreachable
from arena.errors import ArenaError, BadSubmission, NotFound
from arena.events import Activity, Note
from arena.reports.board import Board
from arena.reports.listings import BotSummary, MatchSummary, TournamentSummary
from arena.requests import ResumeRequest, TournamentRequest
from arena.submissions.archive import pack
from arena.submissions.files import content_hash
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
EVENTS: Mapping[str, type[TournamentEvent]] = {
    "note": Note,
    "activity": Activity,
    "started": TournamentStarted,
    "progress": TournamentProgress,
}
"""By their names in RunTournamentResponse."""
Response = TypeVar("Response", bound=Message)
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class BotUpload:
    """A bot to submit."""

    files: Path
    """A folder with the bot's files and nothing else."""
    name: str
    version: str = ""
    notes: str = ""


@dataclass(slots=True)
class RemoteSubmission:
    """A bot that the server has accepted."""

    label: str
    games: list[str]
    is_new: bool
    failed_checks: list[tuple[str, str]] = field(default_factory=list)
    """Checks that it fails, which do not prevent the submission: what was checked, and the result."""


class DeskClient:
    """A connection to a server. Close it, or use it in a `with` statement."""

    def __init__(self, destination: Destination) -> None:
        self.address = destination.address
        self._metadata = (("authorization", f"Bearer {destination.token}"),)
        self._answered = False
        """Whether the server has ever answered."""
        if destination.insecure:
            self._channel = grpc.insecure_channel(destination.address, options=CHANNEL_OPTIONS)
        else:
            credentials = grpc.ssl_channel_credentials(destination.ca)
            self._channel = grpc.secure_channel(destination.address, credentials, options=CHANNEL_OPTIONS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._channel.close()

    # Queries

    def bots(self, *, every: bool) -> list[BotSummary]:
        """Return the submitted bots; `every`: also retired bots and old versions."""
        response = self._call(pb.ListBotsRequest(every=every), pb.ListBotsResponse)
        return self._values(response.bots, BotSummary)

    def leaderboard(self, brackets: Sequence[str], tournament: str | None) -> tuple[list[Board], dict[str, str]]:
        """Return the leaderboards, and why some matches are worth seeing, by match."""
        request = pb.GetLeaderboardRequest(brackets=brackets, tournament=tournament or "")
        response = self._call(request, pb.GetLeaderboardResponse)
        return self._values(response.boards, Board), {each.match: each.why for each in response.highlights}

    def tournaments(self, limit: int) -> list[TournamentSummary]:
        """Return the latest tournaments."""
        response = self._call(pb.ListTournamentsRequest(limit=limit), pb.ListTournamentsResponse)
        return self._values(response.tournaments, TournamentSummary)

    def matches(
        self, *, tournament: str | None, bot: str | None, bracket: str | None, only_faults: bool, limit: int
    ) -> list[MatchSummary]:
        """Return the latest matches that meet all conditions."""
        request = pb.ListMatchesRequest(
            tournament=tournament or "", bot=bot or "", bracket=bracket or "", only_faults=only_faults, limit=limit
        )
        return self._values(self._call(request, pb.ListMatchesResponse).matches, MatchSummary)

    def names(self, tournament: str) -> list[str]:
        """Return the names of all matches of a tournament."""
        return list(self._call(pb.ListMatchNamesRequest(tournament=tournament), pb.ListMatchNamesResponse).names)

    def replays(self, names: Sequence[str]) -> dict[str, bytes | NotFound]:
        """Return the replay files of at most REPLAYS_PER_REQUEST matches, or why there is none, by match."""
        response = self._call(pb.GetReplaysRequest(matches=names), pb.GetReplaysResponse)
        return {
            each.match: NotFound(f"{self.address}: {each.missing}") if each.missing else each.data
            for each in response.replays
        }

    # Changes

    def retire(self, bot: str, *, undo: bool) -> None:
        """Exclude a bot from future tournaments, or include it again."""
        self._call(pb.RetireRequest(bot=bot, undo=undo), pb.RetireResponse)

    def submit(self, bot: BotUpload, doing: Callable[[str], None]) -> RemoteSubmission:
        """Submit a bot; `doing` is called with each step. Raise `BadSubmission` if the server refuses it."""
        failed_checks: list[tuple[str, str]] = []
        call = self._channel.stream_stream(f"/{DESK}/Submit", _serialized, pb.SubmitResponse.FromString)
        for event in self._responses(call(_upload(bot), metadata=self._metadata)):
            if event.HasField("refused"):
                raise BadSubmission(f"{self.address}: {event.refused}")
            if event.HasField("submitted"):
                done = event.submitted
                label = f"{done.name} {done.version}"
                return RemoteSubmission(label, list(done.games), done.is_new, failed_checks)
            if event.HasField("failed_check"):
                failed_checks.append((event.failed_check.what, event.failed_check.detail))
            else:
                doing(event.doing)
        raise Unreachable(f"{self.address} ended the submission without a result.", hint="Submit the bot again.")

    # Tournaments

    def run(
        self, request: TournamentRequest | ResumeRequest, on_progress: Callable[[TournamentEvent], None]
    ) -> TournamentResult:
        """Start or resume a tournament on the server and wait for its end.

        The server runs it in its own home and sandbox, so these fields of the request are ignored. Raise the error
        with which the tournament fails. The tournament continues if this call is interrupted.
        """
        if isinstance(request, ResumeRequest):
            action = pb.RunTournamentRequest(resume=to_message(request, pb.ResumeOptions()))
        else:
            action = pb.RunTournamentRequest(start=to_message(request, pb.TournamentOptions()))
        return self._result(action, on_progress)

    def follow(self, on_progress: Callable[[TournamentEvent], None]) -> TournamentResult:
        """Report the events of the current tournament, or of the latest one, and wait for its end."""
        return self._result(pb.RunTournamentRequest(follow=pb.FollowOptions()), on_progress)

    def forecast(
        self, request: TournamentRequest, on_progress: Callable[[TournamentEvent], None]
    ) -> TournamentForecast:
        """Return the schedule and the expected duration of a tournament without playing it."""
        action = pb.RunTournamentRequest(forecast=to_message(request, pb.TournamentOptions()))
        return self._value(self._final_event(action, on_progress).forecast, TournamentForecast)

    def _result(
        self, action: pb.RunTournamentRequest, on_progress: Callable[[TournamentEvent], None]
    ) -> TournamentResult:
        return self._value(self._final_event(action, on_progress).result, TournamentResult)

    def _final_event(
        self, action: pb.RunTournamentRequest, on_progress: Callable[[TournamentEvent], None]
    ) -> pb.RunTournamentResponse:
        for event in self._stream(action, pb.RunTournamentResponse):
            kind = event.WhichOneof("event")
            if kind in ("result", "forecast"):
                return event
            if kind == "error":
                raise ArenaError(f"{self.address}: {event.error.message}", hint=event.error.hint or None)
            if kind in EVENTS:
                on_progress(self._value(getattr(event, kind), EVENTS[kind]))
        raise Unreachable(
            f"{self.address} stopped reporting the tournament.", hint="Run `arena tournament --follow --server …`."
        )

    def stop(self) -> None:
        """Stop the running tournament; it can be resumed."""
        self._call(pb.StopTournamentRequest(), pb.StopTournamentResponse)

    # Calls

    def _call(self, request: Message, kind: type[Response]) -> Response:
        """Make a call with one response."""
        (response,) = self._stream(request, kind)
        return response

    def _stream(self, request: Message, kind: type[Response]) -> Iterator[Response]:
        method = f"/{DESK}/{request.DESCRIPTOR.name.removesuffix('Request')}"
        call = self._channel.unary_stream(method, _serialized, kind.FromString)
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
            return NotFound(f"{self.address}: {details}")
        if code in HAS_REASON:
            return ArenaError(f"{self.address}: {details}")
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


def _serialized(message: Message) -> bytes:
    return message.SerializeToString()


def _upload(bot: BotUpload) -> Iterator[pb.SubmitRequest]:
    """Iterate over the messages of an upload."""
    with tempfile.TemporaryFile() as archive:
        pack(bot.files, archive)
        header = pb.SubmitHeader(
            name=bot.name,
            version=bot.version,
            notes=bot.notes,
            content_hash=content_hash(bot.files),
            size=archive.tell(),
        )
        yield pb.SubmitRequest(header=header)
        archive.seek(0)
        while data := archive.read(UPLOAD_PART):
            yield pb.SubmitRequest(data=data)
