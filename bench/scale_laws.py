"""How a cost grows with what it depends on: a sum of a few terms, fitted to small sizes and checked at a larger one.

Which terms there are is read from the code that is measured, not from the figures: whoever lets figures of small sizes
choose an exponent gets one that fits them, and is wrong by orders of magnitude a thousand times further out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from math import log, log2
from typing import NamedTuple

from arena.rating.arrays import np


class Term(NamedTuple):
    """n to a power, times the binary logarithm of n to a power."""

    power: float
    logs: int = 0

    def __call__(self, size: float) -> float:
        return float(size**self.power * log2(size) ** self.logs)

    def __str__(self) -> str:
        power = "" if not self.power else "n" if self.power == 1 else f"n^{self.power:.3g}"
        return " ".join(part for part in (power, "log n" if self.logs else "") if part)


CONSTANT, LOG, LINEAR, SORTING, SQUARE, CUBE = Term(0), Term(0, 1), Term(1), Term(1, 1), Term(2), Term(3)


class Point(NamedTuple):
    """A size, and what was measured there."""

    size: float
    value: float


@dataclass(frozen=True, slots=True)
class Law:
    """A sum of terms, each with its factor."""

    parts: tuple[tuple[float, Term], ...]

    def __call__(self, size: float) -> float:
        return sum(factor * term(size) for factor, term in self.parts)

    def __str__(self) -> str:
        return " + ".join(f"{factor:.2g} {term}".rstrip() for factor, term in self.parts)


def fit(points: Sequence[Point], terms: Sequence[Term]) -> Law:
    """The law with these terms that comes nearest to all points, in proportion to their values; no cost is negative.

    With so few terms all choices of them are tried; of those without a negative factor the nearest is taken.
    """
    values = np.array([point.value for point in points])
    found: list[tuple[float, Law]] = []
    for chosen in chain.from_iterable(combinations(terms, count) for count in range(1, len(terms) + 1)):
        columns = np.array([[term(point.size) for term in chosen] for point in points]) / values[:, None]
        factors, *_ = np.linalg.lstsq(columns, np.ones(len(points)), rcond=None)
        if (factors >= 0).all():
            away = float(((columns @ factors - 1) ** 2).sum())
            found.append((away, Law(tuple(zip(map(float, factors), chosen, strict=True)))))
    # Of laws that are equally near the one with fewer terms: what is left of the others is rounding.
    return min(found, key=lambda each: (round(each[0], 6), len(each[1].parts)))[1]


def fit_power(points: Sequence[Point]) -> Law:
    """The power of n through the points, for what no code says: how many opponents a bot has after so many rounds."""
    sizes, values = ([log(number) for number in column] for column in zip(*points, strict=True))
    power, factor = np.polyfit(sizes, values, 1)
    return Law(((float(np.exp(factor)), Term(float(power))),))
