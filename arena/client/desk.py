"""An arena elsewhere, seen from here: what its desk offers (protos/arena/v1/desk.proto), as plain values.

Everything that goes wrong is an ArenaError that names the server. What it sends is believed no more than other texts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import grpc
from google.protobuf.message import Message

from arena.client.play import CHANNEL_OPTIONS, Destination
from arena.errors import ArenaError, BadSubmission, NotFound
from arena.submissions.files import content_hash, files_of
from arena.v1 import desk_pb2 as pb

SERVICE = pb.DESCRIPTOR.services_by_name["Desk"].full_name
PART = 60 * 1024
"""The bytes in a message."""
REPLAYS_AT_ONCE = 100
TOLD = (
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.ABORTED,
    grpc.StatusCode.FAILED_PRECONDITION,
)
"""With these the server says in a sentence what is wrong."""


def _text(value: object) -> bool:
    return isinstance(value, str)


def _text_or_nothing(value: object) -> bool:
    return value is None or isinstance(value, str)


def _number(value: object) -> bool:
    return isinstance(value, int | float)


def _list_of(fits: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list) and all(map(fits, value))


def _ratings(value: object) -> bool:
    return isinstance(value, dict) and all(map(_number, value.values()))


Shape = Mapping[str, Callable[[object], bool]]
BOT_ROW: Shape = {
    **dict.fromkeys(("bot", "version"), _text),
    **dict.fromkeys(("matches", "faults", "retired"), _number),
    **dict.fromkeys(("last_match", "last_result"), _text_or_nothing),
    "ratings": _ratings,
}
TOURNAMENT_ROW: Shape = {
    **dict.fromkeys(("name", "format", "state", "began"), _text),
    **dict.fromkeys(("tournament", "bots", "matches", "rated"), _number),
    "brackets": _list_of(_text),
}
MATCH_ROW: Shape = {
    **dict.fromkeys(("match", "round"), _text),
    "bots": _list_of(_text),
    "placements": _list_of(_number),
    "faults": _list_of(_text_or_nothing),
}
"""What must be in the rows that are shown."""
Row = dict[str, Any]
Answer = TypeVar("Answer", bound=Message)
Kind = TypeVar("Kind", bound=Message)


class Unreachable(ArenaError):
    """The server cannot be reached, or was lost on the way."""


@dataclass(frozen=True, slots=True)
class Handover:
    """A bot that is to be handed in."""

    files: Path
    """A folder with nothing but its files."""
    program: str
    """The file with which it is started; empty: its arena.toml says how."""
    name: str
    version: str = ""
    notes: str = ""


@dataclass(slots=True)
class Taken:
    """A bot that was taken in."""

    label: str
    games: list[str]
    is_new: bool
    shortcomings: list[tuple[str, str]] = field(default_factory=list)
    """Checks that it did not pass, which do not keep it out: what, and what came of it."""


class Server:
    """A connection. Close it, or use it in a with statement."""

    def __init__(self, destination: Destination) -> None:
        self.address = destination.address
        self._metadata = (("authorization", f"Bearer {destination.token}"),)
        self._heard = False
        """Whether it has ever answered."""
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

    # What people look at

    def bots(self, *, every: bool) -> list[Row]:
        """The rows of `arena bots`."""
        return self._rows(self._ask(pb.BotsRequest(every=every), pb.BotsResponse), BOT_ROW)

    def leaderboard(self, brackets: Sequence[str], tournament: str | None) -> tuple[Any, dict[str, str]]:
        """The boards, in the format arena.leaderboard/1, and matches that are worth a look: why, by name."""
        request = pb.LeaderboardRequest(brackets=brackets, tournament=tournament or "")
        parts = list(self._ask(request, pb.LeaderboardResponse))
        return self._document(iter(parts)), {each.match: each.why for part in parts for each in part.highlights}

    def tournaments(self, lines: int) -> list[Row]:
        """The rows of `arena history`."""
        return self._rows(self._ask(pb.HistoryRequest(lines=lines), pb.HistoryResponse), TOURNAMENT_ROW)

    def matches(
        self, *, tournament: str | None, bot: str | None, bracket: str | None, only_faults: bool, lines: int
    ) -> list[Row]:
        """The rows of `arena history --matches`."""
        request = pb.HistoryRequest(
            matches=True,
            tournament=tournament or "",
            bot=bot or "",
            bracket=bracket or "",
            faults=only_faults,
            lines=lines,
        )
        rows = self._rows(self._ask(request, pb.HistoryResponse), MATCH_ROW)
        if any(len({len(row[name]) for name in ("bots", "placements", "faults")}) > 1 for row in rows):
            raise ArenaError(f"{self.address} has sent what cannot be read here: a match with some seats missing.")
        return rows

    def names(self, tournament: str) -> list[str]:
        """The names of all matches of a tournament."""
        parts = self._ask(pb.MatchesRequest(tournament=tournament), pb.MatchesResponse)
        return [name for part in parts for name in part.names]

    def replays(self, names: Sequence[str]) -> dict[str, bytes | NotFound]:
        """The replays of these matches, at most REPLAYS_AT_ONCE, as they are written to files; or why there is none."""
        found: dict[str, bytes | NotFound] = {}
        name = ""
        written = bytearray()
        for part in self._ask(pb.ReplaysRequest(matches=names), pb.ReplaysResponse):
            if part.match:
                name, written = part.match, bytearray()
            written += part.data
            found[name] = NotFound(f"{self.address}: {part.missing}") if part.missing else bytes(written)
        return found

    # What people do

    def retire(self, bot: str, *, undo: bool) -> None:
        """Takes a bot out of future tournaments, or lets it take part again."""
        for _ in self._ask(pb.RetireRequest(bot=bot, undo=undo), pb.RetireResponse):
            pass

    def submit(self, bot: Handover, doing: Callable[[str], None]) -> Taken:
        """Hands a bot in; `doing` is told what is under way. Raises BadSubmission where it is not taken in."""
        taken = Taken("", [], is_new=False)
        paths = sorted(files_of(bot.files, ()))
        parts = _parts_of(_header_of(bot, paths), [(_named(bot, path), path) for path in paths])
        call = self._channel.stream_stream(f"/{SERVICE}/Submit", _written, pb.SubmitResponse.FromString)
        for news in self._heard_from(call(parts, metadata=self._metadata)):
            if news.HasField("refused"):
                raise BadSubmission(f"{self.address}: {news.refused}")
            if news.HasField("submitted"):
                taken.label = f"{news.submitted.name} {news.submitted.version}"
                taken.games = list(news.submitted.games)
                taken.is_new = news.submitted.is_new
                return taken
            if news.HasField("shortcoming"):
                taken.shortcomings.append((news.shortcoming.what, news.shortcoming.detail))
            else:
                doing(news.doing)
        raise Unreachable(f"{self.address} ended the submission without a word: hand it in again.")

    def hold(
        self, holding: Any, bots: Sequence[str], options: Sequence[tuple[str, str]], columns: int
    ) -> Iterator[pb.HoldTournamentResponse]:
        """Begins a tournament there, goes on with one or follows one (pb.HOLDING_…): how it goes, to its end."""
        wanted = [pb.TournamentOption(name=name, value=value) for name, value in options]
        request = pb.HoldTournamentRequest(holding=holding, bots=bots, options=wanted, columns=columns)
        return self._ask(request, pb.HoldTournamentResponse)

    def stop(self) -> None:
        """Interrupts the tournament that is being held there."""
        for _ in self._ask(pb.StopTournamentRequest(), pb.StopTournamentResponse):
            pass

    # How it is asked

    def _ask(self, request: Message, kind: type[Answer]) -> Iterator[Answer]:
        method = f"/{SERVICE}/{request.DESCRIPTOR.name.removesuffix('Request')}"
        call = self._channel.unary_stream(method, _written, kind.FromString)
        return self._heard_from(call(request, metadata=self._metadata))

    def _heard_from(self, answers: Iterator[Kind]) -> Iterator[Kind]:
        """The answers, one after the other; what goes wrong becomes a sentence."""
        try:
            for answer in answers:
                self._heard = True
                yield answer
        except grpc.RpcError as error:
            raise self._explained(error) from error

    def _explained(self, error: Any) -> ArenaError:
        code, details = error.code(), error.details()
        if code is grpc.StatusCode.NOT_FOUND:
            return NotFound(f"{self.address}: {details}")
        if code in TOLD:
            return ArenaError(f"{self.address}: {details}")
        if code is grpc.StatusCode.UNIMPLEMENTED:
            return ArenaError(f"{self.address} does not know this: it is no arena serve, or an older one.")
        if self._heard or code is not grpc.StatusCode.UNAVAILABLE:
            return Unreachable(f"the connection to {self.address} broke: {details}. Try again.")
        return Unreachable(
            f"{self.address} cannot be reached, or is not the server that you take it for: {details}. "
            "Is the address right, and is --ca the file with its certificate?"
        )

    def _rows(self, parts: Iterator[Any], shape: Shape) -> list[Row]:
        rows = self._document(parts)
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise ArenaError(f"{self.address} has sent what cannot be read here: no list of rows.")
        for row in rows:
            for name, fits in shape.items():
                if name not in row or not fits(row[name]):
                    raise ArenaError(f"{self.address} has sent what cannot be read here: a row without {name!r}.")
        return rows

    def _document(self, parts: Iterator[Any]) -> Any:
        try:
            return json.loads(b"".join(part.json for part in parts))
        except (ValueError, RecursionError) as error:
            raise ArenaError(f"{self.address} has sent what cannot be read here: {error}.") from error


def _written(message: Message) -> bytes:
    return message.SerializeToString()


def _header_of(bot: Handover, files: Sequence[Path]) -> pb.SubmitHeader:
    return pb.SubmitHeader(
        name=bot.name,
        version=bot.version,
        notes=bot.notes,
        program=bot.program,
        content_hash=content_hash(bot.files),
        files=len(files),
        size=sum(path.stat().st_size for path in files),
    )


def _named(bot: Handover, path: Path) -> pb.SubmitFile:
    name = path.relative_to(bot.files).as_posix()
    try:
        return pb.SubmitFile(path=name, executable=bool(path.stat().st_mode & 0o100))
    except ValueError as error:  # what is no UTF-8 cannot be sent
        raise BadSubmission(f"{name!a} cannot be sent: give this file a name that is text.") from error


def _parts_of(header: pb.SubmitHeader, files: Sequence[tuple[pb.SubmitFile, Path]]) -> Iterator[pb.SubmitRequest]:
    """The bot as it is sent."""
    yield pb.SubmitRequest(header=header)
    for named, path in files:
        yield pb.SubmitRequest(file=named)
        with path.open("rb") as file:
            while data := file.read(PART):
                yield pb.SubmitRequest(data=data)
