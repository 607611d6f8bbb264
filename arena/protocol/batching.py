"""When a bot's waiting turns are worth a message. Pure.

A message costs as much as many turns, so turns are collected, but no core must be idle for it:

1. A batch has as many turns as the bot answers in a few milliseconds of CPU time, and a bot has one batch to answer. It
   gets a second one when that would be full: a slow bot, or a remote one, then never waits for its next turn.
2. An idle bot gets its turns at once when most of its matches wait for it.
3. Otherwise its turns are held back while other bots think, because their answers bring more turns; `hold_seconds` at
   most, which grows with the number of bots.
4. When no bot is thinking, the one with the most waiting turns is sent them.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from arena.protocol.config import CONFIG

if TYPE_CHECKING:
    from arena.protocol.session import Session


class Dispatch(Enum):
    """What happens to a session's waiting turns."""

    SEND = auto()
    """They are sent now."""
    WAIT = auto()
    """They wait for the bot's next answer."""
    HOLD = auto()
    """They wait for more turns, for `hold_seconds` at most."""


class Batching:
    """The batching policy, shared by all sessions of a referee."""

    def __init__(self, hold_seconds: float = CONFIG.hold_seconds) -> None:
        self.least_hold = hold_seconds
        self.sessions: set[Session] = set()
        self.in_flight = 0
        """Turns that have been sent and not answered, of all sessions."""

    @property
    def hold_seconds(self) -> float:
        """How long turns may be held back: long enough for a message to each of the other bots."""
        return max(self.least_hold, CONFIG.message_seconds * len(self.sessions))

    def decide(self, session: Session) -> Dispatch:
        """Decide about a session that has something to send."""
        waiting, full = len(session.waiting), session.batch_size
        if session.in_flight:
            if session.suspects:
                return Dispatch.WAIT
            enough = min(full, CONFIG.remote_batch) if session.round_trip else full
            return Dispatch.SEND if waiting >= enough and len(session.in_flight) <= full else Dispatch.WAIT
        if session.released or waiting >= min(full, CONFIG.ready_share * len(session.seats)):
            return Dispatch.SEND
        return Dispatch.HOLD if self.in_flight or self.fullest() not in (None, session) else Dispatch.SEND

    def fullest(self) -> Session | None:
        """Return the session with the most waiting turns; None if no turn waits."""
        waiting = [session for session in self.sessions if session.waiting]
        return max(waiting, key=lambda session: len(session.waiting), default=None)

    def settle(self) -> None:
        """Release the fullest session if no bot is thinking."""
        if not self.in_flight and (fullest := self.fullest()):
            fullest.release()
