"""A game on the wire: what the referee sends of a match, and what a bot reads (protos/arena/v1).

Each game has an encoder for the referee's side and a reader for the bot's side in `codec.py` of its package.
Neither touches the network. A game without messages of its own in protos/ uses `json_codec`: every turn then carries
the view as a JSON document.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from arena.games.base import AnyState, Json, OneOfAKind, Result
from arena.games.turn import Clock, Turn
from arena.v1 import referee_pb2 as pb

PROTOCOL = 1
"""The version of the protocol that this arena speaks."""


class Unreadable(Exception):
    """The referee has sent a message that this version of the protocol does not have, or that contradicts itself."""


UNDECODABLE = (KeyError, ValueError, IndexError, ZeroDivisionError)
"""What looking up codes, and cutting bytes into pieces, raises when they are malformed."""


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
    def record(self, events: Sequence[object]) -> None:
        """Take the public events of an action."""

    @abstractmethod
    def fill_start(self, start: pb.MatchStart) -> None:
        """Write the game's part of a match start."""

    @abstractmethod
    def add_turn(self, message: pb.PlayResponse, seat: int, match: int, turn: int, ms_left: int) -> None:
        """Add the seat's turn to the message."""

    @abstractmethod
    def fill_end(self, end: pb.MatchEnd, seat: int, result: Result) -> None:
        """Write the game's part of a match end."""

    @abstractmethod
    def action(self, code: int) -> OneOfAKind | None:
        """Return the action that the code in an answer stands for, or None."""


class Reader(ABC):
    """The bot's side of one match: remembers what the turns do not repeat. Raises Unreadable."""

    __slots__ = ()

    @abstractmethod
    def turn(self, message: Any, ends: float, rng: Random) -> Turn[Any, Any]:
        """Return the turn in the message; its answer is due at `ends`."""


@dataclass(frozen=True, slots=True)
class Codec:
    """How a game goes over the wire."""

    encoder: Callable[[AnyState], Encoder]
    reader: Callable[[pb.MatchStart], Reader]
    codes: Mapping[Any, int]
    """The number that stands for each action in an answer."""
    number: int = pb.GAME_UNSPECIFIED
    """The game's value in the enum `Game` of referee.proto; games without one are named in `Hello.other_games`."""
    turns: str = "game_turns"
    """The field of a PlayResponse that carries the game's turns."""


def json_codec(
    game: str,
    codes: Mapping[Any, int],
    to_json: Callable[[Any], Json],
    from_json: Callable[[Any, tuple[Any, ...]], Any],
) -> Codec:
    """Return the codec of a game without messages of its own.

    `to_json` writes a view without its seat and its legal actions; `from_json` makes the view of it again, with the
    legal actions.
    """
    actions = {code: action for action, code in codes.items()}

    class JsonEncoder(Encoder):
        __slots__ = ()

        def record(self, events: Sequence[object]) -> None:
            del events  # every turn carries the whole view

        def fill_start(self, start: pb.MatchStart) -> None:
            start.other.game = game

        def add_turn(self, message: pb.PlayResponse, seat: int, match: int, turn: int, ms_left: int) -> None:
            view = self.state.view(seat)
            message.game_turns.add(
                match=match,
                turn=turn,
                legal=[codes[action] for action in view.legal],
                view=json.dumps(to_json(view)),
                ms_left=ms_left,
            )

        def fill_end(self, end: pb.MatchEnd, seat: int, result: Result) -> None:
            del seat
            end.other.details = json.dumps(result.details())

        def action(self, code: int) -> OneOfAKind | None:
            return actions.get(code)

    class JsonReader(Reader):
        __slots__ = ()

        def __init__(self, start: pb.MatchStart) -> None:
            del start

        def turn(self, message: pb.GameTurn, ends: float, rng: Random) -> Turn[Any, Any]:
            try:
                legal = tuple(actions[code] for code in message.legal)
                view = from_json(json.loads(message.view), legal)
            except (*UNDECODABLE, AttributeError, TypeError, RecursionError) as error:
                raise Unreadable(f"a turn of {game}") from error
            return Turn(view, Clock(ends), rng)

    return Codec(JsonEncoder, JsonReader, codes)
