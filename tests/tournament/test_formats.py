"""The formats, with simulated results: pairings, advancing, ranking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations

import pytest
from hypothesis import given, settings

from arena.rating.trueskill import quality
from arena.tournament.formats import FORMATS
from arena.tournament.formats.base import Field, Format, Round
from arena.tournament.formats.cycles import Gauntlet, RoundRobin
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.ladder import Ladder
from arena.tournament.formats.swiss import Swiss
from tests.support.formats import (
    Points,
    a_field,
    all_tied,
    by_strength,
    fields,
    mostly_by_strength,
    newcomer,
    play,
    results,
)


def met_in(rounds: Sequence[Round]) -> Counter[frozenset[int]]:
    return Counter(
        frozenset(pair) for drawn in rounds for pairing in drawn.pairings for pair in combinations(pairing.entrants, 2)
    )


MAKERS: list[Callable[[Field], Format]] = [
    lambda field: RoundRobin(field, cycles=2),
    Swiss,
    Knockout,
    lambda field: Knockout(field, double=True),
    Ladder,
    lambda field: Gauntlet(field, newcomer=field.size - 1, cycles=3),
]


# All formats


def test_every_format_is_registered_under_its_name() -> None:
    assert list(FORMATS) == ["round-robin", "swiss", "knockout", "ladder", "gauntlet"]
    for name, format_class in FORMATS.items():
        assert format_class.name == name
        assert format_class.summary.endswith(".")
        assert format_class.__doc__ is not None


@pytest.mark.parametrize("maker", MAKERS)
def test_the_same_field_seed_and_results_lead_to_the_same_rounds(maker: Callable[[Field], Format]) -> None:
    first, again = (play(maker(a_field(13, 4)), mostly_by_strength(7), 20) for _ in range(2))
    assert first == again


@pytest.mark.parametrize("maker", MAKERS)
def test_another_seed_leads_to_other_rounds(maker: Callable[[Field], Format]) -> None:
    first, other = (play(maker(a_field(13, 4, seed=seed)), by_strength, 3) for seed in ("one", "other"))
    assert first != other


@pytest.mark.parametrize("maker", MAKERS)
@settings(max_examples=15)
@given(field=fields(largest=24), points=results)
def test_everybody_plays(maker: Callable[[Field], Format], field: Field, points: Points) -> None:
    drawn_by = maker(field)
    rounds = play(drawn_by, points, 30 if isinstance(drawn_by, RoundRobin | Ladder) else 200)
    seated = {entrant for drawn in rounds for pairing in drawn.pairings for entrant in pairing.entrants}
    assert seated == set(range(field.size))


@pytest.mark.parametrize("maker", [MAKERS[0], MAKERS[1], MAKERS[5]])
@settings(max_examples=15)
@given(field=fields(largest=16))
def test_what_is_said_of_the_number_of_meetings_is_true(maker: Callable[[Field], Format], field: Field) -> None:
    drawn_by = maker(field)
    rounds = play(drawn_by, by_strength, 10_000)
    pairings = [pairing for drawn in rounds for pairing in drawn.pairings]
    assert drawn_by.pairing_count == len(pairings)
    assert drawn_by.match_count == sum(len(pairing.entrants) * len(pairing.deals) for pairing in pairings)


# Round robin


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("size", [2, 3, 5, 8, 11, 12, 17])
def test_in_a_round_robin_all_pairs_meet_equally_often_in_every_deal(size: int, seats: int) -> None:
    drawn_by = RoundRobin(a_field(size, seats), cycles=3)
    rounds = play(drawn_by, by_strength, 10_000)
    for cycle in range(3):
        in_cycle = [drawn for drawn in rounds if drawn.pairings[0].deals == (cycle,)]
        assert sum(len(drawn.pairings) for drawn in in_cycle) == drawn_by.pairings_per_cycle
        met = met_in(in_cycle)
        assert len(met) == size * (size - 1) // 2
        assert len(set(met.values())) == 1


def test_a_round_robin_goes_on_without_end() -> None:
    drawn_by = RoundRobin(a_field(4, 4))
    assert drawn_by.pairing_count is None
    assert [drawn.pairings[0].deals for drawn in play(drawn_by, by_strength, 5)] == [(0,), (1,), (2,), (3,), (4,)]
    assert len({pairing.entrants for drawn in play(drawn_by, by_strength, 6) for pairing in drawn.pairings}) == 6


def test_a_round_robin_of_a_thousand_bots_starts_at_once() -> None:
    first = RoundRobin(a_field(1000, 4)).next_round(newcomer)
    assert first is not None
    assert len(first.pairings) <= 1000


# Swiss


@pytest.mark.parametrize("size", [6, 8, 9, 16, 31, 64, 150])
def test_in_a_swiss_of_two_seats_no_pair_meets_twice(size: int) -> None:
    for points in (by_strength, all_tied, mostly_by_strength(1)):
        assert max(met_in(play(Swiss(a_field(size, 2)), points)).values()) == 1


@pytest.mark.parametrize(
    ("size", "seats", "most"), [(40, 3, 1), (48, 4, 1), (24, 4, 2), (16, 4, 2), (30, 5, 2), (36, 6, 3)]
)
def test_in_a_swiss_of_more_seats_bots_meet_again_only_where_they_must(size: int, seats: int, most: int) -> None:
    assert max(met_in(play(Swiss(a_field(size, seats)), mostly_by_strength(2))).values()) <= most


@pytest.mark.parametrize("seats", [2, 4])
def test_a_swiss_finds_the_best_and_the_worst(seats: int) -> None:
    swiss = Swiss(a_field(32, seats))
    play(swiss, by_strength)
    assert swiss.ranking()[0] == 31
    assert swiss.ranking()[-1] == 0


def test_later_rounds_of_a_swiss_bring_together_those_with_about_the_same_points() -> None:
    swiss = Swiss(a_field(64, 4))
    rounds = play(swiss, by_strength, 5)
    drawn = rounds[-1]
    gaps = [max(pairing.entrants) - min(pairing.entrants) for pairing in drawn.pairings]
    by_chance = [max(pairing.entrants) - min(pairing.entrants) for pairing in rounds[0].pairings]
    assert sum(gaps) < sum(by_chance) / 2


def test_every_round_of_a_swiss_has_its_own_deals() -> None:
    rounds = play(Swiss(a_field(8, 4), rounds=3, deals=2), by_strength)
    assert [drawn.pairings[0].deals for drawn in rounds] == [(0, 1), (2, 3), (4, 5)]


@pytest.mark.parametrize(
    ("size", "seats", "fewest", "sizes"),
    [
        (8, 4, 2, [4, 4]),
        (7, 4, 2, [4, 3]),
        (9, 4, 3, [3, 3, 3]),
        (5, 4, 2, [3, 2]),
        (5, 4, 3, [4]),
        (7, 6, 3, [4, 3]),
        (8, 3, 3, [3, 3]),
        (5, 2, 2, [2, 2]),
    ],
)
def test_the_tables_of_a_swiss_are_as_full_as_can_be(size: int, seats: int, fewest: int, sizes: list[int]) -> None:
    drawn = Swiss(Field(size, seats, fewest, "")).next_round(newcomer)
    assert drawn is not None
    assert [len(pairing.entrants) for pairing in drawn.pairings] == sizes


@pytest.mark.parametrize(("size", "seats", "fewest"), [(5, 2, 2), (5, 4, 3), (8, 3, 3), (11, 3, 3)])
def test_in_a_swiss_everybody_sits_out_equally_often(size: int, seats: int, fewest: int) -> None:
    swiss = Swiss(Field(size, seats, fewest, "seed"), rounds=size)
    rounds = play(swiss, by_strength)
    played = Counter(entrant for drawn in rounds for pairing in drawn.pairings for entrant in pairing.entrants)
    assert max(played.values()) - min(played.values()) <= 1
    points = swiss.points(size - 1)
    assert points == played[size - 1] + 0.5 * (size - played[size - 1])


def test_who_sits_out_first_is_the_last_in_the_standings() -> None:
    swiss = Swiss(a_field(5, 2))
    first = swiss.next_round(newcomer)
    assert first is not None
    seated = {entrant for pairing in first.pairings for entrant in pairing.entrants}
    assert swiss.ranking()[-1] not in seated


# Ladder


def test_in_a_ladder_all_tables_are_full() -> None:
    ladder = Ladder(a_field(14, 4))
    for drawn in play(ladder, by_strength, 20):
        assert len(drawn.pairings) == 3
        assert all(len(pairing.entrants) == 4 for pairing in drawn.pairings)


def test_in_a_ladder_the_least_certain_plays_first_against_equals() -> None:
    strengths = [float(entrant) for entrant in range(100)]

    def skill(entrant: int) -> tuple[float, float]:
        return strengths[entrant], 8.0 if entrant == 50 else 1.0

    drawn = Ladder(a_field(100, 2)).next_round(skill)
    assert drawn is not None
    assert 50 in drawn.pairings[0].entrants
    assert all(abs(first - second) <= 8 for first, second in (pairing.entrants for pairing in drawn.pairings[:40]))


def test_in_a_ladder_opponents_change() -> None:
    rounds = play(Ladder(a_field(12, 2)), by_strength, 11)
    assert len(met_in(rounds)) > 50  # of 66
    assert max(met_in(rounds).values()) <= 2


def test_a_ladder_of_a_thousand_bots() -> None:
    drawn = Ladder(a_field(1000, 4)).next_round(lambda entrant: (entrant / 20, 8.0 - entrant / 200))
    assert drawn is not None
    assert len(drawn.pairings) == 250


def test_every_round_of_a_ladder_has_its_own_deal() -> None:
    rounds = play(Ladder(a_field(6, 3)), by_strength, 3)
    assert [drawn.pairings[0].deals for drawn in rounds] == [(0,), (1,), (2,)]


def test_the_quality_of_a_match() -> None:
    assert quality((25, 25 / 3), (25, 25 / 3)) == pytest.approx(0.447, abs=1e-3)  # the value TrueSkill is known for
    assert quality((25, 1), (25, 1)) > quality((25, 1), (30, 1)) > quality((25, 1), (35, 1))


# Gauntlet


@settings(max_examples=60)
@given(field=fields())
def test_in_a_gauntlet_the_newcomer_meets_all_others_equally_often(field: Field) -> None:
    gauntlet = Gauntlet(field, newcomer=1, cycles=2)
    for cycle, drawn in enumerate(play(gauntlet, by_strength)):
        assert len(drawn.pairings) == gauntlet.pairings_per_cycle
        assert {pairing.deals for pairing in drawn.pairings} == {(cycle,)}
        assert all(1 in pairing.entrants and len(pairing.entrants) == field.seats for pairing in drawn.pairings)
        met = Counter(entrant for pairing in drawn.pairings for entrant in pairing.entrants if entrant != 1)
        assert len(met) == field.size - 1
        assert len(set(met.values())) == 1


def test_the_others_of_a_gauntlet_meet_others_in_every_cycle() -> None:
    first, second = play(Gauntlet(a_field(9, 3), newcomer=0, cycles=2), by_strength)
    assert met_in([first]) != met_in([second])
