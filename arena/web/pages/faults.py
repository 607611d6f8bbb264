"""The list of the latest faults, with their meaning."""

from __future__ import annotations

from markupsafe import Markup

from arena.replay import FaultKind
from arena.web.config import CONFIG
from arena.web.site import Site


def fault_ticker(site: Site, tournament: int | None = None) -> Markup:
    """Render the latest faults of all bots, or of one tournament."""
    found = site.store.history.faults(tournament_id=tournament, limit=CONFIG.recent_faults)
    return site.renderer.part("parts/faults.html", faults=found, meaning=_meaning)


def _meaning(kind: str) -> str:
    """Return the meaning of a fault; a newer version may have written kinds that this one does not know."""
    return next((known.meaning for known in FaultKind if known.value == kind), kind)
