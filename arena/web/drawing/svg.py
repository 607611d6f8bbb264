"""Coordinates of SVG drawings: axes, ticks, labels that do not overlap, and paths."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Axis:
    """Maps values to coordinates; values outside its range are moved to its ends."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, most: int) -> list[float]:
        """Return at most `most` round numbers on the axis, in steps of 1, 2 or 5 times a power of ten."""
        length = self.high - self.low
        step = 10 ** math.floor(math.log10(length / most))
        step = next(step * factor for factor in (1, 2, 5, 10, 20) if length / (step * factor) < most)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [step * index for index in range(first, last + 1)]


def px(value: float) -> str:
    """Return a coordinate with one decimal."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def path(points: Iterable[tuple[float, float]]) -> str:
    """Return the path that joins the points by straight lines."""
    return "M" + "L".join(f"{px(x)} {px(y)}" for x, y in points)


def spread_out(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return the positions nearest to the wanted ones, in the same order, at least `gap` apart, from low to high."""
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    # With the gaps subtracted, positions only need to ascend: neighbours that do not are moved to their mean.
    blocks: list[tuple[float, int]] = []
    for position, index in enumerate(order):
        blocks.append((wanted[index] - position * gap, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (one, ones), (other, others) = blocks[-2:]
            blocks[-2:] = [((one * ones + other * others) / (ones + others), ones + others)]
    bare = [mean for mean, count in blocks for _ in range(count)]
    last = max(low, high - gap * (len(wanted) - 1))
    places = [0.0] * len(wanted)
    for position, (index, mean) in enumerate(zip(order, bare, strict=True)):
        places[index] = min(max(mean, low), last) + position * gap
    return places
