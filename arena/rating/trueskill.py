"""TrueSkill ratings of a bracket.

Invariants:
- pure: no I/O, clock or randomness. The same matches in the same order give the same ratings, bit for bit;
- bot versions do not change, so skill does not drift (tau is 0);
- every bracket has its own scale, because games differ in how often placements are tied.

The model and its parameters are those of the `trueskill` package, which is the reference in the tests. The update is
implemented here: the package makes 400 (six seats) to 5,000 (two seats) updates per second, is accurate to seven digits
and fails on great upsets. The method is the same expectation propagation. Players are sorted by
placement, each neighbouring pair is a comparison ("ahead by more than the margin", or "within the margin" for a tie),
and messages are passed down and up this line until they no longer change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from math import erfc, exp, expm1, pi, sqrt
from statistics import NormalDist

from arena.games.brackets import Bracket
from arena.games.registry import GAMES, profile_of

MU = 25.0
SIGMA = MU / 3
BETA = SIGMA / 2
"""The standard deviation of a performance around the skill: with this lead, three of four matches are won."""
PERFORMANCE_VARIANCE = BETA * BETA

UNMEASURED_TIE_RATE = 0.05
MIN_TIE_RATE = 0.005
"""Not 0: the update is undefined for a tie that the model considers impossible."""

MESSAGE_TOLERANCE = 1e-12
"""The greatest change of a message in the last sweep: 1e-10 points for a new bot."""
MAX_SWEEPS = 200
"""Ten suffice for nearly every match; 200 players with an upset at every place take 60."""
FAR_TAIL = 6.0
"""The distance in standard deviations from which a continued fraction of DEPTH terms is used for the tail."""
DEPTH = 20
ROOT_HALF = sqrt(0.5)
ROOT_2_OVER_PI = sqrt(2 / pi)
WIDEST_STEP, STEP_OF_THE_STEEPEST = 0.8, 0.6
"""The greatest steps of the sum in `chance_to_win`, in standard deviations of the player and of the opponent with the
least uncertainty. For 16 players the error is below 0.0002, for fewer it is smaller."""
SUM_RANGE = 4.75
"""The range of the sum, in standard deviations to either side."""

Normal = tuple[float, float]
"""A normal distribution by its mean and variance."""
Precise = tuple[float, float]
"""A normal distribution by its precision (one over the variance) and its mean times that. Messages are added to it."""
Comparison = tuple[float, float]
"""The message of a comparison: shift and narrowing. The mean of a performance of variance x moves by x times the shift,
away from the other; its variance is reduced by the fraction x times the narrowing."""


def scale_of(bracket: Bracket) -> Scale:
    """Return the rating scale of a bracket."""
    return Scale(draw_probability(bracket.game, dict(bracket.options)))


def draw_probability(game: str, options: Mapping[str, str]) -> float:
    """Return how often two equal bots tie in that bracket; a default if it was not measured."""
    if game not in GAMES:
        return UNMEASURED_TIE_RATE
    values = tuple(GAMES[game].complete(options).values())
    return max(MIN_TIE_RATE, profile_of(game).tie_rates.get(values, UNMEASURED_TIE_RATE))


@dataclass(frozen=True, slots=True)
class Rating:
    """A bot's skill as a normal distribution. The default is that of a new bot."""

    mu: float = MU
    sigma: float = SIGMA

    @property
    def conservative(self) -> float:
        """A lower bound of the skill: the mean minus three standard deviations."""
        return self.mu - 3 * self.sigma


class Scale:
    """The rating scale of a bracket, defined by its draw probability."""

    __slots__ = ("draw_margin", "draw_probability")

    def __init__(self, draw_probability: float) -> None:
        self.draw_probability = draw_probability
        self.draw_margin = NormalDist().inv_cdf((draw_probability + 1) / 2) * sqrt(2) * BETA
        """Two players whose performances differ by less than this tie."""

    def rate(self, ratings: Sequence[Rating], placements: Sequence[int]) -> list[Rating]:
        """Return the ratings after a match, in the order given.

        Placements are a competition ranking, lower is better: 1, 2, 2, 4. Tied players are compared in the order given,
        and the result depends slightly on it. So the order must not depend on the match: sort by bot id.
        """
        if len(ratings) == 2:
            one, other = placements
            if one <= other:
                return self._rate_two(ratings[0], ratings[1], one == other)
            return self._rate_two(ratings[1], ratings[0], tied=False)[::-1]
        order = sorted(range(len(ratings)), key=placements.__getitem__)  # stable: ties stay as listed
        line = [ratings[player] for player in order]
        tied = [placements[one] == placements[other] for one, other in pairwise(order)]
        listed = dict(zip(order, self._rate_line(line, tied), strict=True))
        return [listed[player] for player in range(len(ratings))]

    def rate_winners(self, ratings: Sequence[Rating], won: Sequence[bool]) -> list[Rating]:
        """Return the ratings after a match of which only the winners count, in the order given.

        Each winner was ahead of each loser, and winners tied. Losers are not compared with each other.
        """
        players = range(len(ratings))
        winners = [player for player in players if won[player]]
        wins = [(winner, loser, False) for winner in winners for loser in players if not won[loser]]
        ties = [(one, other, True) for place, one in enumerate(winners) for other in winners[place + 1 :]]
        return self.rate_compared(ratings, wins + ties)

    def _rate_two(self, first: Rating, second: Rating, tied: bool) -> list[Rating]:
        """Rate two players: a closed form, because there is only one comparison."""
        one, other = first.sigma * first.sigma, second.sigma * second.sigma
        shift, narrowing = self._compare(
            (first.mu, one + PERFORMANCE_VARIANCE), (second.mu, other + PERFORMANCE_VARIANCE), tied
        )
        return [
            Rating(first.mu + one * shift, sqrt(one * (1 - one * narrowing))),
            Rating(second.mu - other * shift, sqrt(other * (1 - other * narrowing))),
        ]

    def _rate_line(self, line: Sequence[Rating], tied: Sequence[bool]) -> list[Rating]:
        """Rate any number of players, sorted by placement.

        `above` is the estimate of a player's performance from its rating and the players placed above, `below` from its
        rating and those placed below. A sweep updates `above` down the line and `below` up the line.
        """
        priors = [(rating.mu, rating.sigma * rating.sigma + PERFORMANCE_VARIANCE) for rating in line]
        above = priors.copy()
        below = priors.copy()
        said = [(0.0, 0.0)] * len(tied)
        last = len(tied) - 1
        for _ in range(MAX_SWEEPS):
            before = said.copy()
            for pair in range(last):
                said[pair] = shift, narrowing = self._compare(above[pair], below[pair + 1], tied[pair])
                above[pair + 1] = _updated(priors[pair + 1], below[pair + 1], -shift, narrowing)
            for pair in range(last, 0, -1):
                said[pair] = shift, narrowing = self._compare(above[pair], below[pair + 1], tied[pair])
                below[pair] = _updated(priors[pair], above[pair], shift, narrowing)
            if all(map(_hardly_differ, said, before)):
                break
        shift, narrowing = self._compare(above[0], below[1], tied[0])
        below[0] = _updated(priors[0], above[0], shift, narrowing)
        shift, narrowing = self._compare(above[last], below[-1], tied[last])
        above[-1] = _updated(priors[-1], below[-1], -shift, narrowing)
        return list(map(_skill, line, priors, map(_joined, priors, above, below)))

    def rate_compared(self, ratings: Sequence[Rating], comparisons: Sequence[tuple[int, int, bool]]) -> list[Rating]:
        """Rate players by any comparisons: the player ahead, the other one, and whether they tied.

        Each comparison adds a message to the estimates of both players' performances. A sweep takes each message out
        and computes it anew from what is left.
        """
        priors = [(rating.mu, rating.sigma * rating.sigma + PERFORMANCE_VARIANCE) for rating in ratings]
        estimates = [(1 / variance, mean / variance) for mean, variance in priors]
        messages: list[tuple[Normal, Normal]] = [((0.0, 0.0), (0.0, 0.0))] * len(comparisons)
        for _ in range(MAX_SWEEPS):
            before = messages.copy()
            for number, (ahead, behind, tied) in enumerate(comparisons):
                to_one, to_other = messages[number]
                one, other = _without(estimates[ahead], to_one), _without(estimates[behind], to_other)
                shift, narrowing = self._compare(_normal(one), _normal(other), tied)
                to_one, to_other = _message(one, shift, narrowing), _message(other, -shift, narrowing)
                messages[number] = to_one, to_other
                estimates[ahead], estimates[behind] = _with(one, to_one), _with(other, to_other)
            if all(map(_hardly_differ, chain(*messages), chain(*before))):
                break
        return list(map(_skill, ratings, priors, estimates))

    def _compare(self, one: Normal, other: Normal, tied: bool) -> Comparison:
        """Return the message of a comparison: `one` was placed before `other`, or tied with it."""
        variance = one[1] + other[1]
        spread = sqrt(variance)
        v, w = (_within if tied else _ahead)((one[0] - other[0]) / spread, self.draw_margin / spread)
        return v / spread, w / variance


def quality(first: tuple[float, float], second: tuple[float, float]) -> float:
    """Return how even a match of two (mu, sigma) would be, 0 to 1: the probability of a tie, relative to equal bots."""
    play = 2 * BETA**2
    variance = play + first[1] ** 2 + second[1] ** 2
    return sqrt(play / variance) * exp(-((first[0] - second[0]) ** 2) / (2 * variance))


def win_probability(one: Rating, other: Rating) -> float:
    """Return the probability that `one` performs better than `other` in a match."""
    variance = one.sigma * one.sigma + other.sigma * other.sigma + 2 * PERFORMANCE_VARIANCE
    return 0.5 * erfc((other.mu - one.mu) / sqrt(2 * variance))


def chance_to_win(ratings: Sequence[Rating], player: int) -> float:
    """Return the probability that this player performs better than all others in a match.

    It is the integral over the player's performance of the probability that all others perform worse. The integrand is
    smooth with tails on both sides, so a sum over even steps is accurate.
    """
    if len(ratings) == 2:
        return win_probability(ratings[player], ratings[1 - player])
    ours = ratings[player]
    spread = sqrt(ours.sigma * ours.sigma + PERFORMANCE_VARIANCE)
    others = []
    for number, other in enumerate(ratings):
        if number != player:
            scale = sqrt(2 * (other.sigma * other.sigma + PERFORMANCE_VARIANCE))
            others.append(((other.mu - ours.mu) / scale, spread / scale))
    steepest = max(slope for _, slope in others)
    step = min(WIDEST_STEP, STEP_OF_THE_STEEPEST / steepest)
    steps = int(SUM_RANGE / step)
    total = 0.0
    for number in range(-steps, steps + 1):
        performance = number * step
        part = exp(-performance * performance / 2)
        for behind, slope in others:
            part *= 0.5 * erfc(behind - slope * performance)
        total += part
    return total * step * ROOT_2_OVER_PI / 2


def _hardly_differ(one: Comparison, other: Comparison) -> bool:
    return abs(one[0] - other[0]) < MESSAGE_TOLERANCE and abs(one[1] - other[1]) < MESSAGE_TOLERANCE


def _updated(prior: Normal, taken: Normal, shift: float, narrowing: float) -> Normal:
    """Return the prior of a performance, updated with the message of a comparison.

    The comparison used the estimate `taken`, which must be divided out of the message. With the shift s and the
    narrowing n, the message has the precision n / (1 - n taken.variance) and the mean taken.mean + s / n. It is
    multiplied into the prior without a division by n, which may be 0.
    """
    mean, variance = prior
    rest = 1 - taken[1] * narrowing
    whole = rest + variance * narrowing
    return (mean * rest + variance * (taken[0] * narrowing + shift)) / whole, variance * rest / whole


def _normal(estimate: Precise) -> Normal:
    precision, weighted = estimate
    return weighted / precision, 1 / precision


def _message(estimate: Precise, shift: float, narrowing: float) -> Precise:
    """Return what a comparison adds to an estimate."""
    precision, weighted = estimate
    rest = precision - narrowing
    return precision * narrowing / rest, (weighted * narrowing + precision * shift) / rest


def _with(estimate: Precise, message: Precise) -> Precise:
    return estimate[0] + message[0], estimate[1] + message[1]


def _without(estimate: Precise, message: Precise) -> Precise:
    return estimate[0] - message[0], estimate[1] - message[1]


def _joined(prior: Normal, above: Normal, below: Normal) -> Precise:
    """Return the estimate of a performance from both estimates of it."""
    precision = 1 / above[1] + 1 / below[1] - 1 / prior[1]
    return precision, above[0] / above[1] + below[0] / below[1] - prior[0] / prior[1]


def _skill(rating: Rating, prior: Normal, estimate: Precise) -> Rating:
    """Return the rating after a match, from the estimate of the performance in it."""
    precision, weighted = estimate
    mean = weighted / precision
    variance = rating.sigma * rating.sigma
    part = variance / prior[1]  # of the deviation is due to skill; the rest is the variation of performances
    return Rating(rating.mu + part * (mean - rating.mu), sqrt(variance * (1 - part + part / (precision * prior[1]))))


# A difference with mean `lead` and variance 1 is observed to be in a range: v is the shift of its mean, w the fraction
# by which its variance shrinks. Both are computed without cancellation far out in the tails.


def _ahead(lead: float, margin: float) -> tuple[float, float]:
    """Return v and w for a win: the difference is above the margin."""
    hazard, excess = _tail(margin - lead)
    return hazard, hazard * excess


def _within(lead: float, margin: float) -> tuple[float, float]:
    """Return v and w for a tie: the difference is within the margin."""
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
    """Return the mean of a standard normal variable given that it is above z, and that mean minus z."""
    if z < FAR_TAIL:
        mean = ROOT_2_OVER_PI * exp(-z * z / 2) / erfc(z * ROOT_HALF)
        return mean, mean - z
    fraction = 0.0
    for numerator in range(DEPTH, 0, -1):
        fraction = numerator / (z + fraction)
    return z + fraction, fraction
