"""The strength of bots from all results of a bracket at once, whatever the order in which they came.

Bradley and Terry's model: of two bots that meet at a table, the one is placed before the other with the chance
1 / (1 + 10 ** (-difference / 400)); a tie counts half for each. The strengths are those that make the results most
likely, in Elo points around a mean of 0.

- Prior: each bot has one drawn game, that was never played, against a bot of strength 0. So a bot that wins or loses
  everything stays finite, and so do groups that never met each other. After some dozens of games it does not matter.
- Intervals: the results of one deal block belong together (the same cards, the same table), so whole blocks are drawn
  with replacement, and the model is fitted to each such replicate. The weights of the prior's games are drawn as well,
  exponentially around 1: otherwise a bot that has won everything would seem to be known exactly. Percentiles of few
  blocks lie too close together and are moved apart, as Student's distribution is wider than the normal one. Fewer than
  FEWEST_BLOCKS tell nothing, and the interval is infinite: five blocks all go the same way by mere chance in one of
  sixteen tournaments.
- The replicates follow from the seed and the numbers of the blocks, not from the order of the rows.

The `choix` package (0.4.1) is well kept and fits the same model, but it brings scipy along, its regularisation cannot
be read as games, and it takes one data set a call: 200 fits of 8 bots take it some 30 times as long as Newton's method
on all of them at once, which is not much more code.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log, sqrt
from statistics import NormalDist

from arena.rating.arrays import NDArray, np

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

ELO = 400 / log(10)
"""Elo points in the unit of the model, the natural logarithm of the odds."""
LEVEL = 0.95
"""Of the intervals."""
FEWEST_BLOCKS = 6
TOLERANCE = 1e-9
"""How long the last step of Newton's method may be; the error is about the square of it."""
MOST_STEPS = 100
CELLS_AT_ONCE = 300_000
"""Replicates are fitted in parts whose matrices have so many cells: the memory stays flat, and near the processor."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """What came of pairs of two different bots in deal blocks, an element each, in any order; bots count from 0."""

    block: Ints
    row: Ints
    column: Ints
    points: Floats
    """How often the row's bot was placed before the column's in that block, ties half."""
    games: Floats
    """How often they met in that block."""


@dataclass(frozen=True, slots=True, eq=False)
class StrengthFit:
    """The strengths of the bots, in the order of their numbers, and how well they are known."""

    strength: Floats
    low: Floats
    high: Floats
    """The 95 % interval; infinite for a bot that played too few blocks."""
    replicates: Floats
    """The strengths in each replicate: a row for a replicate, a column for a bot."""
    blocks: Ints
    """In how many blocks each bot has played."""
    group: Ints
    """Bots of different groups have never met, not even through others, and cannot be compared."""

    def separated(self, one: int, other: int, level: float = LEVEL) -> bool | None:
        """Whether the two are told apart at that level, in either direction; None where that cannot be known."""
        blocks = min(self.blocks[one], self.blocks[other])
        if blocks < FEWEST_BLOCKS or self.group[one] != self.group[other] or not len(self.replicates):
            return None
        difference = self.strength[one] - self.strength[other]
        replicates = self.replicates[:, one] - self.replicates[:, other]
        low, high = difference + _errors(difference, replicates, int(blocks), level)
        return bool(low > 0 or high < 0)


def fit_strengths(count: int, pairs: Pairs, *, replicates: int = 200, seed: int = 0) -> StrengthFit:
    """Fits the strengths of `count` bots. Where there are too few blocks to tell anything, nothing is drawn."""
    one, other = np.minimum(pairs.row, pairs.column), np.maximum(pairs.row, pairs.column)
    points = np.where(pairs.row > pairs.column, pairs.games - pairs.points, pairs.points)
    codes, pair = np.unique(one * count + other, return_inverse=True)
    one, other = np.divmod(codes, count)
    numbers, block = np.unique(pairs.block, return_inverse=True)

    def matrices(weights: Floats) -> tuple[Floats, Floats]:
        """With the blocks weighted: the points of each bot, and how often it met each other."""
        times = weights[block]
        won = _sums(pair, points * times, len(codes))
        met = _sums(pair, pairs.games * times, len(codes))
        games = np.zeros((count, count))
        games[one, other] = games[other, one] = met
        return _sums(one, won, count) + _sums(other, met - won, count), games

    everything, games = matrices(np.ones(len(numbers)))
    centre = _fit(everything[None], games[None], np.ones((1, count)), np.zeros(count))[0]
    rng = np.random.default_rng(seed)
    drawn = np.empty((replicates if len(numbers) >= FEWEST_BLOCKS else 0, count))
    size = max(1, CELLS_AT_ONCE // count**2)
    for start in range(0, len(drawn), size):
        part = drawn[start : start + size]
        draws = [(*matrices(_draw(len(numbers), rng)), rng.exponential(size=count)) for _ in part]
        drawn_points, drawn_games, priors = (np.array(values) for values in zip(*draws, strict=True))
        part[:] = _fit(drawn_points, drawn_games, priors, centre)

    centre = ELO * (centre - centre.mean())
    drawn = ELO * (drawn - drawn.mean(axis=1, keepdims=True))
    blocks = _blocks_of_each(count, pairs, block)
    low, high = _intervals(centre, drawn, blocks)
    return StrengthFit(centre, low, high, drawn, blocks, _groups(games > 0))


def _sums(index: Ints, values: Floats, size: int) -> Floats:
    """Adds up the values that have the same index."""
    return np.bincount(index, values, size).astype(np.float64)


def _draw(blocks: int, rng: np.random.Generator) -> Floats:
    """How often each block is in a replicate."""
    return np.bincount(rng.integers(blocks, size=blocks), minlength=blocks).astype(np.float64)


def _fit(points: Floats, games: Floats, prior: Floats, start: Floats) -> Floats:
    """The strengths that make the results most likely, for a stack of data sets at once, as logarithms of odds.

    Newton's method, with steps shortened so that each is sure to lead uphill: where the differences change by b in all,
    the curvature changes by a factor of exp(b) at most, and log(1 + b) / b of the step is safe.
    """
    strength = np.tile(start, (len(points), 1))
    diagonal = np.arange(len(start))
    for _ in range(MOST_STEPS):
        expected = _chance(strength[:, :, None] - strength[:, None, :])
        against_prior = _chance(strength)
        slope = points - (games * expected).sum(axis=2) + prior * (0.5 - against_prior)
        curvature = -games * expected * (1 - expected)
        curvature[:, diagonal, diagonal] = prior * against_prior * (1 - against_prior) - curvature.sum(axis=2)
        step = np.linalg.solve(curvature, slope[:, :, None])[:, :, 0]
        length = np.maximum(step.max(axis=1), 0) - np.minimum(step.min(axis=1), 0)
        strength += step * (np.log1p(length) / np.maximum(length, np.finfo(np.float64).tiny))[:, None]
        if length.max() < TOLERANCE:
            break
    return strength


def _chance(difference: Floats) -> Floats:
    return 0.5 + 0.5 * np.tanh(difference / 2)


def _intervals(strength: Floats, replicates: Floats, blocks: Ints) -> tuple[Floats, Floats]:
    """The interval of each strength."""
    low, high = np.full(len(strength), -inf), np.full(len(strength), inf)
    if len(replicates):
        for bot in np.flatnonzero(blocks >= FEWEST_BLOCKS):
            errors = _errors(strength[bot], replicates[:, bot], int(blocks[bot]), LEVEL)
            low[bot], high[bot] = strength[bot] + errors
    return low, high


def _errors(value: float, replicates: Floats, blocks: int, level: float) -> Floats:
    """How far below and above a value it may be in truth, by its replicates from so many blocks."""
    return _widening(blocks, level) * (np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2]) - value)


def _widening(blocks: int, level: float) -> float:
    """By what factor percentiles of so many blocks are moved apart: Student's quantile over the normal one.

    A resample of n blocks varies by (n - 1) / n of what the blocks do, which is put right as well.
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    freedom = blocks - 1
    student = (  # Abramowitz and Stegun 26.7.5
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )
    return student / z * sqrt(blocks / freedom)


def _blocks_of_each(count: int, pairs: Pairs, block: Ints) -> Ints:
    """In how many blocks each bot has played."""
    seen = np.unique(np.concatenate([block * count + pairs.row, block * count + pairs.column]))
    return np.bincount(seen % count, minlength=count)


def _groups(met: NDArray[np.bool_]) -> Ints:
    """For each bot the least number of a bot that it can be compared with, directly or through others."""
    count = len(met)
    group = np.arange(count)
    while True:
        least = np.minimum(group, np.where(met, group, count).min(axis=1, initial=count))
        if (least == group).all():
            return group
        group = least
