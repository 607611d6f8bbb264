"""What the referee needs of a game's encoder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from arena.games.base import AnyState, OneOfAKind, Result
from arena.v1 import referee_pb2 as pb


class Unreadable(Exception):
    """The referee has sent what this version of the protocol does not have, or what does not fit together."""


UNDECODABLE = (KeyError, ValueError, IndexError, ZeroDivisionError)
"""What looking up codes, and cutting bytes into pieces, raises where they are not what they should be."""


class Encoder(ABC):
    """One match on the wire: turns its state and events into messages.

    Each event is encoded once; what a seat has been sent of the events is remembered, so that every turn carries just
    those that are new to it.
    """

    __slots__ = ("events", "seen", "state")

    def __init__(self, state: AnyState) -> None:
        self.state = state
        self.events = bytearray()
        self.seen = [0] * state.seats
        """Per seat, how many bytes of the events it has been sent."""

    def unseen_events(self, seat: int) -> bytes:
        """The events that are new to the seat; from now on it has seen them."""
        new = bytes(self.events[self.seen[seat] :])
        self.seen[seat] = len(self.events)
        return new

    def forget(self, seat: int) -> None:
        """The seat has seen nothing: a new process has taken it."""
        self.seen[seat] = 0

    @abstractmethod
    def record(self, events: Sequence[object]) -> None:
        """Takes the public events of an action."""

    @abstractmethod
    def fill_start(self, start: pb.MatchStart) -> None:
        """Writes the game's part of a match start."""

    @abstractmethod
    def add_turn(self, message: pb.PlayResponse, seat: int, match: int, turn: int, ms_left: int) -> None:
        """Adds the seat's turn to the message."""

    @abstractmethod
    def fill_end(self, end: pb.MatchEnd, seat: int, result: Result) -> None:
        """Writes the game's part of a match end."""

    @abstractmethod
    def action(self, code: int) -> OneOfAKind | None:
        """The action that the code in an answer stands for; None where it stands for none."""
