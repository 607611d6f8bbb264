"""TrueSkill ratings of a bracket: what a match teaches about the skill of those at the table.

Laws kept here:
- pure: no I/O, no clock, no chance. The same matches in the same order give the same ratings, bit for bit;
- submitted versions do not change, so skill does not drift (tau is 0);
- every bracket has its own scale, because games differ in how often places are shared.

The model, its parameters and the draw margin are those of the `trueskill` package, which is the reference in the tests.
The update itself is our own: the package makes 400 (six seats) to 5,000 (two) a second, is good to seven digits and
fails on great upsets. Here it is the same expectation propagation. Players stand in a line in the order of their
places, each neighbouring pair is a comparison ("ahead by more than the margin", or "within the margin" for a tie), and
what the comparisons say runs down and up the line until it changes no more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import erfc, exp, expm1, pi, prod, sqrt
from statistics import NormalDist

from trueskill import TrueSkill, calc_draw_margin

from arena.games.registry import GAMES, profile_of

MU = 25.0
SIGMA = MU / 3
BETA = SIGMA / 2
"""How much a performance in one match varies around the skill: with this lead, three of four matches are won."""
PERFORMANCE_VARIANCE = BETA * BETA

UNMEASURED_TIE_RATE = 0.05
LEAST_TIE_RATE = 0.005
"""Never 0: a tie that the model holds to be impossible has no meaning."""

TOLERANCE = 1e-12
"""What a comparison says may still change by so much in the last sweep. For a newcomer that is 1e-10 points."""
MOST_SWEEPS = 200
"""Ten do for nearly every table; upsets all along a table of 200 take 60."""
FAR_TAIL = 6.0
"""From so many standard deviations on, a continued fraction of DEPTH terms is exact where a quotient is not."""
DEPTH = 20
ROOT_HALF = sqrt(0.5)
ROOT_2_OVER_PI = sqrt(2 / pi)
WIDEST_STEP, STEP_OF_THE_STEEPEST = 0.8, 0.6
"""The steps of the sum in `chance_to_win`: in standard deviations of the player, and in those of the surest opponent.
The sum is within 0.0002 of the integral for 16 players, and nearer for fewer."""
REACH = 4.75
"""It goes so many standard deviations to either side."""

Normal = tuple[float, float]
"""A normal distribution by its mean and variance."""
Comparison = tuple[float, float]
"""What a comparison of two performances says: their shift and their narrowing. A performance of variance x moves by x
times the shift, apart from the other, and of its variance the part x times the narrowing is gone."""


def draw_probability(game: str, options: Mapping[str, str]) -> float:
    """How often two equal bots tie in that bracket. The default is assumed where it has not been measured."""
    if game not in GAMES:
        return UNMEASURED_TIE_RATE
    values = tuple(GAMES[game].complete(options).values())
    return max(LEAST_TIE_RATE, profile_of(game).tie_rates.get(values, UNMEASURED_TIE_RATE))


@dataclass(frozen=True, slots=True)
class Rating:
    """What is believed of a bot's skill: a normal distribution. A newcomer has the default."""

    mu: float = MU
    sigma: float = SIGMA

    @property
    def conservative(self) -> float:
        """The skill that the bot very likely has at least."""
        return self.mu - 3 * self.sigma


class Scale:
    """The scale of one bracket's ratings, made from its draw probability."""

    __slots__ = ("draw_margin", "draw_probability")

    def __init__(self, draw_probability: float) -> None:
        if not 0 < draw_probability < 1:
            raise ValueError(f"a draw probability of {draw_probability} is not between 0 and 1")
        # The package's own normal distribution is good to seven digits only.
        normal = NormalDist()
        backend = (normal.cdf, normal.pdf, normal.inv_cdf)
        environment = TrueSkill(MU, SIGMA, BETA, tau=0.0, draw_probability=draw_probability, backend=backend)
        self.draw_probability = draw_probability
        self.draw_margin = float(calc_draw_margin(draw_probability, 2, environment))
        """Two players whose performances differ by less than this tie."""

    def rate(self, ratings: Sequence[Rating], placements: Sequence[int]) -> list[Rating]:
        """The ratings after a match of all against all, in the order given.

        Placements are a competition ranking, lower is better: 1, 2, 2, 4. Those that tie are neighbours in the order in
        which they are listed, and the result depends on that order a little. So list the players in an order that has
        nothing to do with the match: by bot id.
        """
        if len(ratings) != len(placements):
            raise ValueError(f"{len(ratings)} ratings but {len(placements)} placements")
        order = sorted(range(len(ratings)), key=placements.__getitem__)  # stable: ties stay as listed
        line = [ratings[player] for player in order]
        tied = [placements[one] == placements[other] for one, other in pairwise(order)]
        rated = self._rate_two(line[0], line[1], tied[0]) if len(line) == 2 else self._rate_line(line, tied)
        listed = dict(zip(order, rated, strict=True))
        return [listed[player] for player in range(len(ratings))]

    def _rate_two(self, first: Rating, second: Rating, tied: bool) -> list[Rating]:
        """The closed form for two players: there is but one comparison."""
        one, other = first.sigma * first.sigma, second.sigma * second.sigma
        shift, narrowing = self._compare(
            (first.mu, one + PERFORMANCE_VARIANCE), (second.mu, other + PERFORMANCE_VARIANCE), tied
        )
        return [
            Rating(first.mu + one * shift, sqrt(one * (1 - one * narrowing))),
            Rating(second.mu - other * shift, sqrt(other * (1 - other * narrowing))),
        ]

    def _rate_line(self, line: Sequence[Rating], tied: Sequence[bool]) -> list[Rating]:
        """Any number of players, in the order of their places.

        `above` is what a player's performance is taken for by the player's rating and by those placed above, `below` by
        the rating and those placed below. A sweep carries `above` down the line and `below` up again.
        """
        priors = [(rating.mu, rating.sigma * rating.sigma + PERFORMANCE_VARIANCE) for rating in line]
        above = priors.copy()
        below = priors.copy()
        said = [(0.0, 0.0)] * len(tied)
        last = len(tied) - 1
        for _ in range(MOST_SWEEPS):
            before = said.copy()
            for pair in range(last):
                said[pair] = shift, narrowing = self._compare(above[pair], below[pair + 1], tied[pair])
                above[pair + 1] = _told(priors[pair + 1], below[pair + 1], -shift, narrowing)
            for pair in range(last, 0, -1):
                said[pair] = shift, narrowing = self._compare(above[pair], below[pair + 1], tied[pair])
                below[pair] = _told(priors[pair], above[pair], shift, narrowing)
            if all(map(_hardly_differ, said, before)):
                break
        if tied:
            shift, narrowing = self._compare(above[0], below[1], tied[0])
            below[0] = _told(priors[0], above[0], shift, narrowing)
            shift, narrowing = self._compare(above[last], below[-1], tied[last])
            above[-1] = _told(priors[-1], below[-1], -shift, narrowing)
        return list(map(_skill, line, priors, above, below))

    def _compare(self, one: Normal, other: Normal, tied: bool) -> Comparison:
        """What it says about two performances that the one was placed before the other, or tied with it."""
        variance = one[1] + other[1]
        spread = sqrt(variance)
        v, w = (_within if tied else _ahead)((one[0] - other[0]) / spread, self.draw_margin / spread)
        return v / spread, w / variance


def quality(ratings: Sequence[Rating]) -> float:
    """How even a match would be, from 0 to 1: the chance that all tie, relative to equals without uncertainty.

    This is the package's formula; its matrices have a closed form where everybody plays alone.
    """
    weights = [1 / (rating.sigma * rating.sigma + PERFORMANCE_VARIANCE) for rating in ratings]
    total = sum(weights)
    mean = sum(weight * rating.mu for weight, rating in zip(weights, ratings, strict=True)) / total
    apart = sum(weight * (rating.mu - mean) ** 2 for weight, rating in zip(weights, ratings, strict=True))
    certain = prod(weight * PERFORMANCE_VARIANCE for weight in weights)
    return exp(-apart / 2) * sqrt(certain * len(ratings) / (PERFORMANCE_VARIANCE * total))


def win_probability(one: Rating, other: Rating) -> float:
    """The chance that the one performs better than the other in a match; the two chances add up to 1."""
    variance = one.sigma * one.sigma + other.sigma * other.sigma + 2 * PERFORMANCE_VARIANCE
    return 0.5 * erfc((other.mu - one.mu) / sqrt(2 * variance))


def chance_to_win(ratings: Sequence[Rating], player: int) -> float:
    """The chance that this player performs better than all others in a match; the chances of all add up to 1.

    It is the integral over the player's performance of the chance that everybody else stays below it. The integrand is
    smooth and ends in tails on both sides, so that a plain sum over even steps is as good as anything.
    """
    if len(ratings) == 2:
        return win_probability(ratings[player], ratings[1 - player])
    ours = ratings[player]
    spread = sqrt(ours.sigma * ours.sigma + PERFORMANCE_VARIANCE)
    others = []
    steepest = 0.0
    for number, other in enumerate(ratings):
        if number != player:
            scale = sqrt(2 * (other.sigma * other.sigma + PERFORMANCE_VARIANCE))
            others.append(((other.mu - ours.mu) / scale, spread / scale))
            steepest = max(steepest, spread / scale)
    if not others:
        return 1.0
    step = min(WIDEST_STEP, STEP_OF_THE_STEEPEST / steepest)
    steps = int(REACH / step)
    total = 0.0
    for number in range(-steps, steps + 1):
        performance = number * step
        part = exp(-performance * performance / 2)
        for behind, slope in others:
            part *= 0.5 * erfc(behind - slope * performance)
        total += part
    return total * step * ROOT_2_OVER_PI / 2


def _hardly_differ(one: Comparison, other: Comparison) -> bool:
    return abs(one[0] - other[0]) < TOLERANCE and abs(one[1] - other[1]) < TOLERANCE


def _told(prior: Normal, taken: Normal, shift: float, narrowing: float) -> Normal:
    """The prior of a performance with what a comparison says about it.

    The comparison took the performance for `taken`, and what went into it must not come back as news. With the shift s
    and the narrowing n, the message has the precision n / (1 - n taken.variance) and the mean taken.mean + s / n. It is
    multiplied into the prior without a division by n, which may be 0.
    """
    mean, variance = prior
    rest = 1 - taken[1] * narrowing
    whole = rest + variance * narrowing
    return (mean * rest + variance * (taken[0] * narrowing + shift)) / whole, variance * rest / whole


def _skill(rating: Rating, prior: Normal, above: Normal, below: Normal) -> Rating:
    """The rating after a match, from all that is known of the performance in it."""
    precision = 1 / above[1] + 1 / below[1] - 1 / prior[1]
    mean = (above[0] / above[1] + below[0] / below[1] - prior[0] / prior[1]) / precision
    variance = rating.sigma * rating.sigma
    part = variance / prior[1]  # how much of a surprise is due to the skill; the rest is the day's form
    return Rating(rating.mu + part * (mean - rating.mu), sqrt(variance * (1 - part + part / (precision * prior[1]))))


# A difference of variance 1 around `lead` is found to be in a range: how far its mean moves (v), and what part of its
# variance is gone (w). Both are written so that nothing cancels where the range is far out in a tail.


def _ahead(lead: float, margin: float) -> tuple[float, float]:
    """The difference is above the margin: a win."""
    hazard, excess = _tail(margin - lead)
    return hazard, hazard * excess


def _within(lead: float, margin: float) -> tuple[float, float]:
    """The difference is within the margin on either side: a tie."""
    distance = abs(lead)
    near_hazard, near_excess = _tail(distance - margin)
    far_hazard, far_excess = _tail(distance + margin)
    fall = -2 * margin * distance  # the logarithm of the density at the far end over that at the near end
    near, far = 1 / near_hazard, exp(fall) / far_hazard
    mass = near - far  # between the ends, for a density of 1 at the near one
    mean = -expm1(fall) / mass
    excess = (near * near_excess - far * (far_excess + 2 * margin)) / mass
    return -mean if lead > 0 else mean, mean * excess + 2 * margin * exp(fall) / mass


def _tail(z: float) -> tuple[float, float]:
    """The mean of a standard normal variable that is known to be above z, and by how much that is above z."""
    if z < FAR_TAIL:
        mean = ROOT_2_OVER_PI * exp(-z * z / 2) / erfc(z * ROOT_HALF)
        return mean, mean - z
    fraction = 0.0
    for numerator in range(DEPTH, 0, -1):
        fraction = numerator / (z + fraction)
    return z + fraction, fraction
