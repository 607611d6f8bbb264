"""A game on the wire: what the referee sends of a match, and what a bot reads (protos/arena/v1).

Each game has an encoder for the referee's side and a reader for the bot's side in `codec.py` of its package.
Neither touches the network. A game without messages of its own in protos/ uses `json_codec`: every turn then carries
the view as a JSON document.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any, ClassVar

from arena.games.base import AnyState, Json, Result
from arena.games.turn import Clock, Turn
from arena.v1 import referee_pb2 as pb

PROTOCOL = 1
"""The version of the protocol that this arena speaks."""


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
    """The referee's side of one match: turns its state and events into messages.

    Each event is encoded once. The encoder remembers what each seat has been sent, so that a turn carries only the
    events that are new to the seat.
    """

    __slots__ = ("events", "seen", "state")

    def __init__(self, state: AnyState) -> None:
        self.state = state
        self.events = bytearray()
        self.seen = [0] * state.seats
        """Per seat, how many bytes of the events it has been sent."""

    def unseen_events(self, seat: int) -> bytes:
        """Return the events that are new to the seat, and mark them as seen."""
        new = bytes(self.events[self.seen[seat] :])
        self.seen[seat] = len(self.events)
        return new

    def forget(self, seat: int) -> None:
        """Mark all events as unseen by the seat: a new process has taken it."""
        self.seen[seat] = 0

    @abstractmethod
    def record(self, events: Sequence[Any]) -> None:
        """Take the public events of an action."""

    @abstractmethod
    def fill_start(self, start: pb.MatchStart) -> None:
        """Write the game's part of a match start."""

    @abstractmethod
    def add_turn(self, message: pb.PlayResponse, seat: int, match: int, turn: int, ms_left: int) -> None:
        """Add the seat's turn to the message."""

    @abstractmethod
    def fill_end(self, end: pb.MatchEnd, seat: int, result: Any) -> None:
        """Write the game's part of a match end."""


class Reader:
    """The bot's side of one match: remembers what the turns do not repeat. Raises `Unreadable`."""

    __slots__ = ("history", "seat", "seats", "unread")

    codes: ClassVar[ActionCodes]
    turn_type: ClassVar[type[Turn[Any, Any]]]

    def __init__(self, start: pb.MatchStart) -> None:
        self.seat = start.seat
        self.seats = start.seats
        self.history: list[Any] = []
        self.unread = bytearray()
        """Events that are not decoded yet: many bots never look at the history."""
        try:
            self.read_start(start)
        except UNDECODABLE as error:
            raise Unreadable(f"a start of {start.WhichOneof('game')}") from error

    def turn(self, message: Any, ends: float, rng: Random) -> Turn[Any, Any]:
        """Return the turn in the message; its answer is due at `ends`."""
        self.unread += message.events
        try:
            legal = self.codes.decode(message.legal)
        except KeyError as error:
            raise Unreadable(f"the actions of a {type(message).__name__}") from error
        return self.turn_type.lazy(legal, lambda: self.view(message, legal), ends, rng)

    def view(self, message: Any, legal: tuple[Any, ...]) -> Any:
        try:
            if self.unread:
                self.history += self.read_events(bytes(self.unread))
                self.unread.clear()
            return self.read_view(message, legal)
        except UNDECODABLE as error:
            raise Unreadable(f"a {type(message).__name__}") from error

    def read_start(self, start: pb.MatchStart) -> None:
        """Keep what the match start says of the game."""

    def read_events(self, events: bytes) -> Iterable[object]:
        """Return the events in the bytes."""
        raise NotImplementedError

    def read_view(self, message: Any, legal: tuple[Any, ...]) -> object:
        """Return the view in the message, with the history so far."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Codec:
    """How a game goes over the wire."""

    encoder: Callable[[AnyState], Encoder]
    reader: Callable[[pb.MatchStart], Reader]
    codes: ActionCodes
    number: int = pb.GAME_UNSPECIFIED
    """The game's value in the enum `Game` of referee.proto; games without one are named in `Hello.other_games`."""
    turns: str = "game_turns"
    """The field of a PlayResponse that carries the game's turns."""


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

        def fill_start(self, start: pb.MatchStart) -> None:
            start.other.game = game

        def add_turn(self, message: pb.PlayResponse, seat: int, match: int, turn: int, ms_left: int) -> None:
            view = self.state.view(seat)
            legal = [codes.code_of[action] for action in view.legal]
            message.game_turns.add(match=match, turn=turn, legal=legal, view=json.dumps(to_json(view)), ms_left=ms_left)

        def fill_end(self, end: pb.MatchEnd, seat: int, result: Result) -> None:
            del seat
            end.other.details = json.dumps(result.details())

    class JsonReader(Reader):
        __slots__ = ()

        def turn(self, message: pb.GameTurn, ends: float, rng: Random) -> Turn[Any, Any]:
            try:
                view = from_json(json.loads(message.view), tuple([codes.action_of[code] for code in message.legal]))
            except (*UNDECODABLE, AttributeError, TypeError, RecursionError) as error:
                raise Unreadable(f"a turn of {game}") from error
            return Turn(view, Clock(ends), rng)

    codes = ActionCodes(code_of)
    return Codec(JsonEncoder, JsonReader, codes)
