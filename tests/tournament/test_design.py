"""Balanced tables, proved by counting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournament.design import Design, design
from arena.tournament.seat_orders import Group, evenly, seat_orders

# All fields up to 64 bots are balanced, but to count them all takes a minute.
FIELDS = [
    *((bots, seats) for seats in (2, 3, 4) for bots in (*range(seats, 33), *range(33, 65, 3), 64)),
    *((bots, 5) for bots in (*range(5, 33), 40, 48, 52, 57)),
    *((bots, 6) for bots in (*range(6, 25), 29, 31, 34, 40, 47, 53, 59)),
    *((7, 7), (10, 9), (13, 8), (16, 16), (17, 16), (20, 12)),
]
MANY = [(64, 4), (61, 3), (40, 5), (31, 6), (12, 4), (8, 4), (4, 4), (7, 2), (8, 2)]


def meetings(tables: Iterable[Group]) -> Counter[frozenset[int]]:
    return Counter(frozenset(pair) for table in tables for pair in combinations(table, 2))


def spread(count: Counter[int], bots: int) -> int:
    often = [count[bot] for bot in range(bots)]
    return max(often) - min(often)


def all_tables(found: Design, cycle: int = 0) -> list[Group]:
    return [table for tables in found.sub_rounds(cycle) for table in tables]


@pytest.mark.parametrize(("bots", "seats"), FIELDS)
def test_every_pair_meets_equally_often_and_everybody_sits_equally_often(bots: int, seats: int) -> None:
    found = design(bots, seats)
    tables: list[Group] = []
    sat: Counter[int] = Counter()
    for sub_round in found.sub_rounds():
        tables += sub_round
        sat.update(bot for table in sub_round for bot in table)
        assert spread(sat, bots) <= (3 if found.circle < bots else 0)  # so a part of a cycle is nearly balanced
    assert all(len(set(table)) == seats and set(table) <= set(range(bots)) for table in tables)
    assert set(sat.values()) == {len(tables) * seats // bots}
    met = meetings(tables)
    assert len(met) == comb(bots, 2)
    assert set(met.values()) == {found.fewest_meetings} == {found.most_meetings}
    assert found.balanced
    assert len(tables) == found.groups <= min(comb(bots, seats), bots * (bots - 1))


@pytest.mark.parametrize(("bots", "seats"), MANY)
def test_inside_a_sub_round_all_bots_occur_about_equally_often(bots: int, seats: int) -> None:
    sat: Counter[int] = Counter()
    for table in all_tables(design(bots, seats)):
        sat.update(table)
        assert spread(sat, bots) <= min(seats, 4)


@pytest.mark.parametrize(("bots", "seats", "tables"), [(7, 3, 7), (8, 4, 14), (9, 3, 12), (12, 4, 33), (13, 4, 13)])
def test_well_known_designs_are_found(bots: int, seats: int, tables: int) -> None:
    assert design(bots, seats).groups == tables


@pytest.mark.parametrize(
    ("bots", "seats"), [(8, 2), (64, 2), (9, 3), (12, 3), (8, 4), (12, 4), (16, 4), (12, 6), (25, 5)]
)
def test_where_it_is_possible_everybody_sits_once_in_a_sub_round(bots: int, seats: int) -> None:
    for tables in design(bots, seats).sub_rounds():
        assert sorted(bot for table in tables for bot in table) == list(range(bots))


def test_the_rotations_of_a_deal_give_every_bot_every_seat_equally_often() -> None:
    at: Counter[tuple[int, int]] = Counter()
    for table in all_tables(design(14, 4)):
        for rotation in range(4):
            at.update((bot, (seat + rotation) % 4) for seat, bot in enumerate(table))
    assert len(at) == 14 * 4
    assert len(set(at.values())) == 1


@pytest.mark.parametrize("seats", range(2, 7))
def test_after_all_cycles_everybody_had_every_neighbour_equally_often(seats: int) -> None:
    for bots in (seats, seats + 1, seats + 2):
        found = design(bots, seats)
        left: Counter[tuple[int, int]] = Counter()
        for cycle in range(len(seat_orders(seats))):
            for table in all_tables(found, cycle):
                left.update((bot, table[seat - 1]) for seat, bot in enumerate(table))
        assert len(left) == bots * (bots - 1)
        assert len(set(left.values())) == 1


def test_neighbours_are_mixed_within_a_cycle() -> None:
    for bots, seats in ((12, 4), (20, 4), (31, 6), (40, 5)):
        found = design(bots, seats)
        left: Counter[tuple[int, int]] = Counter()
        for table in all_tables(found):
            left.update((bot, table[seat - 1]) for seat, bot in enumerate(table))
        assert max(left.values()) <= 3 * max(1, found.fewest_meetings // (seats - 1))


def test_cycles_have_the_same_tables() -> None:
    found = design(11, 4)
    first, second = (sorted(tuple(sorted(table)) for table in all_tables(found, cycle)) for cycle in (0, 1))
    assert first == second
    assert all_tables(found, 0) != all_tables(found, 1)


@pytest.mark.parametrize(("bots", "seats"), MANY)
def test_the_same_field_gives_the_same_design(bots: int, seats: int) -> None:
    assert design(bots, seats) == design.__wrapped__(bots, seats)


def test_a_design_does_not_depend_on_the_machine() -> None:
    assert list(design(8, 4).sub_rounds()) == [
        ((7, 0, 2, 3), (1, 6, 5, 4)),
        ((7, 1, 3, 4), (2, 0, 6, 5)),
        ((7, 2, 4, 5), (3, 1, 0, 6)),
        ((7, 3, 5, 6), (4, 2, 1, 0)),
        ((7, 4, 6, 0), (5, 3, 2, 1)),
        ((7, 5, 0, 1), (6, 4, 3, 2)),
        ((7, 6, 1, 2), (0, 5, 4, 3)),
    ]


@pytest.mark.parametrize(("bots", "seats"), [(100, 3), (100, 4), (128, 4), (997, 3), (961, 6), (1000, 3)])
def test_large_fields_are_balanced_where_that_is_found(bots: int, seats: int) -> None:
    """A whole cycle would be long to count: the base tables have every distance equally often, which is the same."""
    found = design(bots, seats)
    assert found.balanced
    assert set(meetings_by_distance(found)) == set(range(1, found.circle))
    assert set(meetings_by_distance(found).values()) == {found.fewest_meetings}


@pytest.mark.parametrize(("bots", "seats"), [(500, 5), (1000, 6)])
def test_other_large_fields_are_nearly_balanced(bots: int, seats: int) -> None:
    found = design(bots, seats)
    assert not found.balanced
    often = meetings_by_distance(found)
    assert (min(often.values()), max(often.values())) == (found.fewest_meetings, found.most_meetings)
    assert found.most_meetings - found.fewest_meetings <= 2
    first = next(found.sub_rounds())
    assert set(Counter(bot for table in first for bot in table).values()) == {seats * len(first) // bots}


def meetings_by_distance(found: Design) -> dict[int, int]:
    """How often two bots of the circle meet that are so far apart."""
    circle = found.circle
    times: Counter[int] = Counter()
    for base in found.base:
        bots = [bot for bot in base.bots if bot < circle]
        for one, other in combinations(bots, 2):
            times[(one - other) % circle] += base.turns
            times[(other - one) % circle] += base.turns
    assert all(count % circle == 0 for count in times.values())
    return {distance: count // circle for distance, count in times.items()}


@given(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3, unique=True).map(tuple)), st.integers(1, 20))
def test_ordering_tables_evenly_loses_none(tables: list[Group], ahead: int) -> None:
    assert sorted(evenly(tables, ahead)) == sorted(tables)
