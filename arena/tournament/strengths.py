"""How well the bots of a bracket are known: the refit of all results, and whether neighbours are told apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite

from arena.rating.arrays import np
from arena.rating.bradley_terry import Pairs, Refitted, refit
from arena.store.standings import RefitRecord
from arena.store.store import Store

LOOKED_AT_CLOSELY = 10
"""Bots that are so many ranks apart are told apart by the bootstrap of their difference."""


class PairCollector:
    """Collects the outcomes of blocks for a refit. Bots are known by any number that stands for them."""

    def __init__(self) -> None:
        self.places: dict[int, int] = {}
        """The bots' numbers in the refit."""
        self._blocks = 0
        self._block: list[int] = []
        self._row: list[int] = []
        self._column: list[int] = []
        self._points: list[float] = []
        self._games: list[int] = []

    def add(self, bots: Sequence[int], pairs: bytes) -> None:
        """Takes the outcome of a block, as `arena.rating.standings.pair_points` made it."""
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

    def refit(self) -> Refitted:
        return refit(
            len(self.places),
            Pairs(
                block=np.array(self._block, dtype=np.intp),
                row=np.array(self._row, dtype=np.intp),
                column=np.array(self._column, dtype=np.intp),
                points=np.array(self._points, dtype=np.float64),
                games=np.array(self._games, dtype=np.float64),
            ),
        )


def store_strengths(store: Store, scope: int, bracket: str) -> None:
    """Fits all results of the bracket, in one tournament or in all, and writes down what came of it."""
    with store.standings.refitting(scope):
        _refit(store, scope, bracket)


def _refit(store: Store, scope: int, bracket: str) -> None:
    collector = PairCollector()
    entrants: dict[int, Sequence[int]] = {}
    for tournament, numbers, pairs in store.matches.pairs(scope, bracket):
        if tournament not in entrants:
            entrants[tournament] = store.tournaments.load(tournament).entrants
        collector.add([entrants[tournament][number] for number in numbers], pairs)
    if collector.places:
        store.standings.write_refits(scope, bracket, list(_records(collector, collector.refit())))


def _records(collector: PairCollector, refitted: Refitted) -> Iterable[RefitRecord]:
    versions = list(collector.places)  # in the order of their places
    order = sorted(range(len(versions)), key=lambda place: -refitted.strength[place])
    separated: dict[int, set[int]] = {version: set() for version in versions}
    for rank, one in enumerate(order):
        for distance, other in enumerate(order[rank + 1 :], start=1):
            # Close ones are looked at closely. Of the many that are far apart disjoint intervals say enough.
            close = distance <= LOOKED_AT_CLOSELY
            if refitted.separated(one, other) if close else refitted.low[one] > refitted.high[other]:
                separated[versions[one]].add(versions[other])
                separated[versions[other]].add(versions[one])
    for place, version in enumerate(versions):
        low, high = float(refitted.low[place]), float(refitted.high[place])
        yield RefitRecord(
            version_id=version,
            strength=float(refitted.strength[place]),
            low=low if isfinite(low) else None,
            high=high if isfinite(high) else None,
            separated_from=tuple(sorted(separated[version])),
        )
