"""TrueSkill: published values, cases worked by hand, agreement with the package, and what the package fails on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, permutations
from math import erf, exp, hypot, isfinite, pi, sqrt
from random import Random

import mpmath
import pytest
import trueskill
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import UnknownOptionValue
from arena.games.brackets import Bracket
from arena.games.registry import GAMES, profile_of
from arena.rating.trueskill import (
    MIN_TIE_RATE,
    Rating,
    Scale,
    chance_to_win,
    draw_probability,
    quality,
    win_probability,
)

PUBLISHED = Scale(0.10)
PUBLISHED_DIGITS = 0.001
"""Of some figures the further digits were cut off, of others rounded."""
Figures = list[tuple[float, float]]


def published_rating(mu: float = 25.0, sigma: float = 25 / 3) -> Rating:
    """A rating as the published examples have it before a match: their skill drifts by tau between matches."""
    return Rating(mu, hypot(sigma, 25 / 300))


def figures(ratings: Sequence[Rating]) -> Figures:
    return [(rating.mu, rating.sigma) for rating in ratings]


def close(expected: Figures, tolerance: float) -> list[object]:
    return [pytest.approx(pair, rel=0, abs=tolerance) for pair in expected]


def by_package(
    ratings: Sequence[Rating], placements: Sequence[int], draw: float, backend: str | None, min_delta: float
) -> Figures:
    environment = trueskill.TrueSkill(tau=0.0, draw_probability=draw, backend=backend)
    groups = [(trueskill.Rating(rating.mu, rating.sigma),) for rating in ratings]
    rated = environment.rate(groups, ranks=list(placements), min_delta=min_delta)
    return [(float(rating.mu), float(rating.sigma)) for (rating,) in rated]


def random_match(rng: Random, seats: int) -> tuple[list[Rating], list[int]]:
    ratings = [Rating(rng.gauss(25, 8), rng.uniform(0.5, 9)) for _ in range(seats)]
    scores = [rng.randrange(seats + 1) for _ in range(seats)]  # few values, so that some tie
    return ratings, [1 + sum(other > score for other in scores) for score in scores]


# Published values: the package's documentation and its own tests


@pytest.mark.parametrize(
    ("placements", "expected"),
    [
        ([1, 2], [(29.396, 7.171), (20.604, 7.171)]),
        ([1, 1], [(25.000, 6.458), (25.000, 6.458)]),
        ([1, 2, 3], [(31.675, 6.656), (25.000, 6.208), (18.325, 6.656)]),
        ([3, 2, 1], [(18.325, 6.656), (25.000, 6.208), (31.675, 6.656)]),
        ([1, 1, 1], [(25.000, 5.698), (25.000, 5.695), (25.000, 5.698)]),
        ([1, 2, 3, 4], [(33.207, 6.348), (27.401, 5.787), (22.599, 5.787), (16.793, 6.348)]),
        (
            [1, 2, 3, 4, 5, 6, 7, 8],
            [
                *[(36.771, 5.749), (32.242, 5.133), (29.074, 4.943), (26.322, 4.874)],
                *[(23.678, 4.874), (20.926, 4.943), (17.758, 5.133), (13.229, 5.749)],
            ],
        ),
        (
            [1] * 8,
            [
                *[(25.000, 4.592), (25.000, 4.583), (25.000, 4.576), (25.000, 4.573)],
                *[(25.000, 4.573), (25.000, 4.576), (25.000, 4.583), (25.000, 4.592)],
            ],
        ),
    ],
)
def test_published_values_of_newcomers(placements: list[int], expected: Figures) -> None:
    rated = PUBLISHED.rate([published_rating()] * len(placements), placements)
    assert figures(rated) == close(expected, PUBLISHED_DIGITS)


def test_published_value_of_a_draw_with_a_favourite() -> None:
    rated = PUBLISHED.rate([published_rating(), published_rating(50, 12.5)], [1, 1])
    assert figures(rated) == close([(31.662, 7.137), (35.010, 7.910)], PUBLISHED_DIGITS)


def test_published_values_of_eight_upsets_at_once() -> None:
    ratings = [published_rating(10 + 5 * number, 8 - number) for number in range(8)]
    expected = [
        *[(35.135, 4.506), (32.585, 4.037), (31.329, 3.756), (30.984, 3.453)],
        *[(31.751, 3.064), (34.051, 2.541), (38.263, 1.849), (44.118, 0.983)],
    ]
    assert figures(PUBLISHED.rate(ratings, range(1, 9))) == close(expected, PUBLISHED_DIGITS)


def test_the_published_match_quality() -> None:
    assert quality((25.0, 25 / 3), (25.0, 25 / 3)) == pytest.approx(0.447, abs=PUBLISHED_DIGITS)


# By hand


def test_two_players_by_hand() -> None:
    """Herbrich, Minka, Graepel: mu + sigma² / c v and sigma² (1 - sigma² / c² w) with v = pdf / cdf, w = v (v + x)."""
    winner, loser = Rating(24.0, 3.0), Rating(28.0, 5.0)
    scale = Scale(0.2)
    beta = 25 / 6
    assert erf(scale.draw_margin / (2 * beta)) == pytest.approx(0.2, rel=1e-14)  # equals tie in a fifth of matches
    c = sqrt(3.0**2 + 5.0**2 + 2 * beta**2)
    x = (24.0 - 28.0 - scale.draw_margin) / c
    v = exp(-x * x / 2) / sqrt(2 * pi) / ((1 + erf(x / sqrt(2))) / 2)
    w = v * (v + x)
    expected = [
        (24.0 + 9.0 / c * v, sqrt(9.0 * (1 - 9.0 / c**2 * w))),
        (28.0 - 25.0 / c * v, sqrt(25.0 * (1 - 25.0 / c**2 * w))),
    ]
    assert figures(scale.rate([winner, loser], [1, 2])) == close(expected, 1e-12)
    assert figures(scale.rate([loser, winner], [2, 1])) == close(expected[::-1], 1e-12)


def test_a_tie_of_two_by_hand() -> None:
    """Equals that tie stay where they are; what is left is the variance of a difference within the margin."""
    scale = Scale(0.2)
    c = sqrt(2 * (9.0 + (25 / 6) ** 2))
    end = scale.draw_margin / c
    w = 2 * end * exp(-end * end / 2) / sqrt(2 * pi) / erf(end / sqrt(2))
    sigma = sqrt(9.0 * (1 - 9.0 / c**2 * w))
    assert figures(scale.rate([Rating(20.0, 3.0)] * 2, [1, 1])) == close([(20.0, sigma)] * 2, 1e-12)


def test_the_conservative_rating() -> None:
    assert Rating(30.0, 2.0).conservative == 24.0
    assert Rating().conservative == pytest.approx(0)


# Agreement with the package


@pytest.mark.parametrize(("seats", "matches"), [(2, 40), (3, 25), (4, 20), (5, 15), (6, 15), (16, 4)])
def test_agrees_with_the_package_in_high_precision(seats: int, matches: int) -> None:
    rng = Random(seats)
    for _ in range(matches):
        ratings, placements = random_match(rng, seats)
        draw = rng.choice([0.005, 0.02, 0.08, 0.3])
        expected = by_package(ratings, placements, draw, "mpmath", 1e-13)
        assert figures(Scale(draw).rate(ratings, placements)) == close(expected, 1e-10)


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6, 16])
def test_agrees_with_the_package_as_it_comes(seats: int) -> None:
    """To the seven digits that its own erfc has."""
    rng = Random(seats)
    for _ in range(40):
        ratings, placements = random_match(rng, seats)
        expected = by_package(ratings, placements, 0.1, None, 1e-4)
        assert figures(Scale(0.1).rate(ratings, placements)) == close(expected, 1e-5)


def test_match_quality_agrees_with_the_package() -> None:
    rng = Random(2)
    for _ in range(20):
        one, other = random_match(rng, 2)[0]
        expected = trueskill.TrueSkill(tau=0.0).quality([(trueskill.Rating(r.mu, r.sigma),) for r in (one, other)])
        assert quality((one.mu, one.sigma), (other.mu, other.sigma)) == pytest.approx(expected, rel=1e-9, abs=1e-30)


# What the package fails on


@pytest.mark.parametrize("placements", [[2, 1], [1, 1]])
@pytest.mark.parametrize("gap", [50.0, 235.0, 400.0, 1000.0])
def test_upsets_agree_with_the_package_in_high_precision(gap: float, placements: list[int]) -> None:
    ratings = [Rating(25.0 + gap, 1.5), Rating(25.0, 2.5)]
    with mpmath.workdps(60):
        expected = by_package(ratings, placements, 0.02, "mpmath", 1e-13)
    assert figures(Scale(0.02).rate(ratings, placements)) == close(expected, 1e-9)


def test_an_upset_that_the_package_cannot_rate() -> None:
    ratings = [Rating(325.0, 1.0), Rating(25.0, 1.0), Rating(30.0, 1.0)]
    with pytest.raises(FloatingPointError):
        by_package(ratings, [3, 1, 2], 0.02, None, 1e-4)
    first, second, third = Scale(0.02).rate(ratings, [3, 1, 2])
    assert first.mu < 325
    assert second.mu > 25
    assert third.mu > 30


@pytest.mark.parametrize("seats", [50, 300])
@pytest.mark.parametrize("gap", [-5.0, 0.0, 5.0])
def test_great_tables(seats: int, gap: float) -> None:
    """Without a gap, with every place as expected, and with upsets all along."""
    ratings = [Rating(gap * seat, 2.0) for seat in range(seats)]
    rated = Scale(0.02).rate(ratings, range(1, seats + 1))
    assert all(isfinite(rating.mu) and 0 < rating.sigma < 2.0 for rating in rated)
    assert rated[0].mu > ratings[0].mu
    assert rated[-1].mu < ratings[-1].mu
    assert sum(rating.mu for rating in rated) == pytest.approx(sum(rating.mu for rating in ratings), abs=1e-9)


@pytest.mark.parametrize("placements", [[1, 2, 3, 4], [4, 3, 2, 1], [1, 1, 1, 1], [1, 2, 2, 4], [3, 1, 1, 3]])
@pytest.mark.parametrize("apart", [0.0, 1.0, 300.0, 1e6])
@pytest.mark.parametrize("sigma", [0.01, 1.0, 100.0])
def test_every_rating_is_a_number(placements: list[int], apart: float, sigma: float) -> None:
    for rating in Scale(MIN_TIE_RATE).rate([Rating(seat * apart, sigma) for seat in range(4)], placements):
        assert isfinite(rating.mu)
        assert 0 < rating.sigma <= sigma


# Laws


def test_the_same_match_gives_the_same_bits() -> None:
    ratings, placements = random_match(Random("bits"), 6)
    assert figures(Scale(0.02).rate(ratings, placements)) == figures(Scale(0.02).rate(list(ratings), list(placements)))


def test_without_ties_the_order_of_the_list_does_not_matter() -> None:
    ratings = [Rating(20.0, 4.0), Rating(25.0, 8.0), Rating(30.0, 2.0), Rating(22.0, 3.0)]
    placements = [2, 4, 1, 3]
    expected = dict(zip(placements, Scale(0.02).rate(ratings, placements), strict=True))
    for order in permutations(range(4)):
        listed = Scale(0.02).rate([ratings[seat] for seat in order], [placements[seat] for seat in order])
        assert listed == [expected[placements[seat]] for seat in order]


def test_those_that_tie_are_neighbours_as_listed() -> None:
    """As in the package. The result depends on it, which is why callers list players by id."""
    ratings = [Rating(20.0, 4.0), Rating(30.0, 4.0), Rating(25.0, 4.0)]
    listed = Scale(0.05).rate(ratings, [1, 1, 1])
    assert figures(listed) == close(by_package(ratings, [1, 1, 1], 0.05, "mpmath", 1e-13), 1e-10)
    turned = Scale(0.05).rate([ratings[1], ratings[0], ratings[2]], [1, 1, 1])
    assert abs(listed[2].mu - turned[2].mu) > 0.001


def test_only_the_order_of_placements_counts() -> None:
    ratings, _ = random_match(Random("order"), 4)
    assert Scale(0.05).rate(ratings, [1, 2, 2, 4]) == Scale(0.05).rate(ratings, [0, 5, 5, 9])


@pytest.mark.parametrize("seats", range(2, 7))
def test_any_comparisons_are_rated_as_those_of_neighbours_are(seats: int) -> None:
    for number in range(20):
        ratings, placements = random_match(Random(f"compared {number}"), seats)
        order = sorted(range(seats), key=placements.__getitem__)
        neighbours = [(one, other, placements[one] == placements[other]) for one, other in pairwise(order)]
        compared = Scale(0.05).rate_compared(ratings, neighbours)
        assert figures(compared) == close(figures(Scale(0.05).rate(ratings, placements)), 1e-8)


def test_where_only_wins_count_losers_are_not_compared() -> None:
    """They were rated as a chain of ties, in which the place in the list counts."""
    winner, *losers = Scale(0.05).rate_winners([Rating()] * 4, [True, False, False, False])
    assert winner.mu > 30
    for loser in losers[1:]:
        assert (loser.mu, loser.sigma) == pytest.approx((losers[0].mu, losers[0].sigma), abs=1e-9)


def test_winners_are_ahead_of_losers_and_tie_with_each_other() -> None:
    one, other, loser = Scale(0.05).rate_winners([Rating(20.0, 5.0), Rating(30.0, 5.0), Rating()], [True, True, False])
    assert 20 < one.mu < other.mu < 30
    assert loser.mu < 25
    assert Scale(0.05).rate_winners([Rating()] * 3, [False] * 3) == [Rating()] * 3, "nobody won"


def test_the_better_bot_wins_more_often() -> None:
    weak, strong = Rating(20.0, 1.0), Rating(20.0 + 25 / 6, 1.0)
    assert win_probability(weak, weak) == 0.5
    assert win_probability(strong, weak) == pytest.approx(0.755, abs=0.001)
    assert win_probability(strong, weak) + win_probability(weak, strong) == pytest.approx(1)
    assert 0 < win_probability(Rating(0.0, 1.0), Rating(200.0, 1.0)) < 1e-200


# Tie rates


def test_every_bracket_has_a_measured_tie_rate() -> None:
    for game in GAMES.values():
        for bracket in Bracket.all_of(game):
            measured = profile_of(game.name).tie_rates[tuple(value for _, value in bracket.options)]
            assert MIN_TIE_RATE <= draw_probability(game.name, dict(bracket.options)) == measured < 0.2


def test_options_that_are_not_given_have_their_default() -> None:
    assert draw_probability("mantis", {}) == draw_probability("mantis", {"edition": "classic"})


def test_an_unknown_game_has_a_usual_tie_rate() -> None:
    assert draw_probability("whist", {"trumps": "none"}) == 0.05


def test_an_unknown_edition_is_an_error() -> None:
    with pytest.raises(UnknownOptionValue):
        draw_probability("mantis", {"edition": "deluxe"})


# The chance to win among several


SKILLS = st.builds(Rating, st.floats(0, 50), st.floats(0.1, 25 / 3))
TABLES = st.lists(SKILLS, min_size=2, max_size=16)


@given(TABLES)
def test_the_chances_to_win_add_up_to_one(ratings: list[Rating]) -> None:
    chances = [chance_to_win(ratings, player) for player in range(len(ratings))]
    assert all(0 <= chance <= 1.001 for chance in chances)
    assert sum(chances) == pytest.approx(1, abs=1e-3)


@given(SKILLS, SKILLS)
def test_of_two_the_chance_to_win_is_known_in_closed_form(one: Rating, other: Rating) -> None:
    assert chance_to_win([one, other], 0) == win_probability(one, other)
    nobody = Rating(-1000.0, 0.1)  # a third who never wins, so that the sum is worked out
    assert chance_to_win([one, other, nobody], 0) == pytest.approx(win_probability(one, other), abs=1e-3)


@given(TABLES, st.floats(0.1, 20))
def test_who_is_stronger_has_the_better_chance(ratings: list[Rating], more: float) -> None:
    stronger = [Rating(ratings[0].mu + more, ratings[0].sigma), *ratings[1:]]
    assert chance_to_win(stronger, 0) >= chance_to_win(ratings, 0) - 1e-3
    assert chance_to_win(stronger, 1) <= chance_to_win(ratings, 1) + 1e-3


@given(st.integers(2, 16))
def test_equals_have_equal_chances(seats: int) -> None:
    assert chance_to_win([Rating()] * seats, seats - 1) == pytest.approx(1 / seats, abs=1e-3)


@pytest.mark.parametrize("seats", [3, 4, 6, 16])
def test_the_chance_to_win_is_the_integral(seats: int) -> None:
    """Newcomers among settled bots are the steepest there is; the reference is worked out in small steps."""
    rng = Random(seats)
    beta = 25 / 6
    tables = [[Rating(rng.gauss(25, 6), rng.choice([0.4, 2.0, 25 / 3])) for _ in range(seats)] for _ in range(5)]
    tables.append([Rating(), *[Rating(25.0, 0.4)] * (seats - 1)])
    for ratings in tables:
        spreads = [hypot(rating.sigma, beta) for rating in ratings]
        expected = 0.0
        for step in range(-800, 801):
            performance = ratings[0].mu + spreads[0] * step / 100
            part = exp(-((step / 100) ** 2) / 2) / sqrt(2 * pi) / 100
            for rating, spread in zip(ratings[1:], spreads[1:], strict=True):
                part *= (1 + erf((performance - rating.mu) / spread / sqrt(2))) / 2
            expected += part
        assert chance_to_win(ratings, 0) == pytest.approx(expected, abs=3e-4)
