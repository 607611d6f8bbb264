"""Knockouts, with simulated results: one champion, a full ranking, and a tree that is true."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament.formats.base import Field, Pairing, PairingResult
from arena.tournament.formats.elimination import TIE_BREAKS, DecidedBy, Part, deal_out, tree_order
from arena.tournament.formats.knockout import Knockout
from tests.support.formats import (
    Points,
    a_field,
    all_tied,
    by_strength,
    fields,
    newcomer,
    play,
    results,
    shares,
)


@settings(max_examples=100)
@given(field=fields(largest=70), double=st.booleans(), points=results)
def test_a_knockout_has_one_champion_and_ranks_everybody(field: Field, double: bool, points: Points) -> None:
    knockout = Knockout(field, double=double)
    assert sorted(knockout.ranking()) == list(range(field.size))
    rounds = play(knockout, points)
    assert knockout.next_round(newcomer) is None
    assert sorted(knockout.ranking()) == list(range(field.size))
    assert knockout.champion == knockout.ranking()[0]
    assert sum(len(drawn.pairings) for drawn in rounds) >= knockout.least_pairings()
    check_tree(knockout)


def check_tree(knockout: Knockout) -> None:
    """All bots begin in the first round; those that advance are in the next one, and the others are out."""
    first, last = knockout.tree[0], knockout.tree[-1]
    assert sorted(entrant for table in first.pairings for entrant in table.entrants) == list(range(knockout.field.size))
    assert last.part is Part.FINAL
    assert [table.advanced for table in last.pairings] == [(knockout.champion,)]
    losses: Counter[int] = Counter()
    for drawn in knockout.tree:
        for table in drawn.pairings:
            assert table.decision is not DecidedBy.OPEN
            assert table.advanced == table.entrants[: len(table.advanced)]
            assert (table.points == ()) == (table.decision is DecidedBy.BYE) == (table.advanced == table.entrants)
            assert list(table.points) == sorted(table.points, reverse=True)
            allowed = {Part.MAIN: 0, Part.UPPER: 0, Part.LOWER: 1, Part.FINAL: 2}[drawn.part]
            assert all(losses[entrant] <= allowed for entrant in table.entrants)
            losses.update(table.entrants[len(table.advanced) :])
    for part in (Part.MAIN, Part.UPPER):
        rounds = [drawn for drawn in knockout.tree if drawn.part is part]
        for drawn, following in pairwise(rounds):
            going_on = [entrant for table in drawn.pairings for entrant in table.advanced]
            assert sorted(going_on) == sorted(entrant for table in following.pairings for entrant in table.entrants)


@pytest.mark.parametrize("double", [False, True])
@pytest.mark.parametrize("fewest", [2, 3])
@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_the_strongest_wins_a_knockout_of_every_size(seats: int, fewest: int, double: bool) -> None:
    if seats < fewest:
        return
    for size in range(fewest, 40):
        knockout = Knockout(a_field(size, seats, fewest), double=double)
        rounds = play(knockout, by_strength)
        assert knockout.champion == size - 1
        final = knockout.tree[-1].pairings[0]
        assert min(size, fewest) <= len(final.entrants) <= seats
        if double:
            assert knockout.ranking()[1] == size - 2
        assert sum(len(drawn.pairings) for drawn in rounds) == knockout.least_pairings()


def test_a_knockout_of_sixteen_at_tables_of_four_is_a_tree() -> None:
    knockout = Knockout(a_field(16, 4))
    play(knockout, by_strength)
    assert [drawn.title for drawn in knockout.tree] == ["quarter-final", "semi-final", "final"]
    assert [len(drawn.pairings) for drawn in knockout.tree] == [4, 2, 1]
    for drawn, following in pairwise(knockout.tree):
        for number, table in enumerate(following.pairings):
            feeding = drawn.pairings[2 * number : 2 * number + 2]
            assert sorted(table.entrants) == sorted(entrant for each in feeding for entrant in each.advanced)
            assert all(len(each.advanced) == 2 for each in feeding)
    assert knockout.ranking()[:3] == [15, *knockout.tree[-1].pairings[0].entrants[1:3]]


def test_the_first_of_the_lot_meet_late_and_have_the_byes() -> None:
    knockout = Knockout(a_field(13, 2))
    lot = knockout.ranking()
    play(knockout, lambda pairing: shares([-float(lot.index(entrant)) for entrant in pairing.entrants]))
    first, quarter, semi, final = (
        [tuple(map(lot.index, table.entrants)) for table in drawn.pairings] for drawn in knockout.tree
    )
    assert first == [
        *[(0,), (7, 8), (3, 12), (4, 11)],
        *[(1,), (6, 9), (2,), (5, 10)],
    ]
    assert [table.decision for table in knockout.tree[0].pairings].count(DecidedBy.BYE) == 3
    assert quarter == [(0, 7), (3, 4), (1, 6), (2, 5)]
    assert semi == [(0, 3), (1, 2)]
    assert final == [(0, 1)]


def test_a_knockout_is_placed_by_lot() -> None:
    by_lot = [Knockout(a_field(16, 2, seed=seed)).next_round(newcomer) for seed in "ab"]
    assert by_lot[0] != by_lot[1]


def test_uneven_tables_of_a_knockout_all_advance_two() -> None:
    knockout = Knockout(a_field(13, 4))
    play(knockout, by_strength)
    assert sorted(len(table.entrants) for table in knockout.tree[0].pairings) == [3, 3, 3, 4]
    assert {len(table.advanced) for table in knockout.tree[0].pairings} == {2}


def test_a_game_for_three_has_a_final_of_three() -> None:
    for size in range(3, 30):
        knockout = Knockout(a_field(size, 3, fewest=3))
        play(knockout, by_strength)
        assert len(knockout.tree[-1].pairings[0].entrants) == 3


def test_a_tie_at_the_cut_is_played_off_then_decided_by_lot() -> None:
    knockout = Knockout(a_field(4, 2), deals=2)
    rounds = play(knockout, all_tied)
    titles = [drawn.title for drawn in rounds]
    assert titles[: TIE_BREAKS + 1] == ["semi-final", *(f"semi-final, tie-break {n + 1}" for n in range(TIE_BREAKS))]
    assert len({deal for drawn in rounds for deal in drawn.pairings[0].deals}) == 2 * len(rounds), "always new deals"
    assert {table.decision for drawn in knockout.tree for table in drawn.pairings} == {DecidedBy.LOT}


def test_only_those_who_are_tied_play_off() -> None:
    knockout = Knockout(a_field(8, 4))
    first = knockout.next_round(newcomer)
    assert first is not None
    results = [
        PairingResult(first.pairings[0], (1.0, 0.4, 0.4, 0.2)),
        PairingResult(first.pairings[1], (1, 0.6, 0.3, 0)),
    ]
    knockout.record(results)
    second = knockout.next_round(newcomer)
    assert second is not None
    assert second.title == "semi-final, tie-break 1"
    assert [sorted(pairing.entrants) for pairing in second.pairings] == [sorted(first.pairings[0].entrants[1:3])]
    winner = second.pairings[0].entrants[0]
    knockout.record([PairingResult(second.pairings[0], (0.75, 0.25))])
    assert [table.decision for table in knockout.tree[0].pairings] == [DecidedBy.TIE_BREAK, DecidedBy.POINTS]
    assert knockout.tree[0].pairings[0].advanced == (first.pairings[0].entrants[0], winner)


def test_where_two_cannot_play_the_whole_table_plays_off_but_only_the_tied_are_compared() -> None:
    knockout = Knockout(a_field(8, 4, fewest=3))
    first = knockout.next_round(newcomer)
    assert first is not None
    best, tied, other, last = first.pairings[0].entrants
    results = [
        PairingResult(first.pairings[0], (1.0, 0.4, 0.4, 0.2)),
        PairingResult(first.pairings[1], (1, 0.6, 0.3, 0)),
    ]
    knockout.record(results)
    second = knockout.next_round(newcomer)
    assert second is not None
    assert sorted(second.pairings[0].entrants) == sorted(first.pairings[0].entrants)
    points = {last: 1.0, other: 0.6, tied: 0.3, best: 0.1}
    knockout.record([PairingResult(second.pairings[0], tuple(points[each] for each in second.pairings[0].entrants))])
    assert knockout.tree[0].pairings[0].advanced == (best, other)


def test_double_elimination_of_eight_is_the_well_known_one() -> None:
    knockout = Knockout(a_field(8, 2), double=True)
    play(knockout, by_strength)
    assert [(drawn.title, len(drawn.pairings)) for drawn in knockout.tree] == [
        ("upper quarter-final", 4),
        ("lower round 1", 2),
        ("upper semi-final", 2),
        ("lower round 2", 2),
        ("lower round 3", 1),
        ("upper final", 1),
        ("lower final", 1),
        ("grand final", 1),
    ]
    assert knockout.ranking()[:2] == [7, 6]


def test_who_comes_from_below_must_win_two_grand_finals() -> None:
    knockout = Knockout(a_field(4, 2), double=True)
    beaten: list[int] = []

    def points(pairing: Pairing) -> list[float]:
        if knockout.tree[-1].part is Part.FINAL:  # who was beaten before wins
            return [1.0 if entrant in beaten else 0.0 for entrant in pairing.entrants]
        beaten.append(min(pairing.entrants))
        return by_strength(pairing)

    rounds = play(knockout, points)
    assert [drawn.title for drawn in rounds[-2:]] == ["grand final", "second grand final"]
    assert knockout.champion in beaten


def test_dealing_out_makes_tables_equally_strong_and_separates_acquaintances() -> None:
    met = [Counter[int]() for _ in range(8)]
    assert deal_out(range(8), 2, met) == [[0, 3, 4, 7], [1, 2, 5, 6]]
    assert deal_out(range(5), 4, met) == [[0], [1], [2], [3, 4]]
    met[3][0] = met[0][3] = 1
    assert deal_out(range(4), 2, met) == [[0, 2], [1, 3]]


def test_the_order_of_a_tree() -> None:
    assert tree_order(8, 2) == [0, 7, 3, 4, 1, 6, 2, 5]
    assert sorted(tree_order(27, 3)) == list(range(27))
