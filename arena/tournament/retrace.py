"""Rebuild the rounds of a bracket from the stored outcomes of its blocks, for drawing a tournament in progress.

It takes outcomes in the order in which they are counted, so it can follow a tournament that another process plays. It
is for formats that wait for the results of a round and do not use ratings, such as a knockout.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from arena.tournament.course import OpenPairing
from arena.tournament.formats.base import Format


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A pairing of the current round."""

    points: dict[int, float]
    """The points of each entrant so far; empty: nothing is counted."""
    deals_counted: int
    deals: int


class Retrace:
    """A bracket that is rebuilt."""

    def __init__(self, drawn_by: Format) -> None:
        self.format = drawn_by
        self.counted = 0
        """The number of outcomes taken."""
        self._round: list[OpenPairing] = []
        self._due: deque[OpenPairing] = deque()
        self._draw()

    def take(self, pairs: bytes) -> None:
        """Take the outcome of the next block. Surplus ones are ignored."""
        if not self._due:
            return
        self._due.popleft().add(pairs)
        self.counted += 1
        if not self._due:
            self.format.record([pairing.result for pairing in self._round])
            self._draw()

    def _draw(self) -> None:
        drawn = self.format.next_round(lambda _: (0.0, 0.0))
        self._round = [OpenPairing(pairing) for pairing in drawn.pairings] if drawn else []
        self._due.extend(pairing for pairing in self._round for _ in pairing.pairing.deals)

    def under_way(self) -> dict[frozenset[int], UnderWay]:
        """Return the pairings of the current round, by their entrants."""
        return {
            frozenset(each.pairing.entrants): UnderWay(
                dict(zip(each.pairing.entrants, each.result.points, strict=True)) if each.blocks_counted else {},
                each.blocks_counted,
                len(each.pairing.deals),
            )
            for each in self._round
        }
