"""Results of deal blocks, collected to fit strengths and to tell whether bots are separated. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from arena.rating.arrays import np
from arena.rating.bradley_terry import Pairs, StrengthFit, fit_strengths


class PairCollector:
    """Collects the results of blocks for a strength fit. Bots have arbitrary integer ids."""

    def __init__(self) -> None:
        self.places: dict[int, int] = {}
        """The index of each bot id in the fit."""
        self._blocks = 0
        self._pairs: list[tuple[int, int, int, float, int]] = []

    def add(self, bots: Sequence[int], pairs: bytes) -> None:
        """Add the result of a block, as encoded by `arena.rating.standings.pair_points`."""
        count = len(bots)
        places = [self.places.setdefault(bot, len(self.places)) for bot in bots]
        self._pairs += [
            (self._blocks, places[one], places[other], pairs[one * count + other] / 2, count)
            for one in range(count)
            for other in range(one + 1, count)
        ]
        self._blocks += 1

    def fit(self) -> StrengthFit:
        """Fit the strengths to all results added so far."""
        block, row, column, points, games = zip(*self._pairs, strict=True) if self._pairs else ((),) * 5
        return fit_strengths(
            len(self.places),
            Pairs(
                block=np.array(block, dtype=np.intp),
                row=np.array(row, dtype=np.intp),
                column=np.array(column, dtype=np.intp),
                points=np.array(points, dtype=np.float64),
                games=np.array(games, dtype=np.float64),
            ),
        )
