"""A sequential probability ratio test: is the new bot stronger than the old one? Pure.

The samples are deal blocks, not single matches: the matches of a block share their cards, so they are not independent,
and a block without the luck of the cards says more than its matches would separately.

The sample is the new bot's share of the points against the old one, 0 to 1. H0: its expectation corresponds to `elo0`
Elo points (no better); H1: to `elo1` (better). The log-likelihood ratio is that of a normal distribution with the
variance observed so far (the generalised test used for chess engines), with Wald's bounds for the given error rates.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from math import log, log10, sqrt

MIN_UNEVEN_BLOCKS = 10
"""With fewer blocks that one of the two has won, the variance is not known well enough for a decision."""
MIN_VARIANCE = 0.0025
"""The variance assumed when the first blocks show less, for example because one bot wins them all."""


class SprtDecision(Enum):
    """The verdict of the test."""

    OPEN = "not decided yet"
    BETTER = "H1 is accepted"
    NOT_BETTER = "H0 is accepted"


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """The hypotheses and the error rates."""

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    """The probability to accept H1 if H0 is true."""
    beta: float = 0.05
    """The probability to accept H0 if H1 is true."""

    @property
    def lower(self) -> float:
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        return log((1 - self.beta) / self.alpha)


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test after a number of blocks."""

    hypotheses: Hypotheses
    blocks: int = 0
    total: float = 0.0
    squares: float = 0.0
    uneven: int = 0
    """The number of blocks in which one had more points than the other."""

    def add(self, share: float) -> Sprt:
        """Return the test after another block: the new bot's share of the points, 0 to 1."""
        return replace(
            self,
            blocks=self.blocks + 1,
            total=self.total + share,
            squares=self.squares + share * share,
            uneven=self.uneven + (share != 0.5),
        )

    @property
    def mean(self) -> float:
        return self.total / self.blocks if self.blocks else 0.5

    @property
    def variance(self) -> float:
        """The variance of a block's result."""
        if self.blocks < 2:
            return MIN_VARIANCE
        seen = (self.squares - self.blocks * self.mean**2) / (self.blocks - 1)
        return max(MIN_VARIANCE, seen)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean, as if the number of blocks had been fixed in advance."""
        half = 1.96 * sqrt(self.variance / max(1, self.blocks))
        return max(0.0, self.mean - half), min(1.0, self.mean + half)

    @property
    def ratio(self) -> float:
        """The log-likelihood ratio of H1 over H0."""
        low, high = expected_share(self.hypotheses.elo0), expected_share(self.hypotheses.elo1)
        return self.blocks * (high - low) * (self.mean - (low + high) / 2) / self.variance

    @property
    def decision(self) -> SprtDecision:
        if self.uneven < MIN_UNEVEN_BLOCKS:
            return SprtDecision.OPEN
        if self.ratio >= self.hypotheses.upper:
            return SprtDecision.BETTER
        if self.ratio <= self.hypotheses.lower:
            return SprtDecision.NOT_BETTER
        return SprtDecision.OPEN


def expected_share(elo: float) -> float:
    """Return the expected share of points against a bot that is weaker by `elo` points."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def elo_of(share: float) -> float:
    """Return the Elo difference that corresponds to a share of points."""
    share = min(max(share, 1e-6), 1 - 1e-6)
    return 400 * log10(share / (1 - share))
