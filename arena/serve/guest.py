"""A bot that has come by itself: nobody here has started it, nobody can end it, and it may be gone at any moment.

It is charged what the clock on the wall shows, because its processor is elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from arena.referee.connection import Traffic
from arena.referee.conversation import Conversation
from arena.replay import FaultKind
from arena.store.tokens import Token
from arena.v1 import referee_pb2 as pb

MOST_IN_A_MESSAGE = 64 * 1024
"""The bytes that a message of a guest may have: answers to some thousand turns."""
LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Registered:
    """A guest as it stands in the store."""

    version_id: int
    entrant: int
    """Its number in the ladder."""
    label: str


class Guest(Conversation):
    """The stream of a bot from elsewhere."""

    max_message = MOST_IN_A_MESSAGE

    def __init__(
        self,
        token: Token,
        registered: Registered,
        matches_at_once: int,
        traffic: Traffic,
        came: Callable[[Guest], None],
    ) -> None:
        """`came` is called when its hello was right."""
        super().__init__(matches_at_once, traffic)
        self.came = came
        self.token = token
        self.registered = registered

    @property
    def has_room(self) -> bool:
        """Whether it can be given a seat."""
        return not self.dead and self.matches < self.capacity

    def _welcomed(self) -> None:
        self.came(self)

    def _stream_ended(self) -> None:
        self.lose_all(FaultKind.DISCONNECT, "It closed its stream, or its connection broke.")

    def send_away(self, why: str) -> None:
        """Ends the stream; what it plays is lost."""
        self.lose_all(FaultKind.DISCONNECT, why)
        self.leave()

    def leave(self) -> None:
        """Ends the stream in order."""
        self.dead = True
        self.connection.traffic.connections.discard(self.connection)
        self._closing.set()


def what_is_wrong(hello: pb.Hello) -> str | None:
    """What is wrong with how a bot calls itself; None: nothing."""
    for what, text in (("name", hello.name), ("version", hello.version)):
        if not text.strip() or not text.isprintable() or len(text) > LONGEST_NAME or text != text.strip():
            return f"The {what} in its hello must have 1 to {LONGEST_NAME} printable characters."
    return None
