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
        # Parallel lists: tens of thousands of tuples would slow down every garbage collection.
        self._block: list[int] = []
        self._row: list[int] = []
        self._column: list[int] = []
        self._points: list[float] = []
        self._games: list[int] = []

    def add(self, bots: Sequence[int], pairs: bytes) -> None:
        """Add the result of a block, as encoded by `arena.rating.standings.pair_points`."""
        count = len(bots)
        places = [self.places.setdefault(bot, len(self.places)) for bot in bots]
        for one in range(count):
            for other in range(one + 1, count):
                self._block.append(self._blocks)
                self._row.append(places[one])
                self._column.append(places[other])
                self._points.append(pairs[one * count + other] / 2)
                self._games.append(count)
        self._blocks += 1

    def fit(self) -> StrengthFit:
        """Fit the strengths to all results added so far."""
        return fit_strengths(
            len(self.places),
            Pairs(
                block=np.array(self._block, dtype=np.intp),
                row=np.array(self._row, dtype=np.intp),
                column=np.array(self._column, dtype=np.intp),
                points=np.array(self._points, dtype=np.float64),
                games=np.array(self._games, dtype=np.float64),
            ),
        )
