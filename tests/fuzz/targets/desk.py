"""A referee's books without a network: one bot that may send anything, two honest ones, and matches among them.

The honest bots also play each other, at tables where the attacker does not sit: there, nothing it does may be seen.
"""

from __future__ import annotations

import math
from collections import Counter

from google.protobuf.message import DecodeError

from arena import replay
from arena.protocol.batching import Batching
from arena.protocol.clock import Moment
from arena.protocol.session import ProtocolBroken, Session, SessionSeat, SessionState
from arena.referee.match import Limits, Match, MatchPlan
from arena.referee.seats import Seat, SeatedMatch
from arena.replay import Decision, FaultKind
from arena.v1 import mantis_pb2, tentagram_pb2
from arena.v1 import referee_pb2 as pb

ATTACKER, FIRST, SECOND = range(3)
TABLES = [
    ("mantis", {"edition": "icons"}, (ATTACKER, FIRST)),
    ("mantis", {}, (FIRST, ATTACKER)),
    ("tentagram", {}, (FIRST, ATTACKER, SECOND)),
    ("mantis", {}, (FIRST, SECOND)),
    ("tentagram", {"placement": "strict"}, (SECOND, FIRST, SECOND)),
]
LIMITS = Limits(turn=1.0)


class Desk:
    """Three bots, their matches, and a clock set by the test."""

    def __init__(self) -> None:
        self.now = 100.0
        self.batching = Batching()
        self.bots = [Session(_nothing, _nothing, self.batching) for _ in range(4)]
        """The fourth is the second process of SECOND: at a table where a bot sits twice, it has one for each seat."""
        self.gone = False
        """Whether the attacker has been cut off."""
        self.over: Counter[int] = Counter()
        self.tables = [self._table(number) for number in range(len(TABLES))]

    def _table(self, number: int) -> SeatedMatch:
        game, options, seats = TABLES[number]
        plan = MatchPlan(f"m{number}", game, options, f"seed {number}", tuple(f"bot {bot}" for bot in seats))
        twice = [3 if bot in seats[:place] else bot for place, bot in enumerate(seats)]
        players = [self.bots[bot] for bot in twice]
        seated = SeatedMatch(Match(plan, LIMITS), players, on_end=lambda: self.over.update([number]))
        seated.start()
        return seated

    @property
    def attacker(self) -> Session:
        return self.bots[ATTACKER]

    # What the attacker does

    def take(self) -> pb.PlayResponse | None:
        """What the attacker is sent next."""
        return None if self.gone else self.attacker.take(Moment(self.now))

    def send(self, data: bytes) -> None:
        """The attacker sends these bytes; what follows is what the referee does about them."""
        if self.gone:
            return
        before = self.attacker.thinking(Moment(self.now))
        was_late = self.attacker.state is SessionState.LATE
        charged = self.charged()
        try:
            done = self.attacker.receive(pb.PlayRequest.FromString(data), Moment(self.now))
        except (DecodeError, ProtocolBroken):
            self.cut_off(FaultKind.PROTOCOL)
            return
        assert all(math.isfinite(ms) and ms >= 0 for ms in self.charged())
        if before and before[0].match_number in self.attacker.in_flight and not was_late:
            assert self.attacker.thinking(Moment(self.now)) == before, "the turn that waits longest pays"
            assert self.charged() == charged
        assert done >= 0
        self.batching.settle()

    def charged(self) -> list[float]:
        """What every seat was charged so far."""
        return [ms for table in self.tables for ms in table.match.think_ms]

    def cut_off(self, kind: FaultKind) -> None:
        """The attacker loses all its matches."""
        if self.gone:
            return
        self.gone = True
        self.attacker.close()
        for seat in list(self.attacker.seats.values()):
            seat.forfeit(kind, "Gone.")

    def wait(self, seconds: float) -> None:
        """Let time pass; the attacker loses the match in which it exceeds a limit."""
        self.now += seconds
        if (
            self.gone
            or self.attacker.state is SessionState.LATE
            or not (thinking := self.attacker.thinking(Moment(self.now)))
        ):
            return
        seat, spent = thinking
        if why := seat.overtime(spent):
            self.attacker.mark_late(Moment(self.now))
            seat.time_out(spent, why)

    # What the others do

    def play_honestly(self) -> bool:
        """The honest bots answer what they are asked. Returns whether anybody was asked."""
        asked = False
        for bot in self.bots[FIRST:]:
            bot.release()
            if message := bot.take(Moment(self.now)):
                asked = True
                bot.receive(honest_answers(message), Moment(self.now))
        return asked

    def play_to_the_end(self) -> None:
        """The attacker goes; the others finish every match."""
        self.cut_off(FaultKind.DISCONNECT)
        while self.play_honestly():
            pass

    # What must hold

    def check_books(self) -> None:
        """Everybody's books agree with each other and with the matches."""
        asked: list[SessionSeat] = []
        for bot in self.bots:
            assert bot.in_flight.keys() <= bot.seats.keys()
            for seat in (*bot.in_flight.values(), *bot.waiting):
                assert bot.seats[seat.match_number] is seat
                asked.append(seat)
            for seat in bot.in_flight.values():
                assert isinstance(seat, Seat)
                assert seat.turn == seat.match.turn
        assert self.batching.in_flight == sum(len(bot.in_flight) for bot in self.bots)
        for number, table in enumerate(self.tables):
            index = table.match.seat_to_ask
            assert [seat for seat in asked if seat in table.seats] == ([] if index is None else [table.seats[index]])
            assert self.over[number] == table.match.over

    def check_outcomes(self) -> None:
        """Every match has ended once, with a replay that verifies, and only the attacker has lost by a fault."""
        assert self.over == Counter(range(len(TABLES)))
        assert self.batching.in_flight == 0
        for (_, _, seats), table in zip(TABLES, self.tables, strict=True):
            outcome = table.match.outcome()
            assert {seats[fault.seat] for fault in outcome.faults} <= {ATTACKER}
            if ATTACKER in seats:  # the others are compared with what they are when nobody attacks
                assert replay.verify(outcome.replay) == outcome.result

    def untouched(self) -> list[list[tuple[int, str]]]:
        """What was played at the tables where the attacker does not sit."""
        return [
            [(entry.seat, entry.action) for entry in table.match.replay.entries if isinstance(entry, Decision)]
            for (_, _, seats), table in zip(TABLES, self.tables, strict=True)
            if ATTACKER not in seats
        ]


def _nothing() -> None:
    """The desk polls, so no wake-up is needed."""


def turns_in(message: pb.PlayResponse) -> list[tuple[int, int, int]]:
    """The match, the turn and an honest action for each turn in the message."""
    turns: list[mantis_pb2.MantisTurn | tentagram_pb2.TentagramTurn] = [*message.mantis_turns, *message.tentagram_turns]
    first = [(turn.match, turn.turn, turn.legal) for turn in turns]
    second = zip(message.turns.match, message.turns.turn, message.turns.legal, strict=True)  # of version 2
    return [(match, turn, legal[turn % len(legal)]) for match, turn, legal in (*first, *second)]


def request(answers: list[tuple[int, int, int]]) -> pb.PlayRequest:
    matches, turns, actions = zip(*answers, strict=True) if answers else ((), (), ())
    return pb.PlayRequest(answers=pb.Answers(match=matches, turn=turns, action=actions))


def honest_answers(message: pb.PlayResponse) -> pb.PlayRequest:
    return request(turns_in(message))
