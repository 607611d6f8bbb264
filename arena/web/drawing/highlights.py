"""Matches worth watching, prepared for a page."""

from __future__ import annotations

from arena import replay
from arena.web.drawing.board_page import HighlightMatch
from arena.web.viewer.chances import chances_of
from arena.web.viewer.film import film_of


def shown(name: str, why: str, written: bytes) -> HighlightMatch:
    """Return a match for the page, from its replay."""
    record = replay.loads(written)
    # Few enough playouts that the page is written at once.
    return HighlightMatch(f"{why} ({name})", film_of(record), chances_of(record, moves=30_000))
