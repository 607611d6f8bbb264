"""A bot's stream without a network: what is sent when, what is answered, and how long it took."""

from __future__ import annotations

import pytest

from arena.protocol.batching import Batching
from arena.protocol.clock import Moment
from arena.protocol.config import CONFIG
from arena.protocol.session import ProtocolBroken, Session, SessionState
from arena.referee.match import Limits, Match, MatchPlan
from arena.referee.seats import Seat, SeatedMatch
from arena.replay import Fault, FaultKind
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

    def charged(self, seat: int = 0) -> list[float]:
        """Return what this seat was charged in each match, in ms."""
        return [match.match.think_ms[seat] for match in self.matches]


def answers(message: pb.PlayResponse, count: int | None = None, first: int = 0) -> pb.PlayRequest:
    turns = list(message.mantis_turns)[first:][:count]
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


def test_a_batch_has_as_many_turns_as_the_bot_answers_in_a_few_milliseconds() -> None:
    desk = Desk(100)
    bot = desk.bots[0]
    message = bot.take(Moment(0.0, 0.0))
    assert message is not None
    assert len(message.mantis_turns) == CONFIG.first_batch
    bot.receive(answers(message), Moment(9.0, CONFIG.first_batch * CONFIG.batch_ms / 10))
    bot.release()
    message = bot.take(Moment(9.0, 10.0))
    assert message is not None
    assert len(message.mantis_turns) == 10


def test_wall_time_says_nothing_about_the_size_of_a_batch() -> None:
    """Remote bots on a busy machine once got a message for every few turns, which cost three times the CPU time."""
    desk = Desk(100)
    bot = desk.bots[0]
    bot.receive(answers(taken(bot, 0.0), 50), Moment(9.0))
    assert bot.batch_size == CONFIG.unmeasured_batch


def test_a_busy_bot_gets_a_second_message_when_it_would_be_full_and_no_third() -> None:
    desk = Desk(3 * CONFIG.first_batch)
    bot = desk.bots[0]
    for _ in range(2):
        message = bot.take(Moment(0.0, 0.0))
        assert message is not None
        assert len(message.mantis_turns) == CONFIG.first_batch
    assert bot.take(Moment(0.0, 0.0)) is None
    desk = Desk(2 * CONFIG.first_batch - 1)
    assert desk.bots[0].take(Moment(0.0, 0.0)) is not None
    assert desk.bots[0].take(Moment(0.0, 0.0)) is None, "one turn is missing to a full batch"


def test_the_time_of_a_quick_message_is_divided_among_its_answers() -> None:
    desk = Desk(4)
    message = taken(desk.bots[0], 10.0)
    assert desk.bots[0].receive(answers(message), Moment(10.004)) == 4
    assert desk.charged() == pytest.approx([1.0] * 4)


def test_a_slow_turn_does_not_share_its_time_with_the_answers_beside_it() -> None:
    desk = Desk(4)
    message = taken(desk.bots[0], 10.0)
    desk.bots[0].receive(answers(message), Moment(10.8))
    assert desk.charged() == pytest.approx([800, 0, 0, 0])


def test_a_turn_that_is_kept_back_is_charged_for_everything_meanwhile() -> None:
    """Once every answer to another match restarted the clock."""
    desk = Desk(4, Limits(turn=1.0))
    bot = desk.bots[0]
    message = taken(bot, 0.0)
    for number in range(1, 4):
        bot.receive(answers(message, 1, number), Moment(0.4 * number))
    assert desk.charged() == [0, 0, 0, 0]
    thinking = bot.thinking(Moment(1.3))
    assert thinking is not None
    seat, spent = thinking
    assert seat is desk.matches[0].seats[0]
    assert spent.wall == pytest.approx(1300)
    assert seat.overtime(spent)
    bot.receive(answers(message, 1), Moment(1.3))
    assert sum(desk.charged()) == pytest.approx(1300), "what is charged is what was used"
    assert [bool(match.match.forfeited) for match in desk.matches] == [True, False, False, False]


def test_a_resignation_costs_one_match() -> None:
    desk = Desk(3)
    bot = desk.bots[0]
    message = taken(bot, 0.0)
    turn = message.mantis_turns[1]
    request = answers(message, 1)
    request.resignations.add(match=turn.match, turn=turn.turn, reason="It raised KeyError.")
    assert bot.receive(request, Moment(0.002)) == 2
    assert [match.match.forfeited for match in desk.matches] == [[], [0], []]
    (fault,) = [entry for entry in desk.matches[1].match.entries() if isinstance(entry, Fault)]
    assert (fault.fault, fault.detail) == (FaultKind.CRASH, "It raised KeyError.")


def test_the_clock_of_a_turn_starts_when_the_one_before_is_answered() -> None:
    desk = Desk(2)
    message = taken(desk.bots[0], 10.0)
    desk.bots[0].receive(answers(message, 1), Moment(10.3))
    assert desk.bots[0].thinking(Moment(10.4)) is not None
    desk.bots[0].receive(answers(message, 1, 1), Moment(10.4))
    assert desk.charged() == pytest.approx([300, 100])
    assert desk.bots[0].thinking(Moment(10.4)) is None


def test_the_way_to_a_bot_and_back_is_not_charged() -> None:
    desk = Desk(2)
    bot = desk.bots[0]
    bot.round_trip = 0.1
    message = taken(bot, 0.0)
    assert bot.thinking(Moment(0.05)) == (desk.matches[0].seats[0], (0.0, None))
    bot.receive(answers(message, 1), Moment(0.13))
    bot.receive(answers(message, 1, 1), Moment(0.15))
    assert desk.charged() == pytest.approx([30, 20]), "the turn was there already: only once is there a way"


def test_while_nothing_reaches_a_bot_its_clock_stands_still() -> None:
    desk = Desk(1)
    bot = desk.bots[0]
    message = taken(bot, 0.0)
    bot.shift_clocks(5.0)
    bot.receive(answers(message), Moment(5.2))
    assert desk.charged() == pytest.approx([200.0])


def test_a_new_stream_takes_over_the_seats_and_is_told_all_again() -> None:
    desk = Desk(3)
    old, other = desk.bots
    for _ in range(20):  # so that something has happened
        for bot in (old, other):
            bot.release()
            while (message := bot.take(Moment(1.0))) is not None and message.mantis_turns:
                bot.receive(answers(message), Moment(1.0))
        if len(old.waiting) > 1:
            break
    old.release()
    waiting = taken(old, 2.0)
    seats, thinking_about = old.abandon(Moment(2.5))
    assert old.batching.sessions == {other}
    assert [seat.thought.wall for seat in seats] == [500.0, 0.0, 0.0]
    assert thinking_about == seats[: len(waiting.mantis_turns)]
    new = Session(lambda: None, desk.hold, old.batching)
    new.take_over(old, seats)
    assert old.seats == {}
    new.release()
    message = taken(new, 10.0)
    assert {start.id for start in message.starts} == {"m0", "m1", "m2"}
    assert len(message.mantis_turns) == len(waiting.mantis_turns) > 1
    for turn in message.mantis_turns:
        seat = new.seats[turn.match]
        assert isinstance(seat, Seat)
        assert turn.events == bytes(seat.match.encoder.events) != b""
    before = sum(desk.charged())
    new.receive(answers(message), Moment(10.25))
    assert sum(desk.charged()) - before == pytest.approx(750), "what was spent before counts"


def test_suspects_are_sent_one_at_a_time() -> None:
    desk = Desk(4)
    old = desk.bots[0]
    taken(old, 0.0)
    seats, thinking_about = old.abandon(Moment(0.1))
    assert thinking_about == seats
    new = Session(lambda: None, desk.hold, old.batching)
    new.take_over(old, seats, thinking_about[:2])
    for left in (1, 0):
        message = taken(new, 1.0)
        assert len(message.mantis_turns) == 1
        assert new.take(Moment(1.0)) is None
        new.receive(answers(message), Moment(1.001))
        assert len(new.suspects) == left
    new.release()
    assert len(taken(new, 2.0).mantis_turns) == 2


def test_a_late_bot_was_not_thinking_about_the_turns_that_wait_behind() -> None:
    desk = Desk(3)
    bot = desk.bots[0]
    taken(bot, 0.0)
    thinking = bot.thinking(Moment(2.0))
    assert thinking is not None
    bot.mark_late(Moment(2.0))
    thinking[0].time_out(thinking[1], "too slow")
    seats, thinking_about = bot.abandon(Moment(3.0))
    assert (len(seats), thinking_about) == (2, [])


def test_what_was_spent_before_is_not_forgotten_however_often_a_stream_breaks() -> None:
    desk = Desk(2)
    seat, old = desk.matches[0].seats[0], desk.bots[0]
    taken(old, 0.0)
    old.abandon(Moment(3.0))
    assert seat.thought.wall == pytest.approx(3000)
    for number in range(3):
        new = Session(lambda: None, desk.hold, old.batching)
        new.round_trip = 0.5
        new.take_over(old, [seat])
        if number == 1:  # it was sent, and the stream broke at once
            new.release()
            taken(new, 5.0)
        assert new.abandon(Moment(5.0)).seats == [seat]
        assert seat.thought.wall == pytest.approx(3000)
        old = new


def test_answers_held_up_by_a_late_one_are_not_charged() -> None:
    desk = Desk(3)
    message = taken(desk.bots[0], 10.0)
    desk.bots[0].mark_late(Moment(12.0))
    desk.bots[0].receive(answers(message), Moment(15.0))
    assert desk.charged() == [0.0] * 3
    assert desk.bots[0].state is SessionState.IDLE


def test_an_answer_to_what_was_not_asked_forfeits_its_match() -> None:
    desk = Desk(2)
    bot = desk.bots[0]
    message = taken(bot, 0.0)
    bot.receive(answers(message, 1), Moment(0.1))
    assert bot.receive(answers(message, 1), Moment(0.2)) == 0
    assert [match.match.forfeited for match in desk.matches] == [[0], []]


def test_an_answer_before_the_turn_was_sent_is_not_asked_for() -> None:
    desk = Desk(1)
    desk.bots[0].receive(pb.PlayRequest(answers=pb.Answers(match=[1], turn=[1], action=[1])), Moment(0.0))
    assert desk.matches[0].match.forfeited == [0]


def test_a_message_without_answers_is_ignored_and_stops_no_clock() -> None:
    desk = Desk(1)
    bot = desk.bots[0]
    message = taken(bot, 0.0)
    assert bot.receive(pb.PlayRequest(), Moment(0.3)) == 0
    bot.receive(answers(message), Moment(0.5))
    assert desk.charged() == pytest.approx([500])


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
            bot.receive(answers(message), Moment(now))
    assert desk.matches[0].match.over
    assert desk.matches[0].match.outcome().faults == ()


def test_few_turns_wait_for_more_as_long_as_others_think() -> None:
    desk = Desk(8)
    first, second = desk.bots
    message = taken(first, 0.0)
    first.receive(answers(message, 2), Moment(0.1))
    assert len(second.waiting) == 2  # both answers were to score, which ends the turn
    assert second.take(Moment(0.1)) is None, "six of its eight matches are still to come"
    assert desk.held == 1
    second.release()
    assert len(taken(second, 0.1).mantis_turns) == 2


def test_when_no_bot_thinks_the_one_with_most_turns_is_asked() -> None:
    desk = Desk(8)
    first, second = desk.bots
    message = taken(first, 0.0)
    first.receive(answers(message), Moment(0.1))
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
