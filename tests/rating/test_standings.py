"""What results add up to."""

from __future__ import annotations

from random import Random

from arena.rating.standings import THINK_MS_BOUNDS, SeatTally, Standing, Standings, pair_points
from arena.rating.trueskill import Rating, Scale
from arena.records import SeatRecord


def seat(version: int, placement: int, won: float = 0.0, fault: str | None = None, ms: float = 10.0) -> SeatRecord:
    return SeatRecord(version, placement, won, ms, 10, fault, None)


def test_a_match_counts_for_everybody_at_the_table() -> None:
    standings = Standings(Scale(0.05))
    standings.fold([seat(3, 2, ms=25.0), seat(1, 1, 1.0), seat(2, 3, fault="crash")], "m1")
    standings.fold([seat(1, 2, 0.0), seat(2, 1, 0.5), seat(3, 1, 0.5)], "m2")
    first = standings.bots[1]
    assert (first.matches, first.wins, first.placements, first.last_match) == (2, 1.0, [1, 1], "m2")
    assert standings.bots[2].faults == {"crash": 1}
    assert standings.bots[3].think_ms == 35.0
    assert standings.bots[3].think_times[THINK_MS_BOUNDS.index(5.0)] == 1
    assert standings.head_to_head[2, 3].points == 0.5
    assert standings.head_to_head[3, 2].points == 1.5
    assert standings.head_to_head[1, 2].matches == 2


def test_ratings_do_not_depend_on_who_sits_where() -> None:
    table = [seat(4, 1, 1.0), seat(7, 2), seat(2, 2), seat(9, 4)]
    one, other = Standings(Scale(0.2)), Standings(Scale(0.2))
    one.fold(table, "m")
    other.fold(table[::-1], "m")
    assert [one.rating(version) for version in (2, 4, 7, 9)] == [other.rating(version) for version in (2, 4, 7, 9)]


def test_ratings_are_those_of_the_scale() -> None:
    scale = Scale(0.05)
    standings = Standings(scale)
    standings.fold([seat(1, 1, 1.0), seat(2, 2)], "m")
    assert [standings.rating(1), standings.rating(2)] == scale.rate([Rating(), Rating()], [1, 2])
    assert standings.rating(3) == Rating()
    assert standings.ranking() == [1, 2]


def test_the_best_are_the_first_of_the_ranking() -> None:
    standings = Standings(Scale(0.05))
    rng = Random(1)
    standings.bots = {
        number: Standing(Rating(rng.choice((20.0, 25.0, 30.0)), 1.0)) for number in rng.sample(range(99), 50)
    }
    for count in (0, 1, 5, 50, 60):
        assert standings.best(count) == standings.ranking()[:count]


def test_where_only_winners_count_the_places_behind_are_the_same() -> None:
    standings = Standings(Scale(0.05), winners_only=True)
    standings.fold([seat(1, 1, 1.0), seat(2, 2), seat(3, 3)], "m")
    second, third = standings.rating(2), standings.rating(3)
    assert abs(second.mu - third.mu) < 0.01
    assert standings.bots[3].placements == [0, 0, 1]


def test_the_history_thins_out() -> None:
    standing = Standing()
    points = []
    for number in range(1, 2001):
        standing.matches = number
        if standing.worth_a_point:
            points.append(number)
    assert points[:33] == [*range(1, 33), 34]
    assert len(points) < 150
    assert points[-1] == 1984


def test_what_a_bot_reaches_is_kept_by_seat_and_size_of_table() -> None:
    standings = Standings(Scale(0.05))
    standings.fold([seat(1, 1, 1.0), seat(2, 2)], "m1")
    standings.fold([seat(2, 1, 0.5), seat(1, 1, 0.5)], "m2")
    standings.fold([seat(3, 3), seat(1, 2), seat(2, 1, 1.0)], "m3")
    standings.fold([seat(3, 1, 1.0), seat(1, 3), seat(2, 2)], "m4")
    assert standings.bots[1].by_seat == {
        2: [SeatTally(1, 1.0, 1), SeatTally(1, 0.5, 1)],
        3: [SeatTally(), SeatTally(2, 0.0, 5), SeatTally()],
    }


def test_changes_are_told_once() -> None:
    standings = Standings(Scale(0.05))
    standings.fold([seat(1, 1, 1.0), seat(2, 2)], "m")
    changes = standings.take_changes()
    assert (changes.versions, changes.pairs) == ({1, 2}, {(1, 2), (2, 1)})
    assert [point.version_id for point in changes.points] == [1, 2]
    assert not standings.take_changes().versions


def test_the_outcome_of_a_block_is_in_half_points() -> None:
    outcome = pair_points([[1, 2, 2], [1, 3, 2], [2, 1, 3]])
    assert list(outcome) == [0, 4, 6, 2, 0, 3, 0, 3, 0]


def test_where_only_wins_count_losers_get_no_points_against_each_other() -> None:
    outcome = pair_points([[1, 2, 2], [1, 2, 2], [2, 1, 2]], winners_only=True)
    assert list(outcome) == [0, 4, 4, 2, 0, 2, 0, 0, 0]
    assert list(pair_points([[1, 1, 2]], winners_only=True)) == [0, 1, 2, 1, 0, 2, 0, 0, 0]
    assert list(pair_points([[2, 2, 2]], winners_only=True)) == [0] * 9


def test_where_only_wins_count_the_order_of_submission_does_not() -> None:
    standings = Standings(Scale(0.05), winners_only=True)
    standings.fold([seat(3, 2), seat(1, 4), seat(4, 1, 1.0), seat(2, 3)], "m")
    assert {round(standings.rating(version).mu, 6) for version in (1, 2, 3)} == {round(standings.rating(1).mu, 6)}
