"""Strengths: a Bradley-Terry fit to all results of a bracket, independent of their order.

The model: of two bots in a match, one is placed before the other with probability 1 / (1 + 10 ** (-difference / 400));
a tie counts half for each. The strengths maximise the likelihood of the results, in Elo points around a mean of 0.

- Prior: each bot has one imaginary drawn game against a bot of strength 0. So the strength of a bot that wins or loses
  everything stays finite, and so do those of groups that never met. After some dozens of games it does not matter.
- Intervals: the results of one deal depend on each other (same cards), so all results of a deal are resampled together,
  with replacement, and the model is fitted to each replicate. Each block has a deal of its own, except in older
  tournaments. The weights of the prior's games are drawn too, exponentially around 1: otherwise a bot that has won
  everything would seem to be known exactly. Percentiles of few blocks are too close together and are widened, as
  Student's distribution is wider than the normal one. With fewer than MIN_BLOCKS the interval is infinite: five blocks
  all go the same way by chance in one of sixteen tournaments.
- The replicates follow from the seed and the block numbers, not from the order of the rows.

The `choix` package (0.4.1) fits the same model, but it needs scipy, its regularisation cannot be expressed as games,
and it takes one data set per call: 200 fits of 8 bots take it about 30 times as long as Newton's method on all at once.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import inf, log, sqrt
from statistics import NormalDist

from arena.rating.arrays import NDArray, np

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

ELO = 400 / log(10)
"""Elo points per unit of the model, the natural logarithm of the odds."""
CONFIDENCE = 0.95
"""The confidence level of the intervals."""
FAR_LEVEL = 0.997
"""The confidence level of three standard errors."""
MIN_BLOCKS = 6
"""The number of blocks below which an interval is infinite."""
NEWTON_TOLERANCE = 1e-9
"""The greatest last step of Newton's method; the error is about its square."""
MAX_NEWTON_STEPS = 100
MATRIX_CELLS = 300_000
"""Replicates are fitted in parts whose matrices have this many cells, to fit into the processor's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The results of pairs of bots in deal blocks, one element for each, in any order; bots are numbered from 0."""

    block: Ints
    row: Ints
    column: Ints
    points: Floats
    """How often the bot `row` was placed before the bot `column` in that block, ties half."""
    games: Floats
    """The number of matches of the two in that block."""


@dataclass(frozen=True, slots=True, eq=False)
class StrengthFit:
    """The fitted strengths, by bot number, with their uncertainty."""

    strength: Floats
    low: Floats
    high: Floats
    """The 95 % interval; infinite for a bot with too few blocks."""
    replicates: Floats
    """The strengths in each replicate: one row per replicate, one column per bot."""
    blocks: Ints
    """The number of blocks of each bot."""
    group: Ints
    """Bots of different groups have no common opponents, directly or indirectly, and cannot be compared."""

    def separated(self, one: int, other: int, level: float = CONFIDENCE) -> bool | None:
        """Return whether the two differ at that confidence level; None if the data does not say."""
        if not (blocks := self._blocks_of(one, other)):
            return None
        difference = self.strength[one] - self.strength[other]
        replicates = self.replicates[:, one] - self.replicates[:, other]
        low, high = difference + _errors(difference, replicates, blocks, level)
        return bool(low > 0 or high < 0)

    def standard_errors(self, one: int, other: int) -> float | None:
        """Return by how many standard errors the two differ; None if the data does not say."""
        if not (blocks := self._blocks_of(one, other)):
            return None
        error = float((self.replicates[:, one] - self.replicates[:, other]).std()) * _widening(blocks, FAR_LEVEL)
        difference = float(abs(self.strength[one] - self.strength[other]))
        if not error:
            return inf if difference else 0.0
        return difference / error

    def _blocks_of(self, one: int, other: int) -> int:
        """Return the number of blocks that say how the two differ; 0: too few, or they cannot be compared."""
        blocks = int(min(self.blocks[one], self.blocks[other]))
        is_known = blocks >= MIN_BLOCKS and self.group[one] == self.group[other] and len(self.replicates) > 0
        return blocks if is_known else 0


def fit_strengths(count: int, pairs: Pairs, *, replicates: int = 200, seed: int = 0) -> StrengthFit:
    """Fit the strengths of `count` bots. With too few blocks for any interval, no replicates are drawn."""
    one, other = np.minimum(pairs.row, pairs.column), np.maximum(pairs.row, pairs.column)
    points = np.where(pairs.row > pairs.column, pairs.games - pairs.points, pairs.points)
    codes, pair = np.unique(one * count + other, return_inverse=True)
    one, other = np.divmod(codes, count)
    numbers, block = np.unique(pairs.block, return_inverse=True)

    def matrices(weights: Floats) -> tuple[Floats, Floats]:
        """Return each bot's points and its games against each other bot, with weighted blocks."""
        times = weights[block]
        won = _sums(pair, points * times, len(codes))
        met = _sums(pair, pairs.games * times, len(codes))
        games = np.zeros((count, count))
        games[one, other] = games[other, one] = met
        return _sums(one, won, count) + _sums(other, met - won, count), games

    everything, games = matrices(np.ones(len(numbers)))
    centre = _fit(everything[None], games[None], np.ones((1, count)), np.zeros(count))[0]
    rng = np.random.default_rng(seed)
    total = len(numbers)
    drawn = np.empty((replicates if total >= MIN_BLOCKS else 0, count))
    size = max(1, MATRIX_CELLS // count**2)
    for start in range(0, len(drawn), size):
        part = drawn[start : start + size]
        draws = []
        for _ in part:
            times = _sums(rng.integers(total, size=total), np.ones(total), total)  # how often each block is in it
            draws.append((*matrices(times), rng.exponential(size=count)))
        drawn_points, drawn_games, priors = (np.array(values) for values in zip(*draws, strict=True))
        part[:] = _fit(drawn_points, drawn_games, priors, centre)

    centre = ELO * (centre - centre.mean())
    drawn = ELO * (drawn - drawn.mean(axis=1, keepdims=True))
    seen = np.unique(np.concatenate([block * count + pairs.row, block * count + pairs.column]))
    blocks = np.bincount(seen % count, minlength=count)
    low, high = _intervals(centre, drawn, blocks)
    return StrengthFit(centre, low, high, drawn, blocks, _groups(games > 0))


class PairCollector:
    """Collects the results of blocks for a strength fit. Bots have arbitrary integer ids."""

    def __init__(self) -> None:
        self.places: dict[int, int] = {}
        """The index of each bot id in the fit."""
        self._blocks = 0
        self._deals: dict[Hashable, int] = {}
        """The number of the first block with a deal."""
        self._by_size: dict[int, tuple[list[int], list[int], bytearray]] = {}
        """By the number of seats: the numbers of the blocks, the places of their bots, and their results."""

    def add(self, bots: Sequence[int], pairs: bytes, deal: Hashable = None) -> None:
        """Add the result of a block, as encoded by `arena.rating.standings.pair_points`.

        Blocks with the same `deal`, which older tournaments have, depend on each other and count as one. None: no other
        block has it.
        """
        blocks, places, results = self._by_size.setdefault(len(bots), ([], [], bytearray()))
        blocks.append(self._blocks if deal is None else self._deals.setdefault(deal, self._blocks))
        places += [self.places.setdefault(bot, len(self.places)) for bot in bots]
        results += pairs
        self._blocks += 1

    def fit(self) -> StrengthFit:
        """Fit the strengths to all results added so far."""
        parts = []
        for seats, (blocks, places, results) in self._by_size.items():
            one, other = np.triu_indices(seats, 1)
            bots = np.array(places, dtype=np.intp).reshape(-1, seats)
            half_points = np.frombuffer(bytes(results), dtype=np.uint8).reshape(-1, seats, seats)
            points, against = half_points[:, one, other] / 2, half_points[:, other, one] / 2
            numbers = np.repeat(np.array(blocks, dtype=np.intp), len(one))
            games = (points + against).ravel()  # fewer than rotations where only winners count
            parts.append((numbers, bots[:, one].ravel(), bots[:, other].ravel(), points.ravel(), games))
        return fit_strengths(len(self.places), Pairs(*(np.concatenate(values) for values in zip(*parts, strict=True))))


def _sums(index: Ints, values: Floats, size: int) -> Floats:
    """Return the sums of the values with the same index."""
    return np.bincount(index, values, size).astype(np.float64)


def _fit(points: Floats, games: Floats, prior: Floats, start: Floats) -> Floats:
    """Return the maximum-likelihood strengths as logarithms of odds, for a stack of data sets at once.

    Newton's method with damped steps: if the differences change by at most b, the curvature changes by at most a factor
    of exp(b), so a fraction log(1 + b) / b of the step always increases the likelihood.
    """
    strength = np.tile(start, (len(points), 1))
    diagonal = np.arange(len(start))
    for _ in range(MAX_NEWTON_STEPS):
        expected = _chance(strength[:, :, None] - strength[:, None, :])
        against_prior = _chance(strength)
        slope = points - (games * expected).sum(axis=2) + prior * (0.5 - against_prior)
        curvature = -games * expected * (1 - expected)
        curvature[:, diagonal, diagonal] = prior * against_prior * (1 - against_prior) - curvature.sum(axis=2)
        step = np.linalg.solve(curvature, slope[:, :, None])[:, :, 0]
        length = np.maximum(step.max(axis=1), 0) - np.minimum(step.min(axis=1), 0)
        strength += step * (np.log1p(length) / np.maximum(length, np.finfo(np.float64).tiny))[:, None]
        if length.max() < NEWTON_TOLERANCE:
            break
    return strength


def _chance(difference: Floats) -> Floats:
    return 0.5 + 0.5 * np.tanh(difference / 2)


def _intervals(strength: Floats, replicates: Floats, blocks: Ints) -> tuple[Floats, Floats]:
    """Return the interval of each strength."""
    low, high = np.full(len(strength), -inf), np.full(len(strength), inf)
    if len(replicates):
        for bot in np.flatnonzero(blocks >= MIN_BLOCKS):
            errors = _errors(strength[bot], replicates[:, bot], int(blocks[bot]), CONFIDENCE)
            low[bot], high[bot] = strength[bot] + errors
    return low, high


def _errors(value: float, replicates: Floats, blocks: int, level: float) -> Floats:
    """Return how far the true value may be below and above the estimate."""
    return _widening(blocks, level) * (np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2]) - value)


def _widening(blocks: int, level: float) -> float:
    """Return the factor that widens percentiles of few blocks: Student's quantile over the normal one.

    A resample of n blocks has only (n - 1) / n of the variance of the blocks, which is corrected too.
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


def _groups(met: NDArray[np.bool_]) -> Ints:
    """Return for each bot the lowest number among the bots that it is connected with by matches."""
    count = len(met)
    group = np.arange(count)
    while True:
        least = np.minimum(group, np.where(met, group, count).min(axis=1, initial=count))
        if (least == group).all():
            return group
        group = least
