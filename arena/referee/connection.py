"""One bot's stream: what is to be sent to it, what it has not answered yet, and how long it has been thinking.

No networking here: the server feeds messages in through `receive` and takes messages out through `take`. Think time is
measured from message to message: the clock of a turn starts when the turn has been sent and all turns sent before it
have been answered. The time for a message with several answers is divided evenly among them. There are two clocks, read
together: one for the time of day, and one for the processor time that the bot has used. What the way to the bot and
back takes is not the bot's time: where there is such a way, the clock starts so much later.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from arena.referee.match import Spent
from arena.referee.table import Chair
from arena.replay import Fault, FaultKind
from arena.v1 import referee_pb2 as pb

BATCHES_AT_ONCE = 2
"""How many messages with turns a bot may have unanswered: with one, all its matches would wait for the slowest."""
WORTH_A_MESSAGE = 32
"""So many turns are sent even to a busy bot; fewer wait, because a message costs as much as many turns."""
WORTH_STARTING = 0.75
"""An idle bot is sent its turns when they come from this part of its matches, or when there are WORTH_STARTING_TURNS of
them; before that it waits for more, as long as other bots are thinking, but never longer than the referee says."""
WORTH_STARTING_TURNS = 64
HOLD = 0.002
"""Seconds for which turns are held back, unless the referee says otherwise: longer makes fewer and larger messages, at
the price of a core that may be idle for so long."""

MOST_STRAYS = 1000
"""A bot that sends more than this of answers to what it was not asked, and of empty messages, is cut off."""

FAULT_CODES = {
    FaultKind.TIMEOUT: pb.FAULT_KIND_TIMEOUT,
    FaultKind.ILLEGAL: pb.FAULT_KIND_ILLEGAL,
    FaultKind.PROTOCOL: pb.FAULT_KIND_PROTOCOL,
    FaultKind.CRASH: pb.FAULT_KIND_CRASH,
    FaultKind.DISCONNECT: pb.FAULT_KIND_DISCONNECT,
    FaultKind.START: pb.FAULT_KIND_START,
}


class ProtocolBroken(Exception):
    """The bot has sent what the protocol does not allow, and it cannot be told which match it meant."""


class Answer(NamedTuple):
    """What the bot answered to a turn that it was asked."""

    chair: Chair
    action: int
    spent: Spent
    """Its think time."""


class Moment(NamedTuple):
    """What the clocks show, in seconds and in ms."""

    time: float
    cpu_ms: float | None = None
    """The processor time that the bot has used in all; None where that cannot be measured."""

    def since(self, earlier: Moment) -> Spent:
        cpu = None if self.cpu_ms is None or earlier.cpu_ms is None else max(0.0, self.cpu_ms - earlier.cpu_ms)
        return Spent(max(0.0, 1000 * (self.time - earlier.time)), cpu)

    def later(self, seconds: float) -> Moment:
        return Moment(self.time + seconds, self.cpu_ms)


LONG_AGO = Moment(float("-inf"), 0.0)


class Unasked(NamedTuple):
    """An answer to something that the bot was not asked in one of its matches."""

    chair: Chair
    turn: int


@dataclass(slots=True)
class PendingTurn:
    """A turn that the bot has been asked, or will be with the next message."""

    chair: Chair
    turn: int
    batch: int = 0
    """The number of the message that it was sent in; 0: not sent yet."""
    sent: Moment = LONG_AGO
    """When it was sent, or when its clock starts, where the way to the bot takes time."""
    thought: float = 0.0
    """Seconds that the bot has spent on it before, on a stream that broke."""


class Traffic:
    """What all bots of a referee have to answer: it tells whoever is idle whether more turns are to come soon."""

    def __init__(self, hold: float = HOLD) -> None:
        self.hold = hold
        self.connections: set[Connection] = set()
        self.unanswered = 0
        """Turns that were sent and are not answered, of all bots."""

    def fullest(self) -> Connection | None:
        """The connection with most turns waiting to be sent."""
        waiting = [connection for connection in self.connections if connection.turns_waiting]
        return max(waiting, key=lambda connection: connection.turns_waiting, default=None)

    def settle(self) -> None:
        """Where nobody is thinking, somebody must be asked: the bot that has most turns to answer."""
        if not self.unanswered and (fullest := self.fullest()):
            fullest.release()


class Connection:
    """The stream of one bot process."""

    def __init__(self, wake: Callable[[], None], hold: Callable[[], None], traffic: Traffic) -> None:
        self.wake = wake
        """Called when there may be something to send."""
        self.hold = hold
        """Called when something is held back: `release` must follow after `traffic.hold` seconds at the latest."""
        self.traffic = traffic
        traffic.connections.add(self)
        self.round_trip = 0.0
        """Seconds that a message takes to the bot and back, without any thinking."""
        self.turns_waiting = 0
        """Turns that are to be sent."""
        self._released = False
        self.chairs: dict[int, Chair] = {}
        """The bot's seats in matches, by the number that the match has on this stream."""
        self.late = False
        """Whether the bot is over time and still thinking. Until it answers nothing else is held against it."""
        self.late_since = 0.0
        self._numbers = 0
        self._outbox = pb.PlayResponse()
        self._outbox_is_empty = True
        self._pending: dict[int, PendingTurn] = {}
        """By the number of the match, in the order in which the turns are sent."""
        self._unanswered: dict[int, int] = {}
        """For each message with turns: how many of them are unanswered."""
        self._batches = 0
        self._last_reply = LONG_AGO
        self._strays = 0
        """How many answers it has sent that were not asked for, or came too late."""

    # What the referee tells the bot

    def welcome(self, welcome: pb.Welcome) -> None:
        self._outbox.welcome.CopyFrom(welcome)
        self._post()

    def sit_down(self, chair: Chair) -> None:
        """The bot gets a seat in a match that starts now."""
        self._numbers += 1
        chair.number = self._numbers
        self.chairs[chair.number] = chair
        match = chair.table.match
        start = self._outbox.starts.add(
            match=chair.number,
            id=match.plan.id,
            seats=match.state.seats,
            seat=chair.seat,
            seed=match.seed_for(chair.seat),
            ms_per_turn=round((match.limits.turn or 0) * 1000),
            ms_per_match=round((match.limits.match or 0) * 1000),
        )
        match.encoder.fill_start(start)
        self._post()

    def ask(self, chair: Chair, thought: float = 0.0) -> None:
        """It is this seat's turn, on which the bot has spent so many seconds before."""
        match = chair.table.match
        match.encoder.add_turn(self._outbox, chair.seat, chair.number, match.turn, match.ms_left(chair.seat))
        self.turns_waiting += 1
        self._pending[chair.number] = PendingTurn(chair, match.turn, thought=thought)
        self._post()

    def tell_fault(self, chair: Chair | None, fault: Fault) -> None:
        """The bot has lost this match by a fault, or all of them."""
        number = chair.number if chair else 0
        self._outbox.faults.add(match=number, kind=FAULT_CODES[fault.fault], detail=fault.detail)
        if chair and (pending := self._pending.pop(number, None)) and pending.batch:
            self._answered(pending.batch)
        self._post()

    def take_over(self, chair: Chair, thought: float = 0.0) -> None:
        """The bot had this seat on a stream that broke. It may be a new process, so all of the match is told again."""
        chair.player = self
        match = chair.table.match
        match.encoder.forget(chair.seat)
        self.sit_down(chair)
        if match.seat_to_ask == chair.seat:
            self.ask(chair, thought)

    def stand_up(self, chair: Chair, end: pb.MatchEnd) -> None:
        """The match is over."""
        end.match = chair.number
        self._outbox.ends.append(end)
        del self.chairs[chair.number]
        self._post()

    def _post(self) -> None:
        self._outbox_is_empty = False
        self.wake()

    # What goes over the wire

    @property
    def is_idle(self) -> bool:
        """Whether the bot has nothing to think about, and will not have before it is sent something."""
        return not self._unanswered and not self.late

    def take(self, now: Moment) -> pb.PlayResponse | None:
        """The next message for the bot; None where there is nothing to say, or where it has enough to do."""
        if self._outbox_is_empty:
            return None
        if self._unanswered:
            if len(self._unanswered) >= BATCHES_AT_ONCE or self.turns_waiting < WORTH_A_MESSAGE:
                return None
        elif not self._released and self._more_to_come():
            self.hold()
            return None
        self._released = False
        message = self.take_all()
        starts = now.later(self.round_trip) if self.round_trip else now
        turns = 0
        for pending in reversed(self._pending.values()):
            if pending.batch:
                break
            pending.batch = self._batches + 1
            pending.sent = starts.later(-pending.thought) if pending.thought else starts
            turns += 1
        if turns:
            self._batches += 1
            self._unanswered[self._batches] = turns
            self.traffic.unanswered += turns
        return message

    def _more_to_come(self) -> bool:
        """Whether more turns for this bot are likely within moments, because others are thinking or will be first."""
        if self.turns_waiting >= min(WORTH_STARTING_TURNS, WORTH_STARTING * len(self.chairs)):
            return False
        return bool(self.traffic.unanswered) or self.traffic.fullest() not in (None, self)

    def release(self) -> None:
        """What was held back is to be sent now."""
        self._released = True
        self.wake()

    def take_all(self) -> pb.PlayResponse:
        """All that is still to be said, before the stream is closed."""
        message, self._outbox = self._outbox, pb.PlayResponse()
        self._outbox_is_empty, self.turns_waiting = True, 0
        return message

    def receive(self, message: pb.PlayRequest, now: Moment) -> tuple[list[Answer], list[Unasked]]:
        """The answers in a message. Raises ProtocolBroken where the message makes no sense."""
        answers = message.answers
        count = len(answers.match)
        if message.HasField("hello"):
            raise ProtocolBroken("it said hello twice")
        if len(answers.turn) != count or len(answers.action) != count:
            raise ProtocolBroken("it sent answers in lists that are not equally long")
        if not count:
            self._count_stray("empty messages")
        answered: list[PendingTurn] = []
        actions: list[int] = []
        unasked: list[Unasked] = []
        for number, turn, action in zip(answers.match, answers.turn, answers.action, strict=True):
            pending = self._pending.get(number)
            if pending is not None and pending.turn == turn and pending.batch:
                del self._pending[number]
                self._answered(pending.batch)
                answered.append(pending)
                actions.append(action)
            elif number > self._numbers or not number:
                raise ProtocolBroken(f"it answered in match {number}, which it does not play")
            else:
                if (chair := self.chairs.get(number)) and not chair.forfeited:
                    unasked.append(Unasked(chair, turn))
                # Otherwise it came too late for a match that is lost or over. No harm in that, but in a flood of it.
                self._count_stray("answers to what it is not asked")
        first_sent = min([pending.sent for pending in answered], default=now)
        spent = now.since(max(first_sent, self._last_reply))
        if self.late and count:
            # The match that it took too long for has paid for the wait; what was held up by it is not charged.
            self.late, spent = False, now.since(now)
        elif not answered and not unasked:
            return [], []  # it answers nothing, so it stops no clock
        self._last_reply = now
        each = spent.divided(max(1, len(answered)))
        answers_taken = [Answer(pending.chair, action, each) for pending, action in zip(answered, actions, strict=True)]
        return answers_taken, unasked

    def _count_stray(self, what: str) -> None:
        self._strays += 1
        if self._strays > MOST_STRAYS:
            raise ProtocolBroken(f"it keeps sending {what}")

    def _answered(self, batch: int) -> None:
        self._unanswered[batch] -= 1
        self.traffic.unanswered -= 1
        if not self._unanswered[batch]:
            del self._unanswered[batch]
            self.wake()

    def stood_still(self, seconds: float) -> None:
        """For so long nothing has reached the bot: no clock has run."""
        self._last_reply = self._last_reply.later(seconds)
        self.late_since += seconds
        for pending in self._pending.values():
            if pending.batch:
                pending.sent = pending.sent.later(seconds)

    def stop_asking(self, now: Moment) -> list[tuple[Chair, float]]:
        """The stream is gone. Returns the seats that are not lost, with the seconds spent on the turn there.

        First those whose turn it is, in the order in which they were asked.
        """
        thinking = self.thinking(now)
        asked = [pending.chair for pending in self._pending.values()]
        spent = {pending.chair: pending.thought for pending in self._pending.values()}  # on streams before this one
        self.traffic.connections.discard(self)
        self.traffic.unanswered -= sum(self._unanswered.values())
        self._unanswered.clear()
        self._pending.clear()
        others = [chair for chair in self.chairs.values() if chair not in asked]
        if thinking and not self.late:
            chair, so_far = thinking
            spent[chair] = max(spent[chair], so_far.wall / 1000)
        return [(chair, spent.get(chair, 0.0)) for chair in (*asked, *others) if not chair.forfeited]

    def thinking(self, now: Moment) -> tuple[Chair, Spent] | None:
        """The match that the bot is thinking about now, and the time that it has taken so far."""
        for pending in self._pending.values():
            if pending.batch:
                return pending.chair, now.since(max(pending.sent, self._last_reply))
            break
        return None
