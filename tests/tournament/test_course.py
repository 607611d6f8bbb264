"""The course of a bracket: what is drawn when, and counted in which order, whatever the order of the results."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from arena.rating.sprt import Hypotheses, SprtDecision
from arena.rating.standings import Standings
from arena.rating.trueskill import Scale
from arena.records import BlockRecord, SeatRecord
from arena.tournament.course import Course
from arena.tournament.formats.base import Field, Format, Pairing, PairingResult, Round, Skill
from arena.tournament.formats.cycles import Duel
from arena.tournament.planner import seating
from arena.tournament.stopping import MatchLimit, SequentialTest, StopRule, StopVerdict, UntilSeparated


class Pairs(Format):
    """Each bot meets the next one, for a number of rounds of two deals each."""

    name = "pairs"
    summary = ""

    def __init__(self, field: Field, rounds: int, waits: bool) -> None:
        super().__init__(field)
        self.rounds = rounds
        self.waits = waits  # type: ignore[misc]
        self.seen: list[Sequence[PairingResult]] = []
        self.skills: list[tuple[float, float]] = []
        self.drawn = 0

    def next_round(self, skill: Skill) -> Round | None:
        if self.drawn == self.rounds:
            return None
        self.drawn += 1
        self.skills.append(skill(0))
        deals = (2 * self.drawn - 1, 2 * self.drawn)
        size = self.field.size
        return Round(tuple(Pairing((one, (one + 1) % size), deals) for one in range(size)))

    def record(self, results: Sequence[PairingResult]) -> None:
        self.seen.append(results)

    @property
    def pairing_count(self) -> int | None:
        return self.rounds * self.field.size


VERSIONS = (100, 101, 102, 103)


def result(block: BlockRecord, rotation: int) -> tuple[SeatRecord, ...]:
    """The entrant with the lower number wins."""
    table = seating(block.entrants, rotation)
    best = min(table)
    return tuple(
        SeatRecord(VERSIONS[entrant], 1 if entrant == best else 2, float(entrant == best), 1.0, 1, None, None)
        for entrant in table
    )


def new_course(waits: bool = True, rounds: int = 3, field: Sequence[int] = (0, 1, 2, 3), *rules: StopRule) -> Course:
    drawn_by = Pairs(Field(len(field), 2, 2, "seed"), rounds, waits)
    return Course(drawn_by, field, VERSIONS, Standings(Scale(0.01)), rules)


def run(course: Course, rng: Random | None = None, most_open: int = 5) -> list[BlockRecord]:
    """Plays the course with several blocks under way, which end in an order that the dice decide."""
    drawn: list[BlockRecord] = []
    under_way: list[tuple[BlockRecord, int]] = []
    while not course.over:
        while len(under_way) < most_open and (block := course.next_block()):
            drawn.append(block)
            under_way += [(block, rotation) for rotation in course.missing(block)]
        if not under_way:  # the format has just said that there is nothing more
            break
        place = rng.randrange(len(under_way)) if rng else 0
        block, rotation = under_way.pop(place)
        course.take(block.number, rotation, f"{block.number}-{rotation}", result(block, rotation))
        list(course.count())
    return drawn


def test_the_order_in_which_matches_end_changes_nothing() -> None:
    one, other = new_course(), new_course()
    assert run(one) == run(other, Random(1), most_open=20)
    assert one.standings
    assert other.standings
    assert one.standings.bots == other.standings.bots
    assert one.matches_counted == 3 * 4 * 2 * 2


def test_a_format_that_waits_is_told_the_results_of_a_round_before_it_draws_the_next() -> None:
    course = new_course()
    run(course, Random(2))
    drawn_by = course.format
    assert isinstance(drawn_by, Pairs)
    assert [len(results) for results in drawn_by.seen] == [4, 4, 4]
    assert [each.points for each in drawn_by.seen[0]] == [(1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (0.0, 1.0)]
    assert drawn_by.skills[0] == (25.0, 25 / 3)
    assert drawn_by.skills[0] < drawn_by.skills[1] < drawn_by.skills[2]


def test_a_format_that_does_not_wait_draws_on() -> None:
    course = new_course(waits=False, rounds=2)
    blocks = []
    while block := course.next_block():
        blocks.append(block)
    assert [block.number for block in blocks] == list(range(2 * 4 * 2))
    assert course.stopped
    assert not course.over


def test_it_stops_after_so_many_matches() -> None:
    course = new_course(True, 3, (0, 1, 2, 3), MatchLimit(11))
    run(course)
    assert course.matches_counted == 10  # five blocks of two; a sixth would be too many


def test_entrants_that_do_not_play_here_are_skipped() -> None:
    course = new_course(field=(1, 3))
    blocks = run(course)
    assert {entrant for block in blocks for entrant in block.entrants} == {1, 3}
    assert course.standings
    assert set(course.standings.bots) == {101, 103}


def test_separation_is_checked_at_fixed_points_of_the_schedule() -> None:
    ends = set()
    for most_open in (1, 3, 50):
        course = new_course(False, 1000, (0, 1), UntilSeparated())
        run(course, Random(most_open), most_open)
        assert course.stopped
        ends.add(course.counted)
    assert len(ends) == 1  # however many are under way
    assert ends < set(range(20, 60))


@pytest.mark.slow
def test_equal_bots_are_seldom_separated_in_all_checks_together() -> None:
    """With the usual 1.96 standard errors it was a third of all events."""
    rng, events, stopped = Random(5), 150, 0
    for _ in range(events):
        rule = UntilSeparated()
        for number in range(800):
            if rule.check(number, number, 0) is StopVerdict.STOP:
                stopped += 1
                break
            points = rng.choice((0, 2, 2, 4))
            rule.count((0, 1), bytes((0, points, 4 - points, 0)))
    assert stopped / events < 0.09


def test_each_block_has_a_deal_of_its_own() -> None:
    """Blocks with the same cards depend on each other: strengths would seem to be better known than they are."""
    blocks = run(new_course())
    assert [block.deal for block in blocks] == list(range(len(blocks)))


def test_a_tournament_of_before_keeps_the_deals_of_its_format() -> None:
    drawn_by = Pairs(Field(4, 2, 2, "seed"), 3, True)
    course = Course(drawn_by, (0, 1, 2, 3), VERSIONS, Standings(Scale(0.01)), own_deals=False)
    deals = [block.deal for block in run(course)]
    assert len(set(deals)) < len(deals)


def test_a_sequential_test_ends_at_once_and_counts_nothing_more() -> None:
    """Seats are taken alternately, so an entrant has several seats of a match. Nothing is rated."""
    for most_open in (1, 100):
        test = SequentialTest(Hypotheses())
        drawn_by = Duel(Field(2, 4, 2, "seed"), cycles=1000)
        course = Course(drawn_by, (0, 1), VERSIONS, None, [test])
        run(course, Random(most_open), most_open)
        assert test.test.decision is SprtDecision.NOT_BETTER
        assert (course.counted, course.matches_counted, test.test.blocks) == (10, 20, 10)


@pytest.mark.parametrize(("seats", "matches"), [(2, 2), (3, 3), (4, 2), (5, 5), (6, 2)])
def test_two_bots_that_share_the_seats_play_each_seating_once(seats: int, matches: int) -> None:
    """With four seats the third rotation seats them as the first does."""
    course = Course(Duel(Field(2, seats, 2, "seed"), cycles=1), (0, 1), VERSIONS, None, [])
    block = course.next_block()
    assert block
    seated = [seating(block.entrants, rotation) for rotation in course.missing(block)]
    assert len(set(seated)) == len(seated) == course.matches_drawn == matches


def test_a_head_to_head_gives_up_after_its_last_deal() -> None:
    test = SequentialTest(Hypotheses())
    course = Course(Duel(Field(2, 2, 2, "seed"), cycles=3), (0, 1), VERSIONS, None, [test])
    blocks = run(course)
    assert [(block.round, block.deal, block.entrants) for block in blocks] == [("", deal, (0, 1)) for deal in (0, 1, 2)]
    assert test.test.decision is SprtDecision.OPEN


def test_a_stopped_course_is_over_when_what_was_drawn_is_counted() -> None:
    course = new_course(waits=False)
    block = course.next_block()
    assert block
    course.stopped = True
    assert course.next_block() is None
    assert not course.over
    for rotation in range(2):
        course.take(block.number, rotation, "m", result(block, rotation))
    ((counted, _, _),) = course.count()
    assert counted == block
    assert course.over
