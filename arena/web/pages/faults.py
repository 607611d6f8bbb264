"""The fault ticker: the latest seats that bots have forfeited, with the reason in words."""

from __future__ import annotations

from arena.replay import FaultKind
from arena.web.site import Site

LATEST = 12


def ticker(site: Site, tournament: int | None = None) -> str:
    """The latest faults of everybody, or of one tournament."""
    found = site.store.history.faults(tournament_id=tournament, limit=LATEST)
    return site.pages.part("parts/faults.html", faults=found[:LATEST], meaning=_meaning)


def _meaning(kind: str) -> str:
    """What a kind of fault means; a newer arena may have kinds that this one does not know."""
    return next((known.meaning for known in FaultKind if known.value == kind), kind)
