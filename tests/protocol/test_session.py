"""A bot's stream without a network: what is sent when, what is answered, and how long it took."""

from __future__ import annotations

import pytest

from arena.protocol.batching import Batching
from arena.protocol.clock import Moment
from arena.protocol.config import CONFIG
from arena.protocol.session import ProtocolBroken, Session, SessionState
from arena.referee.match import Limits, Match, MatchPlan
from arena.referee.seats import Seat, SeatedMatch
from arena.replay import FaultKind
from arena.v1 import referee_pb2 as pb


class Desk:
    """A referee with two bots and any number of matches of Mantis between them."""

    def __init__(self, matches: int, limits: Limits | None = None) -> None:
        batching = Batching()
        self.bots = [Session(lambda: None, self.hold, batching) for _ in range(2)]
        self.held = 0
        self.limits = limits or Limits()
        self.matches: list[SeatedMatch] = []
        for number in range(matches):
            self.start_match(f"m{number}", f"seed {number}")

    def start_match(self, name: str, seed: str = "seed") -> None:
        plan = MatchPlan(name, "mantis", {}, seed, ("a", "b"))
        self.matches.append(SeatedMatch(Match(plan, self.limits), list(self.bots), on_end=lambda: None))
        self.matches[-1].start()

    def hold(self) -> None:
        self.held += 1


def answers(message: pb.PlayResponse, count: int | None = None) -> pb.PlayRequest:
    turns = list(message.mantis_turns)[:count]
    return pb.PlayRequest(
        answers=pb.Answers(
            match=[turn.match for turn in turns],
            turn=[turn.turn for turn in turns],
            action=[turn.legal[0] for turn in turns],
        )
    )


def taken(bot: Session, now: float) -> pb.PlayResponse:
    message = bot.take(Moment(now))
    assert message is not None
    return message


def test_all_turns_that_wait_go_in_one_message() -> None:
    desk = Desk(5)
    message = taken(desk.bots[0], 0.0)
    assert (len(message.starts), len(message.mantis_turns)) == (5, 5)
    assert desk.bots[0].take(Moment(0.0)) is None


def test_a_busy_bot_gets_a_second_message_only_when_it_is_worth_one() -> None:
    desk = Desk(1)
    taken(desk.bots[0], 0.0)
    for number in range(CONFIG.full_batch - 1):
        desk.start_match(f"n{number}")
    assert desk.bots[0].take(Moment(0.0)) is None
    desk.start_match("last")
    assert len(taken(desk.bots[0], 0.0).mantis_turns) == CONFIG.full_batch


def test_the_time_of_a_message_is_divided_among_its_answers() -> None:
    desk = Desk(4)
    message = taken(desk.bots[0], 10.0)
    answered, unasked = desk.bots[0].receive(answers(message), Moment(10.2))
    assert [round(answer.spent.charged) for answer in answered] == [50] * 4
    assert unasked == []


def test_the_clock_of_a_turn_starts_when_the_one_before_is_answered() -> None:
    desk = Desk(2)
    message = taken(desk.bots[0], 10.0)
    (first,), _ = desk.bots[0].receive(answers(message, 1), Moment(10.3))
    second = pb.PlayRequest(answers=answers(message).answers)
    for field in (second.answers.match, second.answers.turn, second.answers.action):
        del field[0]
    assert desk.bots[0].thinking(Moment(10.4)) is not None
    (last,), _ = desk.bots[0].receive(second, Moment(10.4))
    assert (round(first.spent.charged), round(last.spent.charged)) == (300, 100)
    assert desk.bots[0].thinking(Moment(10.4)) is None


def test_the_way_to_a_bot_and_back_is_not_charged() -> None:
    desk = Desk(2)
    bot = desk.bots[0]
    bot.round_trip = 0.1
    message = taken(bot, 0.0)
    assert bot.thinking(Moment(0.05)) == (desk.matches[0].seats[0], (0.0, None))
    (first,), _ = bot.receive(answers(message, 1), Moment(0.13))
    assert first.spent.wall == pytest.approx(30.0)
    message.mantis_turns.pop(0)
    (second,), _ = bot.receive(answers(message, 1), Moment(0.15))
    assert second.spent.wall == pytest.approx(20.0), "the turn was there already: only once is there a way"


def test_while_nothing_reaches_a_bot_its_clock_stands_still() -> None:
    bot = Desk(1).bots[0]
    message = taken(bot, 0.0)
    bot.shift_clocks(5.0)
    (answer,), _ = bot.receive(answers(message), Moment(5.2))
    assert answer.spent.wall == pytest.approx(200.0)


def test_a_new_stream_takes_over_the_seats_and_is_told_all_again() -> None:
    desk = Desk(3)
    old, other = desk.bots
    for _ in range(20):  # so that something has happened
        for bot in (old, other):
            bot.release()
            while (message := bot.take(Moment(1.0))) is not None and message.mantis_turns:
                for answer in bot.receive(answers(message), Moment(1.0))[0]:
                    answer.seat.answer(answer.action, answer.spent)
        if old.turns_waiting > 1:
            break
    old.release()
    waiting = taken(old, 2.0)
    seats = old.abandon(Moment(2.5))
    assert old.batching.sessions == {other}
    assert [spent for _, spent in seats] == [0.5, 0.0, 0.0]
    new = Session(lambda: None, desk.hold, old.batching)
    for seat, spent in seats:
        seat.move_to(new, spent)
    new.release()
    message = taken(new, 10.0)
    assert {start.id for start in message.starts} == {"m0", "m1", "m2"}
    assert len(message.mantis_turns) == len(waiting.mantis_turns) > 1
    for turn in message.mantis_turns:
        seat = new.seats[turn.match]
        assert isinstance(seat, Seat)
        assert turn.events == bytes(seat.match.encoder.events) != b""
    for answer in new.receive(answers(message), Moment(10.25))[0]:
        assert answer.spent.wall == pytest.approx(750 / len(message.mantis_turns)), "what was spent before counts"


def test_what_was_spent_before_is_not_forgotten_however_often_a_stream_breaks() -> None:
    desk = Desk(2)
    seat, old = desk.matches[0].seats[0], desk.bots[0]
    taken(old, 0.0)
    spent = dict(old.abandon(Moment(3.0)))[seat]
    assert spent == pytest.approx(3.0)
    for number in range(3):
        new = Session(lambda: None, desk.hold, old.batching)
        new.round_trip = 0.5
        seat.move_to(new, spent)
        if number == 1:  # it was sent, and the stream broke at once
            new.release()
            taken(new, 5.0)
        ((_, spent),) = new.abandon(Moment(5.0))
        assert spent == pytest.approx(3.0)


def test_answers_held_up_by_a_late_one_are_not_charged() -> None:
    desk = Desk(3)
    message = taken(desk.bots[0], 10.0)
    desk.bots[0].mark_late(Moment(12.0))
    answered, _ = desk.bots[0].receive(answers(message), Moment(15.0))
    assert [answer.spent.charged for answer in answered] == [0.0] * 3
    assert desk.bots[0].state is SessionState.IDLE


def test_an_answer_to_what_was_not_asked_names_its_match() -> None:
    desk = Desk(1)
    message = taken(desk.bots[0], 0.0)
    desk.bots[0].receive(answers(message), Moment(0.1))
    answered, (unasked,) = desk.bots[0].receive(answers(message), Moment(0.2))
    assert answered == []
    assert unasked.seat is desk.matches[0].seats[0]


def test_an_answer_before_the_turn_was_sent_is_not_asked_for() -> None:
    desk = Desk(1)
    _, (unasked,) = desk.bots[0].receive(
        pb.PlayRequest(answers=pb.Answers(match=[1], turn=[1], action=[1])), Moment(0.0)
    )
    assert unasked.turn == 1


def test_a_message_without_answers_is_ignored() -> None:
    assert Desk(1).bots[0].receive(pb.PlayRequest(), Moment(0.0)) == ([], [])


@pytest.mark.parametrize(
    "request_",
    [
        pb.PlayRequest(answers=pb.Answers(match=[7], turn=[1], action=[1])),
        pb.PlayRequest(answers=pb.Answers(match=[0], turn=[1], action=[1])),
        pb.PlayRequest(answers=pb.Answers(match=[1], turn=[1, 2], action=[1])),
        pb.PlayRequest(answers=pb.Answers(match=[1], turn=[1])),
        pb.PlayRequest(hello=pb.Hello()),
    ],
)
def test_what_makes_no_sense_breaks_the_stream(request_: pb.PlayRequest) -> None:
    desk = Desk(1)
    taken(desk.bots[0], 0.0)
    with pytest.raises(ProtocolBroken):
        desk.bots[0].receive(request_, Moment(0.1))


def test_a_whole_match_over_two_streams() -> None:
    desk = Desk(1)
    now = 0.0
    over = False
    while not over:
        for bot in desk.bots:
            now += 0.001
            message = bot.take(Moment(now))
            if message is None:
                continue
            over = over or bool(message.ends)
            for answer in bot.receive(answers(message), Moment(now))[0]:
                answer.seat.answer(answer.action, answer.spent)
    assert desk.matches[0].match.over
    assert desk.matches[0].match.outcome().faults == ()


def test_few_turns_wait_for_more_as_long_as_others_think() -> None:
    desk = Desk(8)
    first, second = desk.bots
    message = taken(first, 0.0)
    answered, _ = first.receive(answers(message, 2), Moment(0.1))
    for answer in answered:
        answer.seat.answer(answer.action, answer.spent)
    assert second.turns_waiting == 2  # both answers were to score, which ends the turn
    assert second.take(Moment(0.1)) is None, "six of its eight matches are still to come"
    assert desk.held == 1
    second.release()
    assert len(taken(second, 0.1).mantis_turns) == 2


def test_when_no_bot_thinks_the_one_with_most_turns_is_asked() -> None:
    desk = Desk(8)
    first, second = desk.bots
    message = taken(first, 0.0)
    answered, _ = first.receive(answers(message), Moment(0.1))
    for answer in answered:
        answer.seat.answer(answer.action, answer.spent)
    assert first.batching.in_flight == 0
    assert first.batching.fullest() is second
    first.batching.settle()
    assert len(taken(second, 0.2).mantis_turns) == 8
    assert first.batching.in_flight == 8


def test_a_single_match_never_waits() -> None:
    desk = Desk(1)
    assert len(taken(desk.bots[0], 0.0).mantis_turns) == 1
    assert desk.held == 0


def test_a_bot_that_is_gone_is_not_waited_for() -> None:
    """Its unanswered turns are taken off the books when its matches are lost."""
    desk = Desk(4)
    first, _ = desk.bots
    taken(first, 0.0)
    assert first.batching.in_flight == 4
    for seat in list(first.seats.values()):
        seat.forfeit(FaultKind.CRASH, "Gone.")
    assert first.batching.in_flight == 0
