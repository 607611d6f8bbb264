"""Fit the strengths of a bracket's bots to the stored results, and store them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import isfinite
from typing import TYPE_CHECKING

from sqlalchemy import Engine, delete, text

from arena.store.bulk import insert_rows
from arena.store.config import CONFIG
from arena.store.engine import write_transaction
from arena.store.schema import ALL, refits
from arena.store.standings import StrengthRecord
from arena.store.store import Store

if TYPE_CHECKING:
    from arena.rating.bradley_terry import StrengthFit

STRENGTH_LOCK = 0x7265666974
"""The PostgreSQL advisory lock of the process that fits strengths to the results of all tournaments."""


def update_strengths(store: Store, scope: int, bracket: str) -> None:
    """Fit all results of the bracket, in one tournament or in all, and replace the stored strengths."""
    from arena.rating.bradley_terry import PairCollector  # loads NumPy

    with _one_fit_at_a_time(store.engine, scope):
        collector = PairCollector()
        entrants: dict[int, Sequence[int]] = {}
        for tournament, numbers, pairs, deal in store.matches.pairs(scope, bracket):
            if tournament not in entrants:
                entrants[tournament] = store.tournaments.load(tournament).entrants
            collector.add([entrants[tournament][number] for number in numbers], pairs, (tournament, deal))
        if collector.places:
            rows = [(scope, bracket, *row) for row in _records(list(collector.places), collector.fit())]
            with write_transaction(store.engine) as connection:
                connection.execute(delete(refits).where(refits.c.scope == scope, refits.c.bracket == bracket))
                insert_rows(connection, refits, ("scope", "bracket", *StrengthRecord._fields), rows)


@contextmanager
def _one_fit_at_a_time(engine: Engine, scope: int) -> Iterator[None]:
    """Let one process at a time fit the results of all tournaments, so that the last write is the latest fit."""
    if scope != ALL or engine.dialect.name != "postgresql":  # then only one process plays
        yield
        return
    with engine.begin() as connection:
        connection.execute(text("SET LOCAL lock_timeout = 0"))  # a fit of many matches takes long
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": STRENGTH_LOCK})
        yield


def _records(versions: Sequence[int], fit: StrengthFit) -> Iterator[StrengthRecord]:
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
            separated_from=sorted(separated[version]),
        )
