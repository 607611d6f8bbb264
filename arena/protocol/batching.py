"""When a bot's waiting turns are worth a message. Pure.

A message costs as much as many turns, so turns are collected, but no core must be idle for it:

1. A bot that is thinking gets a second batch only if it is full, and never a third.
2. An idle bot gets its turns at once when most of its matches wait for it.
3. Otherwise its turns are held back while other bots think, because their answers bring more turns; `hold_seconds` at
   most.
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
        self.hold_seconds = hold_seconds
        self.sessions: set[Session] = set()
        self.in_flight = 0
        """Turns that have been sent and not answered, of all sessions."""

    def decide(self, session: Session) -> Dispatch:
        """Decide about a session that has something to send."""
        batches = session.pending.batches
        if batches:
            full = session.turns_waiting >= CONFIG.full_batch
            return Dispatch.SEND if full and len(batches) < CONFIG.batches_in_flight else Dispatch.WAIT
        ready = min(CONFIG.ready_turns, CONFIG.ready_share * len(session.seats))
        if session.released or session.turns_waiting >= ready:
            return Dispatch.SEND
        return Dispatch.HOLD if self.in_flight or self.fullest() not in (None, session) else Dispatch.SEND

    def fullest(self) -> Session | None:
        """Return the session with the most waiting turns; None if no turn waits."""
        waiting = [session for session in self.sessions if session.turns_waiting]
        return max(waiting, key=lambda session: session.turns_waiting, default=None)

    def settle(self) -> None:
        """Release the fullest session if no bot is thinking."""
        if not self.in_flight and (fullest := self.fullest()):
            fullest.release()
