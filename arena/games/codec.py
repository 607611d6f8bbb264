"""A game on the wire: what the referee sends of a match, and what a bot reads (protos/arena/v1).

Each game has an encoder for the referee's side and a reader for the bot's side in `codec.py` of its package.
Neither touches the network. The encoder returns the entries of the columns of version 2; the codec's `Version1` makes
the messages of version 1 from the same entries. A game without messages of its own in protos/ uses `json_codec`: every
position is then the view as a JSON document.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any, ClassVar, NamedTuple, Protocol

from arena.games.base import AnyState, Json, Result
from arena.games.turn import Turn
from arena.v1 import referee_pb2 as pb

PROTOCOLS = (1, 2)
"""The versions of the protocol that this arena speaks."""


class Unreadable(Exception):
    """The referee has sent a message that this version of the protocol does not have, or that contradicts itself."""


UNDECODABLE = (KeyError, ValueError, IndexError, ZeroDivisionError)
"""What looking up codes, and cutting bytes into pieces, raises when they are malformed."""


class ActionCodes:
    """The numbers that stand for a game's actions in messages."""

    def __init__(self, code_of: Mapping[Any, int]) -> None:
        self.code_of = code_of
        self.action_of = {code: action for action, code in code_of.items()}
        # Few different sets of legal actions occur.
        self.encode: Callable[[tuple[Any, ...]], bytes] = lru_cache(1024)(
            lambda legal: bytes([self.code_of[action] for action in legal])
        )
        self.decode: Callable[[bytes], tuple[Any, ...]] = lru_cache(1024)(
            lambda codes: tuple([self.action_of[code] for code in codes])
        )


class Encoder(ABC):
    """The referee's side of one match: turns its state and events into entries of columns.

    Each event is encoded once. The encoder remembers what each seat has been sent, so that a turn carries only the
    events that are new to the seat.
    """

    __slots__ = ("events", "seen", "state")

    def __init__(self, state: AnyState) -> None:
        self.state = state
        self.events = b""
        self.seen = [0] * state.seats
        """Per seat, how many bytes of the events it has been sent."""

    def unseen_events(self, seat: int) -> bytes:
        """Return the events that are new to the seat, and mark them as seen."""
        events, seen = self.events, self.seen
        new = events[seen[seat] :]
        seen[seat] = len(events)
        return new

    def forget(self, seat: int) -> None:
        """Mark all events as unseen by the seat: a new process has taken it."""
        self.seen[seat] = 0

    def setup(self) -> bytes:
        """Return what is public before the first turn."""
        return b""

    @abstractmethod
    def record(self, events: Sequence[Any]) -> None:
        """Take the public events of an action."""

    @abstractmethod
    def fill_rules(self, rules: pb.Rules) -> None:
        """Write the game and its options."""

    @abstractmethod
    def legal(self) -> bytes:
        """Return the codes of the legal actions."""

    @abstractmethod
    def position(self, seat: int) -> bytes:
        """Return all that the seat on turn may know, besides the events."""

    @abstractmethod
    def result(self, result: Any) -> bytes:
        """Return the game's own result."""


class TurnEntry(NamedTuple):
    """One turn, as in the columns of `Turns`."""

    match: int
    turn: int
    legal: bytes
    position: bytes
    events: bytes
    ms_left: int


class Version1(Protocol):
    """The writer of a game's messages in version 1 of the protocol, from the columns of version 2."""

    def fill_start(self, start: pb.MatchStart, rules: pb.Rules, setup: bytes) -> None:
        """Write the game's part of a match start."""

    def add_turn(self, message: pb.PlayResponse, seats: int, turn: TurnEntry) -> None:
        """Add the turn to the message."""

    def fill_end(self, end: pb.MatchEnd, result: bytes, events: bytes) -> None:
        """Write the game's part of a match end."""


class Reader:
    """The bot's side of one match: remembers what the turns do not repeat. Raises `Unreadable`."""

    __slots__ = ("_rng", "history", "seat", "seats", "seed", "unread")

    codes: ClassVar[ActionCodes]
    turn_type: ClassVar[type[Turn[Any, Any]]] = Turn

    def __init__(self, rules: pb.Rules, seat: int = 0, seed: int = 0, setup: bytes = b"") -> None:
        self.seat = seat
        self.seats = rules.seats
        self.seed = seed
        self._rng: Random | None = None
        self.history: list[Any] = []
        self.unread = b""
        """Events that are not decoded yet: many bots never look at the history."""
        try:
            self.read_start(rules, setup)
        except UNDECODABLE as error:
            raise Unreadable(f"a start of {rules.WhichOneof('game')}") from error

    @property
    def rng(self) -> Random:
        """The seat's source of randomness, made when it is first used."""
        if self._rng is None:
            self._rng = Random(self.seed)
        return self._rng

    def turn(self, legal: bytes, position: bytes, events: bytes = b"", ends: float = float("inf")) -> Turn[Any, Any]:
        """Return a turn whose answer is due at `ends`. The rest is decoded when the bot looks at it."""
        if events:
            self.unread += events
        try:
            actions = self.codes.decode(legal)
        except KeyError as error:
            raise Unreadable("legal actions") from error
        return self.turn_type.lazy(actions, self, position, ends)

    def view(self, position: bytes, legal: tuple[Any, ...]) -> Any:
        try:
            if self.unread:
                self.history += self.read_events(self.unread)
                self.unread = b""
            return self.read_view(position, legal)
        except UNDECODABLE as error:
            raise Unreadable("a position") from error

    def read_start(self, rules: pb.Rules, setup: bytes) -> None:
        """Keep what the match start says of the game."""

    def read_events(self, events: bytes) -> Iterable[object]:
        """Return the events in the bytes."""
        raise NotImplementedError

    def read_view(self, position: bytes, legal: tuple[Any, ...]) -> object:
        """Return the view in the position, with the history so far."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Codec:
    """How a game goes over the wire."""

    encoder: Callable[[AnyState], Encoder]
    reader: Callable[[pb.Rules, int, int, bytes], Reader]
    codes: ActionCodes
    version1: Version1
    number: int = pb.GAME_UNSPECIFIED
    """The game's value in the enum `Game` of referee.proto; games without one are named in `Hello.other_games`."""


class JsonVersion1:
    """A game without messages of its own in version 1 of the protocol."""

    def fill_start(self, start: pb.MatchStart, rules: pb.Rules, setup: bytes) -> None:
        del setup
        start.other.CopyFrom(rules.other)

    def add_turn(self, message: pb.PlayResponse, seats: int, turn: TurnEntry) -> None:
        del seats
        view = turn.position.decode()
        message.game_turns.add(match=turn.match, turn=turn.turn, legal=turn.legal, view=view, ms_left=turn.ms_left)

    def fill_end(self, end: pb.MatchEnd, result: bytes, events: bytes) -> None:
        del events
        end.other.details = result.decode()


def json_codec(
    game: str,
    code_of: Mapping[Any, int],
    to_json: Callable[[Any], Json],
    from_json: Callable[[Any, tuple[Any, ...]], Any],
) -> Codec:
    """Return the codec of a game without messages of its own.

    `to_json` writes a view without its legal actions; `from_json` makes the view of it again, with the legal actions.
    """

    class JsonEncoder(Encoder):
        __slots__ = ()

        def record(self, events: Sequence[object]) -> None:
            """Do nothing: every turn carries the whole view."""

        def fill_rules(self, rules: pb.Rules) -> None:
            rules.other.game = game

        def legal(self) -> bytes:
            return codes.encode(self.state.legal())

        def position(self, seat: int) -> bytes:
            return json.dumps(to_json(self.state.view(seat))).encode()

        def result(self, result: Result) -> bytes:
            return json.dumps(result.details()).encode()

    class JsonReader(Reader):
        __slots__ = ()

        def read_view(self, position: bytes, legal: tuple[Any, ...]) -> object:
            try:
                return from_json(json.loads(position), legal)
            except (AttributeError, TypeError, RecursionError) as error:
                raise Unreadable(f"a position of {game}") from error

    codes = ActionCodes(code_of)
    JsonReader.codes = codes
    return Codec(JsonEncoder, JsonReader, codes, JsonVersion1())
