"""Round robin: everybody meets everybody, equally often."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import ClassVar

from arena.games.base import shuffle
from arena.tournament.design import design
from arena.tournament.formats.base import Field, Format, Pairing, Round, Skill


class RoundRobin(Format):
    """Everybody meets everybody, equally often. The fairest format, and the default.

    A cycle is a list of tables at which every bot sits equally often and every pair of bots meets equally often. All
    tables of a cycle play the same deal; the next cycle plays the same tables with the next deal and other neighbours.
    A cycle is played in rounds in each of which all bots sit about equally often, so a tournament that is stopped early
    is nearly balanced. It goes on for a number of cycles, or until the organiser's stop rule ends it.

    With very many bots the pairs of a cycle may meet once more or less often than each other; `design` says so.
    """

    name: ClassVar[str] = "round-robin"
    summary: ClassVar[str] = "Everybody meets everybody, equally often."
    waits: ClassVar[bool] = False

    def __init__(self, field: Field, cycles: int | None = None) -> None:
        """`cycles`: how often everything is played; None: without end."""
        super().__init__(field)
        self.cycles = cycles
        self.design = design(field.size, field.seats)
        self._rounds = self._draw()

    def next_round(self, skill: Skill) -> Round | None:
        del skill
        return next(self._rounds, None)

    @property
    def pairings_per_cycle(self) -> int:
        """How many pairings there are until every pair has met equally often."""
        return self.design.groups

    @property
    def pairing_count(self) -> int | None:
        return None if self.cycles is None else self.cycles * self.pairings_per_cycle

    def _draw(self) -> Iterator[Round]:
        # By lot, because a tournament that is stopped early has not seated all pairs equally often.
        entrants = shuffle(range(self.field.size), f"{self.field.seed} round robin")
        for cycle in count() if self.cycles is None else range(self.cycles):
            for number, tables in enumerate(self.design.sub_rounds(cycle), start=1):
                pairings = (Pairing(tuple(entrants[place] for place in table), (cycle,)) for table in tables)
                yield Round(tuple(pairings), f"cycle {cycle + 1}, round {number}")
