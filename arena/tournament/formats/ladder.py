"""Ladder: bots of similar strength meet, those with the least certain ratings first."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import ClassVar

from arena.games.base import shuffle
from arena.rating.trueskill import quality
from arena.tournament.formats.base import Field, Format, Pairing, Round, Skill

NEIGHBOURS = 12
"""The number of bots on either side in the order of strength among which opponents are sought."""
MEMORY = 8
"""The number of latest pairings whose opponents are remembered."""


class Ladder(Format):
    """Bots of similar strength meet. Ranks a large field with few matches.

    In every round the bot with the least certain rating chooses first (then the one with the fewest matches, then by
    lot). It gets the opponents with the best match quality that were not its opponents recently. Then the least certain
    of the remaining bots chooses, until no pairing can be filled; no bot plays twice in a round. There is
    no end: a stop rule is needed.
    """

    name: ClassVar[str] = "ladder"
    summary: ClassVar[str] = "Bots of similar strength meet, the least certain first, until a stop rule ends it."

    def __init__(self, field: Field, deals: int | None = None) -> None:
        """`deals`: of a pairing; None: one."""
        super().__init__(field)
        self.deals = deals or 1
        self._rounds = 0
        self._played = [0] * field.size
        self._recent = [deque[int](maxlen=MEMORY * (field.seats - 1)) for _ in range(field.size)]

    def next_round(self, skill: Skill) -> Round | None:
        size, seats = self.field.size, self.field.seats
        lots = shuffle(range(size), f"{self.field.seed} ladder {self._rounds}")
        ratings = [skill(entrant) for entrant in range(size)]
        free = _Line(sorted(range(size), key=lambda entrant: (ratings[entrant][0], lots[entrant])))
        choosing = sorted(range(size), key=lambda entrant: (-ratings[entrant][1], self._played[entrant], lots[entrant]))
        deals = tuple(range(self._rounds * self.deals, (self._rounds + 1) * self.deals))
        pairings: list[Pairing] = []
        for chooser in choosing:
            if len(pairings) == size // seats:
                break
            if chooser not in free:
                continue
            chosen = [chooser]
            while len(chosen) < seats:
                near = [entrant for entrant in free.near(chooser, NEIGHBOURS) if entrant not in chosen]
                chosen.append(max(near, key=lambda entrant: self._appeal(entrant, chosen, ratings)))
            for entrant in chosen:
                free.remove(entrant)
                self._played[entrant] += 1
                self._recent[entrant].extend(other for other in chosen if other != entrant)
            lot = f"{self.field.seed} ladder {self._rounds} table {len(pairings)}"
            pairings.append(Pairing(shuffle(chosen, lot), deals))
        self._rounds += 1
        return Round(tuple(pairings), f"round {self._rounds}")

    @property
    def pairing_count(self) -> int | None:
        return None

    def _appeal(self, entrant: int, chosen: Sequence[int], ratings: Sequence[tuple[float, float]]) -> float:
        """Return how much is learned from adding the entrant to those chosen."""
        appeal = 1.0
        for other in chosen:
            again = self._recent[other].count(entrant)
            appeal *= quality(ratings[entrant], ratings[other]) / (1 + again)
        return appeal


class _Line:
    """Entrants in order, as a linked list: removing one and finding its neighbours takes constant time."""

    def __init__(self, order: Sequence[int]) -> None:
        self._after = dict(zip((-1, *order), (*order, -1), strict=True))  # -1 is before the first and after the last
        self._before = {after: before for before, after in self._after.items()}

    def __contains__(self, entrant: int) -> bool:
        return entrant in self._after

    def remove(self, entrant: int) -> None:
        before, after = self._before.pop(entrant), self._after.pop(entrant)
        self._after[before], self._before[after] = after, before

    def near(self, entrant: int, count: int) -> Iterator[int]:
        """Return up to `count` entrants on either side, the nearest first; more on one side if the other has fewer."""
        before, after = self._before[entrant], self._after[entrant]
        for turn in range(2 * count):
            if before != -1 and (turn % 2 == 0 or after == -1):
                yield before
                before = self._before[before]
            elif after != -1:
                yield after
                after = self._after[after]
