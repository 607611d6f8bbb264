"""One bot's stream as the referee sees it. Pure: no networking, no asyncio, no clock.

The stream's driver passes received messages to `receive` and sends what `take` returns. Seats (`start_match`, `ask`,
`report_fault`, `end_match`) write to the outbox.

1. A match has a number on the stream, from 1, never used again.
2. A turn is *waiting*, then *in flight*, then answered, or withdrawn because its seat was forfeited. A bot has at most
   one such turn in a match.
3. A message carries a batch of waiting turns and everything else; `batching` decides when it is sent.
4. An answer names its match and turn. It counts if exactly that turn is in flight.
5. An answer to anything else in a match that the bot still plays forfeits that match.
6. An answer to a match that is forfeited or over came too late and is ignored; too many of them break the protocol.
7. What cannot be attributed to a match breaks the protocol: all the bot's matches are lost.
8. When a bot process ends or hangs, the match whose turn it was thinking about is lost. Where several turns were in
   flight, they are *suspects*: the next process is sent them one at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from enum import Enum, auto
from typing import NamedTuple, Protocol

from arena.errors import HostFault
from arena.protocol.batching import Batching, Dispatch
from arena.protocol.clock import LONG_AGO, NO_TIME, Moment, Spent
from arena.protocol.config import CONFIG
from arena.protocol.outbox import WRITERS, EndEntry, Outbox, StartEntry, TurnColumns
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
    turn: int
    """The number of its turn that waits or is in flight."""
    sent: Moment
    """When the clock of that turn may start."""
    thought: Spent
    """The time that the turn has been charged already: it was kept waiting while the bot answered others."""

    @property
    def game(self) -> str: ...
    @property
    def seats(self) -> int: ...
    @property
    def forfeited(self) -> bool: ...
    @property
    def rules_key(self) -> Hashable:
        """Equal for seats in matches with the same rules."""

    def fill_rules(self, rules: pb.Rules) -> None: ...
    def start_entry(self, rules: pb.Rules) -> StartEntry: ...
    def turn_entry(self) -> TurnColumns: ...
    def end_entry(self) -> EndEntry: ...
    def answer(self, action: int, spent: Spent) -> None: ...
    def resign(self, why: str, spent: Spent) -> None: ...
    def forfeit(self, kind: FaultKind, detail: str) -> None: ...
    def overtime(self, spent: Spent) -> str | None: ...
    def time_out(self, spent: Spent, why: str) -> None: ...
    def move_to(self, session: Session) -> None: ...
    def spoil(self, fault: HostFault) -> None: ...


class Abandoned(NamedTuple):
    """What is left of a session whose stream broke."""

    seats: list[SessionSeat]
    """Those that are not lost; first those whose turn it is, in the order of asking."""
    thinking_about: list[SessionSeat]
    """Those whose turn was in flight; empty if the bot was busy with a turn that is lost already."""


class Session:
    """The state of one bot's stream: its seats, its turns, its clock and its outbox."""

    def __init__(self, wake: Callable[[], None], hold: Callable[[], None], batching: Batching) -> None:
        self.wake = wake
        """Called when there may be something to send."""
        self.hold = hold
        """Called when turns are held back: `release` must be called `batching.hold_seconds` later."""
        self.batching = batching
        batching.sessions.add(self)
        self.seats: dict[int, SessionSeat] = {}
        """The bot's seats, by the number of the match."""
        self.waiting: list[SessionSeat] = []
        """The seats whose turn is to be sent, in the order of asking."""
        self.in_flight: dict[int, SessionSeat] = {}
        """The seats whose turn the bot has been sent, by the number of the match, in the order of sending."""
        self.suspects: set[int] = set()
        """The numbers of the matches in which a turn may have ended the process before."""
        self.round_trip = 0.0
        """Seconds that a message takes to the bot and back, without thinking."""
        self.batch_size = CONFIG.first_batch
        """The number of turns that the bot answers in `batch_ms`."""
        self.answered = 0
        """The number of turns that it has answered."""
        self.late_since: float | None = None
        """When the bot exceeded a limit; None: it is not late."""
        self.released = False
        """Whether held turns are to be sent now."""
        self._last_answer = LONG_AGO
        self._turn_ms: float | None = None
        """How long the bot takes for a turn, roughly."""
        self._outbox = Outbox()
        self._write = WRITERS[1]
        self._rules: dict[Hashable, pb.Rules] = {}
        """The rules of the matches that have started on this stream."""
        self._awake = False
        """Whether `wake` has been called since the last `take`."""
        self._last_number = 0
        self._strays = 0

    @property
    def state(self) -> SessionState:
        if self.late_since is not None:
            return SessionState.LATE
        return SessionState.THINKING if self.in_flight else SessionState.IDLE

    # To the bot

    def welcome(self, welcome: pb.Welcome) -> None:
        """Accept the bot's hello; messages are in the welcome's version of the protocol from now on."""
        self._write = WRITERS[welcome.protocol]
        self._outbox.welcome = welcome
        self._wake()

    def start_match(self, seat: SessionSeat) -> None:
        """Give the bot a seat in a match."""
        self._last_number += 1
        seat.match_number = self._last_number
        self.seats[self._last_number] = seat
        rules = self._rules.get(key := seat.rules_key)
        if rules is None:
            rules = self._rules[key] = pb.Rules(number=len(self._rules) + 1)
            seat.fill_rules(rules)
            self._outbox.rules.append(rules)
        self._outbox.starts.append(seat.start_entry(rules))
        self._wake()

    def ask(self, seat: SessionSeat) -> None:
        """Ask for the seat's next action."""
        self.waiting.append(seat)
        if not self._awake:
            self._wake()

    def report_fault(self, seat: SessionSeat | None, fault: Fault) -> None:
        """Report the fault by which the bot has lost this match, or all its matches."""
        number = seat.match_number if seat else 0
        self._outbox.faults.append(pb.Fault(match=number, kind=FAULT_CODES[fault.fault], detail=fault.detail))
        if seat:
            self.withdraw(seat)
        self._wake()

    def end_match(self, seat: SessionSeat) -> None:
        """Report the result and free the seat."""
        self._outbox.ends.append(seat.end_entry())
        del self.seats[seat.match_number]
        self._wake()

    def _wake(self) -> None:
        self._awake = True
        self.wake()

    def withdraw(self, seat: SessionSeat) -> None:
        """Forget the seat's turn, if it has one."""
        self.suspects.discard(seat.match_number)
        if self.in_flight.pop(seat.match_number, None):
            self.batching.in_flight -= 1
        elif seat in self.waiting:
            self.waiting.remove(seat)

    def take(self, now: Moment) -> pb.PlayResponse | None:
        """Return the next message to send; None if there is none yet."""
        self._awake = False
        if not self.waiting and not self._outbox:
            return None
        if now.cpu_ms is None:
            self.batch_size = CONFIG.unmeasured_batch
        decision = self.batching.decide(self)
        if decision is Dispatch.SEND:
            self.released = False
            size = 1 if self.suspects else self.batch_size
            batch, self.waiting = self.waiting[:size], self.waiting[size:]
            starts = now.later(self.round_trip) if self.round_trip else now
            in_flight = self.in_flight
            for seat in batch:
                seat.sent = starts
                in_flight[seat.match_number] = seat
            self.batching.in_flight += len(batch)
            return self._take(batch)
        if decision is Dispatch.HOLD:
            self.hold()
        return None

    def release(self) -> None:
        """Send held turns now."""
        self.released = True
        self._wake()

    def take_all(self) -> pb.PlayResponse:
        """Empty the outbox. Turns that wait stay there."""
        return self._take([])

    def _take(self, batch: Sequence[SessionSeat]) -> pb.PlayResponse:
        outbox, self._outbox = self._outbox, Outbox()
        return self._write(outbox, batch)

    # From the bot

    def receive(self, message: pb.PlayRequest, now: Moment) -> int:
        """Play the answers in a message, and return their number. Raise `ProtocolBroken` if it is not allowed."""
        head = self._head
        answered: list[tuple[SessionSeat, int | str]] = []
        unasked: list[tuple[SessionSeat, int]] = []
        try:
            self._collect(message, answered, unasked)
        finally:
            self.batching.in_flight -= len(answered)
            self.answered += len(answered)
            if self.suspects:
                self.suspects.difference_update(seat.match_number for seat, _ in answered)
            if answered:
                self._wake()
        share = self._charge(head, now, len(answered), is_answer=bool(answered or unasked or message.answers.match))
        for seat, action in answered:
            spent = share if seat.thought is NO_TIME else self._taken(seat, share)
            if isinstance(action, int):
                seat.answer(action, spent)
            else:
                seat.resign(action, spent)
        for seat, turn in unasked:
            seat.forfeit(FaultKind.PROTOCOL, f"It answered turn {turn}, which it was not asked.")
        return len(answered)

    def _collect(
        self,
        message: pb.PlayRequest,
        answered: list[tuple[SessionSeat, int | str]],
        unasked: list[tuple[SessionSeat, int]],
    ) -> None:
        """Add the answers to turns in flight, and those to other turns. A resignation has its reason as the action."""
        answers = message.answers
        if message.HasField("hello"):
            raise ProtocolBroken("it said hello twice")
        if not len(answers.match) == len(answers.turn) == len(answers.action):
            raise ProtocolBroken("it sent answers in lists of different lengths")
        given: Iterable[tuple[int, int, int | str]] = zip(answers.match, answers.turn, answers.action, strict=True)
        if message.resignations:
            given = (*given, *((item.match, item.turn, item.reason) for item in message.resignations))
        elif not answers.match:
            self._count_stray("empty messages")
        in_flight = self.in_flight
        for number, turn, action in given:
            seat = in_flight.get(number)
            if seat is not None and seat.turn == turn:
                del in_flight[number]
                answered.append((seat, action))
            else:
                self._note_unasked(number, turn, unasked)

    def _note_unasked(self, number: int, turn: int, unasked: list[tuple[SessionSeat, int]]) -> None:
        if not 0 < number <= self._last_number:
            raise ProtocolBroken(f"it answered in match {number}, which it does not play")
        if (seat := self.seats.get(number)) and not seat.forfeited:
            unasked.append((seat, turn))
        self._count_stray("answers to turns that it was not asked")

    def _count_stray(self, what: str) -> None:
        self._strays += 1
        if self._strays > CONFIG.max_strays:
            raise ProtocolBroken(f"it keeps sending {what}")

    # The clock

    @property
    def _head(self) -> SessionSeat | None:
        """The seat whose turn has been in flight longest."""
        for seat in self.in_flight.values():
            return seat
        return None

    def _charge(self, head: SessionSeat | None, now: Moment, answers: int, *, is_answer: bool) -> Spent:
        """Charge the time since the last message; return the share of each answer. `head`: as it was before it."""
        if self.late_since is not None:
            if is_answer:
                self.late_since = None
                self._last_answer = now
            return NO_TIME
        if head is None:
            return NO_TIME
        spent = now.since(max(head.sent, self._last_answer))
        self._last_answer = now
        is_answered = head.match_number not in self.in_flight
        if is_answered and spent.cpu is not None:
            self._note_pace(spent.cpu / answers)
        if is_answered and (answers == 1 or spent.charged <= CONFIG.batch_ms):
            return spent.divided(answers) if answers > 1 else spent
        head.thought = head.thought.plus(spent)
        return NO_TIME

    def _note_pace(self, turn_ms: float) -> None:
        before = turn_ms if self._turn_ms is None else self._turn_ms
        self._turn_ms = before + CONFIG.pace_share * (turn_ms - before)
        self.batch_size = max(1, min(CONFIG.largest_batch, int(CONFIG.batch_ms / max(self._turn_ms, 1e-6))))

    @staticmethod
    def _taken(seat: SessionSeat, share: Spent) -> Spent:
        """Return the time of a turn that was charged something before its answer arrived."""
        spent, seat.thought = seat.thought.plus(share), NO_TIME
        return spent

    def thinking(self, now: Moment) -> tuple[SessionSeat, Spent] | None:
        """Return the seat whose turn the bot keeps waiting longest, and the time it has taken so far."""
        head = self._head
        if head is None:
            return None
        running = now.since(max(head.sent, self._last_answer))
        return head, running if head.thought is NO_TIME else head.thought.plus(running)

    def mark_late(self, now: Moment) -> None:
        """Note that the bot has exceeded a time limit."""
        self.late_since = now.time

    def shift_clocks(self, seconds: float) -> None:
        """Make up for seconds in which the bot could not be reached."""
        self._last_answer = self._last_answer.later(seconds)
        if self.late_since is not None:
            self.late_since += seconds
        for seat in self.in_flight.values():
            seat.sent = seat.sent.later(seconds)

    # The end

    def close(self) -> None:
        """Leave the batching of the other sessions: this bot is sent no more turns."""
        self.batching.sessions.discard(self)

    def abandon(self, now: Moment) -> Abandoned:
        """End the session of a broken stream. The time that the bot has spent is charged."""
        is_late = self.late_since is not None
        if not is_late and (thinking := self.thinking(now)):
            thinking[0].thought = thinking[1]
        self.close()
        self.batching.in_flight -= len(self.in_flight)
        in_flight = list(self.in_flight.values())
        asked = [*in_flight, *self.waiting]
        self.in_flight.clear()
        self.waiting.clear()
        seats = [seat for seat in dict.fromkeys((*asked, *self.seats.values())) if not seat.forfeited]
        return Abandoned(seats, [] if is_late else in_flight)

    def take_over(self, before: Session, seats: Iterable[SessionSeat], suspects: Collection[SessionSeat] = ()) -> None:
        """Continue the matches of an earlier session of the same bot, except those that have ended since."""
        for seat in seats:
            if seat.forfeited or before.seats.pop(seat.match_number, None) is None:
                continue
            seat.move_to(self)
            if seat in suspects:  # which of them took the time is not known
                seat.thought = NO_TIME
                self.suspects.add(seat.match_number)
