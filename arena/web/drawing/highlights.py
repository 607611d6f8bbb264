"""Matches worth watching: the greatest upset and the leader's latest match of each bracket."""

from __future__ import annotations

from collections.abc import Sequence

from arena import replay
from arena.reports.board import Board
from arena.reports.words import percent
from arena.store.store import Store
from arena.web.drawing.board_page import HighlightMatch
from arena.web.viewer.chances import chances_of
from arena.web.viewer.film import film_of


def worth_seeing(store: Store, boards: Sequence[Board], scope: int) -> dict[str, str]:
    """Return up to two matches of each bracket: the reason, by match name."""
    wanted: dict[str, str] = {}
    for board in boards:
        for version, upset in store.standings.upsets(scope, board.bracket).greatest(1):
            winner = store.bots.by_id([version])[version].label
            wanted[upset.match] = f"{board.bracket}: won by {winner} against a chance of {percent(upset.chance)}"
        if board.rows:
            leader = board.rows[0]
            standing = store.standings.load(scope, board.bracket)
            last = standing.bots[standing.ranking()[0]].last_match
            wanted.setdefault(last, f"{board.bracket}: the latest match of {leader.bot} {leader.version}")
    return wanted


def shown(name: str, why: str, written: bytes) -> HighlightMatch:
    """Return a match for the page, from its replay."""
    record = replay.loads(written)
    # Few enough playouts that the page is written at once.
    return HighlightMatch(f"{why} ({name})", film_of(record), chances_of(record, moves=30_000))
