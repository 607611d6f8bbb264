"""Fit the strengths of a bracket's bots to the stored results, and store them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite

from arena.rating.bradley_terry import StrengthFit
from arena.rating.separation import PairCollector
from arena.store.config import CONFIG
from arena.store.standings import StrengthRecord
from arena.store.store import Store


def update_strengths(store: Store, scope: int, bracket: str) -> None:
    """Fit all results of the bracket, in one tournament or in all, and replace the stored strengths."""
    with store.standings.fitting_strengths(scope):
        collector = PairCollector()
        entrants: dict[int, Sequence[int]] = {}
        for tournament, numbers, pairs in store.matches.pairs(scope, bracket):
            if tournament not in entrants:
                entrants[tournament] = store.tournaments.load(tournament).entrants
            collector.add([entrants[tournament][number] for number in numbers], pairs)
        if collector.places:
            store.standings.write_strengths(scope, bracket, list(_records(list(collector.places), collector.fit())))


def _records(versions: Sequence[int], fit: StrengthFit) -> Iterable[StrengthRecord]:
    order = sorted(range(len(versions)), key=lambda place: -fit.strength[place])
    separated: dict[int, set[int]] = {version: set() for version in versions}
    for rank, one in enumerate(order):
        for distance, other in enumerate(order[rank + 1 :], start=1):
            close = distance <= CONFIG.close_ranks
            if fit.separated(one, other) if close else fit.low[one] > fit.high[other]:
                separated[versions[one]].add(versions[other])
                separated[versions[other]].add(versions[one])
    for place, version in enumerate(versions):
        low, high = float(fit.low[place]), float(fit.high[place])
        yield StrengthRecord(
            version_id=version,
            strength=float(fit.strength[place]),
            low=low if isfinite(low) else None,
            high=high if isfinite(high) else None,
            separated_from=tuple(sorted(separated[version])),
        )
