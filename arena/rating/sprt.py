"""A sequential probability ratio test: is the new bot stronger than the old one? Stops when that is decided. Pure.

What is tested are the outcomes of deal blocks, not of single matches: the matches of a block share their cards, so they
are not independent, and with the cards' luck cancelled out a block says more than its matches would alone.

The outcome of a block is the new bot's share of the points against the old one, 0 to 1. H0: its expectation is that of
`elo0` Elo points (no better); H1: that of `elo1` (better by at least so much). The log-likelihood ratio is that of a
normal distribution with the variance seen so far (the generalised test, as in the testing of chess engines), and the
bounds are Wald's for the stated error rates.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import log, log10, sqrt

FEWEST_BLOCKS = 10
"""Before so many blocks the variance is not known well enough to decide anything."""
LEAST_VARIANCE = 0.0025
"""Bots that win every block of the first few show no variance at all, and there is some."""


class Decision(Enum):
    """What the test says."""

    OPEN = "not decided yet"
    BETTER = "H1 is accepted"
    NOT_BETTER = "H0 is accepted"


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """What is tested, and how often it may be wrong."""

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    """The chance to call a bot better that is not."""
    beta: float = 0.05
    """The chance to call a bot no better that is, by elo1 or more."""

    @property
    def lower(self) -> float:
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        return log((1 - self.beta) / self.alpha)


class Sprt:
    """The test under way."""

    def __init__(self, hypotheses: Hypotheses) -> None:
        self.hypotheses = hypotheses
        self.blocks = 0
        self._sum = 0.0
        self._squares = 0.0

    def add(self, share: float) -> None:
        """Takes the outcome of a block: the new bot's share of the points, 0 to 1."""
        self.blocks += 1
        self._sum += share
        self._squares += share * share

    @property
    def mean(self) -> float:
        return self._sum / self.blocks if self.blocks else 0.5

    @property
    def variance(self) -> float:
        """Of the outcome of a block."""
        if self.blocks < 2:
            return LEAST_VARIANCE
        seen = (self._squares - self.blocks * self.mean**2) / (self.blocks - 1)
        return max(LEAST_VARIANCE, seen)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean, as if the number of blocks had been fixed before."""
        half = 1.96 * sqrt(self.variance / max(1, self.blocks))
        return max(0.0, self.mean - half), min(1.0, self.mean + half)

    @property
    def ratio(self) -> float:
        """The log-likelihood ratio of H1 over H0."""
        low, high = expected_share(self.hypotheses.elo0), expected_share(self.hypotheses.elo1)
        return self.blocks * (high - low) * (self.mean - (low + high) / 2) / self.variance

    @property
    def decision(self) -> Decision:
        if self.blocks < FEWEST_BLOCKS:
            return Decision.OPEN
        if self.ratio >= self.hypotheses.upper:
            return Decision.BETTER
        if self.ratio <= self.hypotheses.lower:
            return Decision.NOT_BETTER
        return Decision.OPEN


def expected_share(elo: float) -> float:
    """The share of points that a bot takes from one that is weaker by so many Elo points."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def elo_of(share: float) -> float:
    """The difference in Elo points that a share of points stands for."""
    share = min(max(share, 1e-6), 1 - 1e-6)
    return 400 * log10(share / (1 - share))
