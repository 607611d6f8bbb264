"""The turns that wait for a bot's answer. Pure.

A turn is first *unsent* (batch 0), then *in flight* (it has the number of its batch), then removed: answered, or
withdrawn because the seat was forfeited. A bot has at most one pending turn per match.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.protocol.clock import LONG_AGO, Moment

if TYPE_CHECKING:
    from arena.protocol.session import SessionSeat


@dataclass(slots=True)
class PendingTurn:
    """A turn that the bot has been sent, or will be sent with the next message."""

    seat: SessionSeat
    turn: int
    thought: float = 0.0
    """Seconds that the bot has spent on it already, on a stream that broke."""
    batch: int = 0
    """The number of the message that carried it; 0: unsent."""
    sent: Moment = LONG_AGO
    """When its clock may start."""


class PendingTurns:
    """One bot's pending turns, in the order of asking, and its batches in flight."""

    __slots__ = ("_last_batch", "batches", "turns")

    def __init__(self) -> None:
        self.turns: dict[int, PendingTurn] = {}
        """By the number of the match on the stream."""
        self.batches: dict[int, int] = {}
        """For each batch in flight, its number of unanswered turns."""
        self._last_batch = 0

    def __iter__(self) -> Iterator[PendingTurn]:
        return iter(self.turns.values())

    def send(self, starts: Moment) -> int:
        """Put all unsent turns in flight as one batch; their clocks start at `starts`. Return their number."""
        batch = self._last_batch + 1
        count = 0
        for turn in reversed(self.turns.values()):
            if turn.batch:
                break
            turn.batch = batch
            turn.sent = starts.later(-turn.thought) if turn.thought else starts
            count += 1
        if count:
            self._last_batch = batch
            self.batches[batch] = count
        return count

    def answer(self, match: int, turn: int) -> PendingTurn | None:
        """Remove and return the turn in flight that this answers; None if there is none."""
        pending = self.turns.get(match)
        if pending is None or pending.turn != turn or not pending.batch:
            return None
        del self.turns[match]
        self._leave(pending.batch)
        return pending

    def withdraw(self, match: int) -> bool:
        """Remove the match's turn, if it has one. Return whether it was in flight."""
        pending = self.turns.pop(match, None)
        if pending is None or not pending.batch:
            return False
        self._leave(pending.batch)
        return True

    def _leave(self, batch: int) -> None:
        left = self.batches[batch] - 1
        if left:
            self.batches[batch] = left
        else:
            del self.batches[batch]

    @property
    def in_flight(self) -> int:
        return sum(self.batches.values())

    @property
    def head(self) -> PendingTurn | None:
        """The turn that the bot is thinking about: the first one, if it is in flight."""
        first = next(iter(self.turns.values()), None)
        return first if first and first.batch else None

    def shift(self, seconds: float) -> None:
        """Let the clocks of the turns in flight start later."""
        for turn in self.turns.values():
            if turn.batch:
                turn.sent = turn.sent.later(seconds)

    def clear(self) -> None:
        self.turns.clear()
        self.batches.clear()
