"""A referee's books without a network: one bot that may send anything, two honest ones, and matches among them.

The honest bots also play each other, at tables where the attacker does not sit: there, nothing it does may be seen.
"""

from __future__ import annotations

import math
from collections import Counter

from google.protobuf.message import DecodeError

from arena import replay
from arena.referee.connection import Connection, Moment, ProtocolBroken, Traffic
from arena.referee.match import Limits, Match, MatchPlan
from arena.referee.table import Chair, Table
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
    """Three bots, their matches, and a clock that goes as far as it is told."""

    def __init__(self) -> None:
        self.now = 100.0
        self.traffic = Traffic()
        self.bots = [Connection(_nothing, _nothing, self.traffic) for _ in range(4)]
        """The fourth is the second process of SECOND: at a table where a bot sits twice, it has one for each seat."""
        self.gone = False
        """Whether the attacker has been cut off."""
        self.over: Counter[int] = Counter()
        self.tables = [self._table(number) for number in range(len(TABLES))]

    def _table(self, number: int) -> Table:
        game, options, seats = TABLES[number]
        plan = MatchPlan(f"m{number}", game, options, f"seed {number}", tuple(f"bot {bot}" for bot in seats))
        table = Table(Match(plan, LIMITS), finished=lambda: self.over.update([number]))
        twice = [3 if bot in seats[:place] else bot for place, bot in enumerate(seats)]
        table.seat_players([self.bots[bot] for bot in twice])
        table.go_on()
        return table

    @property
    def attacker(self) -> Connection:
        return self.bots[ATTACKER]

    # What the attacker does

    def take(self) -> pb.PlayResponse | None:
        """What the attacker is sent next."""
        return None if self.gone else self.attacker.take(Moment(self.now))

    def send(self, data: bytes) -> None:
        """The attacker sends these bytes; what follows is what the referee does about them."""
        if self.gone:
            return
        thinking, late = self.attacker.thinking(Moment(self.now)), self.attacker.late
        try:
            answers, unasked = self.attacker.receive(pb.PlayRequest.FromString(data), Moment(self.now))
        except (DecodeError, ProtocolBroken):
            self.cut_off(FaultKind.PROTOCOL)
            return
        chairs = [*(answer.chair for answer in answers), *(item.chair for item in unasked)]
        assert all(chair.player is self.attacker for chair in chairs), "somebody else's match"
        assert all(math.isfinite(answer.spent.wall) and answer.spent.wall >= 0 for answer in answers)
        if not (answers or unasked or late):
            assert self.attacker.thinking(Moment(self.now)) == thinking, "what answers nothing stops no clock"
        for answer in answers:
            answer.chair.table.answer(answer.chair, answer.action, answer.spent)
        for item in unasked:
            item.chair.table.forfeit(item.chair, FaultKind.PROTOCOL, "It was not asked.")
        self.traffic.settle()

    def cut_off(self, kind: FaultKind) -> None:
        """The attacker loses all its matches."""
        if self.gone:
            return
        self.gone = True
        self.traffic.connections.discard(self.attacker)
        for chair in list(self.attacker.chairs.values()):
            chair.table.forfeit(chair, kind, "Gone.")

    def wait(self, seconds: float) -> None:
        """Time goes by, and whoever is over time loses the match it is thinking about."""
        self.now += seconds
        if self.gone or self.attacker.late or not (thinking := self.attacker.thinking(Moment(self.now))):
            return
        chair, spent = thinking
        if why := chair.table.match.overtime(chair.seat, spent):
            self.attacker.late, self.attacker.late_since = True, self.now
            chair.table.forfeit(chair, FaultKind.TIMEOUT, why)

    # What the others do

    def play_honestly(self) -> bool:
        """The honest bots answer what they are asked. Returns whether anybody was asked."""
        asked = False
        for bot in self.bots[FIRST:]:
            bot.release()
            if message := bot.take(Moment(self.now)):
                asked = True
                for answer in bot.receive(honest_answers(message), Moment(self.now))[0]:
                    answer.chair.table.answer(answer.chair, answer.action, answer.spent)
        return asked

    def play_to_the_end(self) -> None:
        """The attacker goes; the others finish every match."""
        self.cut_off(FaultKind.DISCONNECT)
        while self.play_honestly():
            pass

    # What must hold

    def check_books(self) -> None:
        """Everybody's books agree with each other and with the matches."""
        asked: dict[Table, list[Chair]] = {table: [] for table in self.tables}
        for bot in self.bots:
            pending = bot._pending
            assert pending.keys() <= bot.chairs.keys()
            assert bot._unanswered == Counter(turn.batch for turn in pending.values() if turn.batch)
            assert bot.turns_waiting == len(bot._outbox.mantis_turns) + len(bot._outbox.tentagram_turns)
            for turn in pending.values():
                assert turn.turn == turn.chair.table.match.turn
                asked[turn.chair.table].append(turn.chair)
        assert self.traffic.unanswered == sum(sum(bot._unanswered.values()) for bot in self.bots)
        for number, table in enumerate(self.tables):
            seat = table.match.seat_to_ask
            assert asked[table] == ([] if seat is None else [table.chairs[seat]])
            assert self.over[number] == table.match.over

    def check_outcomes(self) -> None:
        """Every match has ended once, with a replay that verifies, and only the attacker has lost by a fault."""
        assert self.over == Counter(range(len(TABLES)))
        assert self.traffic.unanswered == 0
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
    """The desk sends when it likes, so nobody needs to be woken."""


def turns_in(message: pb.PlayResponse) -> list[tuple[int, int, int]]:
    """The match, the turn and an honest action for each turn in the message."""
    turns: list[mantis_pb2.MantisTurn | tentagram_pb2.TentagramTurn] = [*message.mantis_turns, *message.tentagram_turns]
    return [(turn.match, turn.turn, turn.legal[turn.turn % len(turn.legal)]) for turn in turns]


def request(answers: list[tuple[int, int, int]]) -> pb.PlayRequest:
    matches, turns, actions = zip(*answers, strict=True) if answers else ((), (), ())
    return pb.PlayRequest(answers=pb.Answers(match=matches, turn=turns, action=actions))


def honest_answers(message: pb.PlayResponse) -> pb.PlayRequest:
    return request(turns_in(message))
