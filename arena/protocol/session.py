"""One bot's stream as the referee sees it. Pure: no networking, no asyncio, no clock.

The stream's driver passes received messages to `receive` and sends what `take` returns. Seats (`start_match`, `ask`,
`report_fault`, `end_match`) write to the outbox.

1. A match has a number on the stream, from 1, never used again.
2. A message carries everything that waits for the bot; `batching` decides when it is sent.
3. An answer names its match and turn. It counts if exactly that turn is in flight (`pending`).
4. An answer to anything else in a match that the bot still plays forfeits that match.
5. An answer to a match that is forfeited or over came too late and is ignored; too many of them break the protocol.
6. What cannot be attributed to a match breaks the protocol: all the bot's matches are lost.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import NamedTuple, Protocol

from arena.protocol.batching import Batching, Dispatch
from arena.protocol.clock import Moment, Spent, ThinkClock
from arena.protocol.config import CONFIG
from arena.protocol.pending import PendingTurn, PendingTurns
from arena.replay import Fault, FaultKind
from arena.v1 import referee_pb2 as pb

FAULT_CODES = {
    FaultKind.TIMEOUT: pb.FAULT_KIND_TIMEOUT,
    FaultKind.ILLEGAL: pb.FAULT_KIND_ILLEGAL,
    FaultKind.PROTOCOL: pb.FAULT_KIND_PROTOCOL,
    FaultKind.CRASH: pb.FAULT_KIND_CRASH,
    FaultKind.DISCONNECT: pb.FAULT_KIND_DISCONNECT,
    FaultKind.START: pb.FAULT_KIND_START,
}


class ProtocolBroken(Exception):
    """The bot sent something that the protocol does not allow and that belongs to no single match."""


class SessionState(Enum):
    """What the bot is doing."""

    IDLE = auto()
    """No turn is in flight."""
    THINKING = auto()
    """At least one turn is in flight."""
    LATE = auto()
    """It exceeded a time limit and has not answered since."""


class SessionSeat(Protocol):
    """What a session needs of a seat in a match (`referee.seats.Seat`)."""

    match_number: int
    """The number of the match on the stream."""

    @property
    def game(self) -> str: ...
    @property
    def forfeited(self) -> bool: ...
    def write_start(self, start: pb.MatchStart) -> None: ...
    def write_turn(self, message: pb.PlayResponse) -> int:
        """Add the seat's turn to the message and return the turn's number."""

    def answer(self, action: int, spent: Spent) -> None: ...
    def forfeit(self, kind: FaultKind, detail: str) -> None: ...
    def overtime(self, spent: Spent) -> str | None: ...
    def time_out(self, spent: Spent, why: str) -> None: ...
    def move_to(self, session: Session, thought: float) -> None: ...


class Answer(NamedTuple):
    """An answer to a turn in flight."""

    seat: SessionSeat
    action: int
    spent: Spent


class Unasked(NamedTuple):
    """An answer to a turn that is not in flight, in a match that the bot plays."""

    seat: SessionSeat
    turn: int


class Session:
    """The state of one bot's stream: its seats, its pending turns, its think clock and its outbox."""

    def __init__(self, wake: Callable[[], None], hold: Callable[[], None], batching: Batching) -> None:
        self.wake = wake
        """Called when there may be something to send."""
        self.hold = hold
        """Called when turns are held back: `release` must be called `batching.hold_seconds` later."""
        self.batching = batching
        batching.sessions.add(self)
        self.seats: dict[int, SessionSeat] = {}
        """The bot's seats, by the number of the match."""
        self.pending = PendingTurns()
        self.clock = ThinkClock()
        self.round_trip = 0.0
        """Seconds that a message takes to the bot and back, without thinking."""
        self.turns_waiting = 0
        """Turns in the outbox."""
        self.released = False
        """Whether held turns are to be sent now."""
        self._outbox = pb.PlayResponse()
        self._outbox_is_empty = True
        self._last_number = 0
        self._strays = 0

    @property
    def state(self) -> SessionState:
        if self.clock.late_since is not None:
            return SessionState.LATE
        return SessionState.THINKING if self.pending.batches else SessionState.IDLE

    # To the bot

    def welcome(self, welcome: pb.Welcome) -> None:
        self._outbox.welcome.CopyFrom(welcome)
        self._post()

    def start_match(self, seat: SessionSeat) -> None:
        """Give the bot a seat in a match."""
        self._last_number += 1
        seat.match_number = self._last_number
        self.seats[self._last_number] = seat
        seat.write_start(self._outbox.starts.add(match=self._last_number))
        self._post()

    def ask(self, seat: SessionSeat, thought: float = 0.0) -> None:
        """Ask for the seat's next action; `thought`: seconds that the bot has spent on it already."""
        turn = seat.write_turn(self._outbox)
        self.turns_waiting += 1
        self.pending.turns[seat.match_number] = PendingTurn(seat, turn, thought)
        self._outbox_is_empty = False
        self.wake()

    def report_fault(self, seat: SessionSeat | None, fault: Fault) -> None:
        """Report the fault by which the bot has lost this match, or all its matches."""
        number = seat.match_number if seat else 0
        self._outbox.faults.add(match=number, kind=FAULT_CODES[fault.fault], detail=fault.detail)
        if self.pending.withdraw(number):
            self.batching.in_flight -= 1
        self._post()

    def end_match(self, seat: SessionSeat, end: pb.MatchEnd) -> None:
        """Report the result and free the seat."""
        end.match = seat.match_number
        self._outbox.ends.append(end)
        del self.seats[seat.match_number]
        self._post()

    def _post(self) -> None:
        self._outbox_is_empty = False
        self.wake()

    def take(self, now: Moment) -> pb.PlayResponse | None:
        """Return the next message to send; None if there is none yet."""
        if self._outbox_is_empty:
            return None
        decision = self.batching.decide(self)
        if decision is Dispatch.SEND:
            self.released = False
            message = self.take_all()
            self.batching.in_flight += self.pending.send(now.later(self.round_trip) if self.round_trip else now)
            return message
        if decision is Dispatch.HOLD:
            self.hold()
        return None

    def release(self) -> None:
        """Send held turns now."""
        self.released = True
        self.wake()

    def take_all(self) -> pb.PlayResponse:
        """Empty the outbox, whatever the policy says."""
        message, self._outbox = self._outbox, pb.PlayResponse()
        self._outbox_is_empty, self.turns_waiting = True, 0
        return message

    # From the bot

    def receive(self, message: pb.PlayRequest, now: Moment) -> tuple[list[Answer], list[Unasked]]:
        """Return the answers in a message. Raise `ProtocolBroken` if the message is not allowed."""
        answers = message.answers
        count = len(answers.match)
        if message.HasField("hello"):
            raise ProtocolBroken("it said hello twice")
        if len(answers.turn) != count or len(answers.action) != count:
            raise ProtocolBroken("it sent answers in lists of different lengths")
        if not count:
            self._count_stray("empty messages")
        pending = self.pending
        batches = len(pending.batches)
        answered: list[PendingTurn] = []
        actions: list[int] = []
        unasked: list[Unasked] = []
        try:
            for number, turn, action in zip(answers.match, answers.turn, answers.action, strict=True):
                if (asked := pending.answer(number, turn)) is not None:
                    answered.append(asked)
                    actions.append(action)
                elif not 0 < number <= self._last_number:
                    raise ProtocolBroken(f"it answered in match {number}, which it does not play")
                else:
                    if (seat := self.seats.get(number)) and not seat.forfeited:
                        unasked.append(Unasked(seat, turn))
                    self._count_stray("answers to turns that it was not asked")
        finally:
            self.batching.in_flight -= len(answered)
            if len(pending.batches) < batches:
                self.wake()
        if not (answered or unasked or (count and self.clock.late_since is not None)):
            return [], []  # it answers nothing, so it stops no clock
        sent = min([turn.sent for turn in answered], default=now)
        each = self.clock.stop(sent, now, len(answered))
        return [Answer(turn.seat, action, each) for turn, action in zip(answered, actions, strict=True)], unasked

    def _count_stray(self, what: str) -> None:
        self._strays += 1
        if self._strays > CONFIG.max_strays:
            raise ProtocolBroken(f"it keeps sending {what}")

    # The clock

    def thinking(self, now: Moment) -> tuple[SessionSeat, Spent] | None:
        """Return the seat whose turn the bot is thinking about, and the time it has taken so far."""
        head = self.pending.head
        return (head.seat, self.clock.running(head.sent, now)) if head else None

    def mark_late(self, now: Moment) -> None:
        """Note that the bot has exceeded a time limit."""
        self.clock.late_since = now.time

    def shift_clocks(self, seconds: float) -> None:
        """Make up for seconds in which the bot could not be reached."""
        self.clock.shift(seconds)
        self.pending.shift(seconds)

    # The end

    def close(self) -> None:
        """Leave the batching of the other sessions: this bot is sent no more turns."""
        self.batching.sessions.discard(self)

    def abandon(self, now: Moment) -> list[tuple[SessionSeat, float]]:
        """End the session of a broken stream. Return the seats that are not lost, with the seconds spent on their turn.

        Seats whose turn it is come first, in the order of asking.
        """
        thinking = None if self.state is SessionState.LATE else self.thinking(now)
        spent = {turn.seat: turn.thought for turn in self.pending}
        if thinking:
            seat, so_far = thinking
            spent[seat] = max(spent[seat], so_far.wall / 1000)
        self.close()
        self.batching.in_flight -= self.pending.in_flight
        self.pending.clear()
        others = [seat for seat in self.seats.values() if seat not in spent]
        return [(seat, spent.get(seat, 0.0)) for seat in (*spent, *others) if not seat.forfeited]
