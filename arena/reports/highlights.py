"""The matches worth watching: the greatest upset of each bracket, and the latest match of its leader."""

from __future__ import annotations

from collections.abc import Sequence

from arena.reports.board import Board
from arena.reports.words import percent
from arena.store.store import Store


def find_highlights(store: Store, boards: Sequence[Board], scope: int) -> dict[str, str]:
    """Return up to two matches of each bracket: why to watch them, by name."""
    found: dict[str, str] = {}
    for board in boards:
        for version, upset in store.standings.upsets(scope, board.bracket).greatest(1):
            winner = store.bots.by_id([version])[version].label
            found[upset.match] = f"{board.bracket}: won by {winner} against a chance of {percent(upset.chance)}"
        if board.rows:
            leader = board.rows[0]
            standing = store.standings.load(scope, board.bracket)
            last = standing.bots[standing.ranking()[0]].last_match
            found.setdefault(last, f"{board.bracket}: the latest match of {leader.bot} {leader.version}")
    return found
