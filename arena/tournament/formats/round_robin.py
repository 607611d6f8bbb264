"""Round robin: every pair of bots meets equally often."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import ClassVar

from arena.games.base import shuffle
from arena.tournament.design import design
from arena.tournament.formats.base import Field, Format, Pairing, Round, Skill


class RoundRobin(Format):
    """Every pair of bots meets equally often. The fairest format, and the default.

    A cycle is a list of pairings in which every bot and every pair of bots occurs equally often. All pairings of a
    cycle play the same deal; the next cycle has the same pairings with the next deal and other neighbours. In each
    round of a cycle all bots occur about equally often, so a tournament that is stopped early is nearly balanced. It
    ends after a number of cycles or by a stop rule.

    With very many bots some pairs may meet once more or less often in a cycle (`Design.balanced`).
    """

    name: ClassVar[str] = "round-robin"
    summary: ClassVar[str] = "Every pair of bots meets equally often."
    waits: ClassVar[bool] = False

    def __init__(self, field: Field, cycles: int | None = None) -> None:
        """`cycles`: the number of cycles; None: no limit."""
        super().__init__(field)
        self.cycles = cycles
        self.design = design(field.size, field.seats)
        self._rounds = self._draw()

    def next_round(self, skill: Skill) -> Round | None:
        del skill
        return next(self._rounds, None)

    @property
    def pairings_per_cycle(self) -> int:
        """The number of pairings of a cycle."""
        return self.design.groups

    @property
    def pairing_count(self) -> int | None:
        return None if self.cycles is None else self.cycles * self.pairings_per_cycle

    def _draw(self) -> Iterator[Round]:
        # By lot, because in a tournament that is stopped early not all pairs have met equally often.
        entrants = shuffle(range(self.field.size), f"{self.field.seed} round robin")
        for cycle in count() if self.cycles is None else range(self.cycles):
            for number, tables in enumerate(self.design.sub_rounds(cycle), start=1):
                pairings = (Pairing(tuple(entrants[place] for place in table), (cycle,)) for table in tables)
                yield Round(tuple(pairings), f"cycle {cycle + 1}, round {number}")
