"""Gauntlet: one newcomer against the field."""

from __future__ import annotations

from math import gcd
from typing import ClassVar

from arena.games.base import shuffle
from arena.tournament.formats.base import Field, Format, Pairing, Round, Skill


class Gauntlet(Format):
    """One newcomer meets all others equally often. The quickest way to place a new bot.

    The newcomer is in every pairing. The others are put in a random order and join group by group, cyclically, until
    all have played equally often. That is one cycle and one round, in which all pairings play the same deal. The next
    cycle has a new order and the next deal.
    """

    name: ClassVar[str] = "gauntlet"
    summary: ClassVar[str] = "One newcomer meets all others equally often."
    waits: ClassVar[bool] = False

    def __init__(self, field: Field, newcomer: int, cycles: int | None = None) -> None:
        """`newcomer`: the number of the entrant that meets all others; `cycles`: None: no limit."""
        super().__init__(field)
        assert 0 <= newcomer < field.size
        self.newcomer = newcomer
        self.cycles = cycles
        self._cycle = 0

    def next_round(self, skill: Skill) -> Round | None:
        del skill
        cycle = self._cycle
        if cycle == self.cycles:
            return None
        self._cycle += 1
        lot = f"{self.field.seed} gauntlet {cycle}"
        line = shuffle([entrant for entrant in range(self.field.size) if entrant != self.newcomer], lot)
        group = self.field.seats - 1
        pairings = []
        for table in range(self.pairings_per_cycle):
            first = table * group
            others = [line[(first + place) % len(line)] for place in range(group)]
            entrants = shuffle([self.newcomer, *others], f"{lot} table {table}")
            pairings.append(Pairing(entrants, (cycle,)))
        return Round(tuple(pairings), f"cycle {cycle + 1}")

    @property
    def pairings_per_cycle(self) -> int:
        """The number of pairings of a cycle."""
        others = self.field.size - 1
        return others // gcd(others, self.field.seats - 1)

    @property
    def pairing_count(self) -> int | None:
        return None if self.cycles is None else self.cycles * self.pairings_per_cycle
