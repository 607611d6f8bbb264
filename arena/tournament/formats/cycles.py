"""Formats that repeat a fixed list of pairings with new cards: round robin, gauntlet and duel."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from itertools import count
from math import gcd
from typing import ClassVar

from arena.games.base import shuffle
from arena.tournament.design import design
from arena.tournament.formats.base import Field, Format, Pairing, Round, Skill


class CyclicFormat(Format):
    """Repeats cycles of pairings. It ends after a number of cycles, or by a stop rule."""

    waits: ClassVar[bool] = False
    pairings_per_cycle: int

    def __init__(self, field: Field, cycles: int | None = None) -> None:
        """`cycles`: None: no limit."""
        super().__init__(field)
        self.cycles = cycles
        self._rounds = self._all_rounds()

    @abstractmethod
    def cycle_rounds(self, cycle: int) -> Iterator[Round]:
        """Return the rounds of a cycle."""

    @property
    def matches_per_cycle(self) -> float:
        """The number of matches of each bot in a cycle."""
        return self.pairings_per_cycle * self.field.seats * self.field.seats / self.field.size

    @property
    def pairing_count(self) -> int | None:
        return None if self.cycles is None else self.cycles * self.pairings_per_cycle

    def next_round(self, skill: Skill) -> Round | None:
        del skill
        return next(self._rounds, None)

    def _all_rounds(self) -> Iterator[Round]:
        for cycle in count() if self.cycles is None else range(self.cycles):
            yield from self.cycle_rounds(cycle)


class RoundRobin(CyclicFormat):
    """Every pair of bots meets equally often. The fairest format, and the default.

    A cycle is a list of pairings in which every bot and every pair of bots occurs equally often; the next cycle has the
    same pairings with other neighbours. In each round of a cycle all bots occur about equally often, so a tournament
    that is stopped early is nearly balanced.

    With very many bots some pairs may meet once more or less often in a cycle (`Design.balanced`).
    """

    name: ClassVar[str] = "round-robin"
    summary: ClassVar[str] = "Every pair of bots meets equally often."

    def __init__(self, field: Field, cycles: int | None = None) -> None:
        super().__init__(field, cycles)
        self.design = design(field.size, field.seats)
        self.pairings_per_cycle = self.design.groups
        # By lot, because in a tournament that is stopped early not all pairs have met equally often.
        self._entrants = shuffle(range(field.size), f"{field.seed} round robin")

    def cycle_rounds(self, cycle: int) -> Iterator[Round]:
        for number, groups in enumerate(self.design.sub_rounds(cycle), start=1):
            pairings = (Pairing(tuple(self._entrants[bot] for bot in group), (cycle,)) for group in groups)
            yield Round(tuple(pairings), f"cycle {cycle + 1}, round {number}")


class Gauntlet(CyclicFormat):
    """One newcomer meets all others equally often. The quickest way to place a new bot.

    The newcomer is in every pairing. The others are put in a random order and join group by group, cyclically, until
    all have played equally often. That is one cycle and one round. The next cycle has a new order.
    """

    name: ClassVar[str] = "gauntlet"
    summary: ClassVar[str] = "One newcomer meets all others equally often."

    def __init__(self, field: Field, newcomer: int, cycles: int | None = None) -> None:
        """`newcomer`: the number of the entrant that meets all others."""
        super().__init__(field, cycles)
        assert 0 <= newcomer < field.size
        self.newcomer = newcomer
        self.pairings_per_cycle = (field.size - 1) // gcd(field.size - 1, field.seats - 1)

    @property
    def matches_per_cycle(self) -> float:
        """The number of matches of the newcomer."""
        return self.pairings_per_cycle * self.field.seats

    def cycle_rounds(self, cycle: int) -> Iterator[Round]:
        lot = f"{self.field.seed} gauntlet {cycle}"
        line = shuffle([entrant for entrant in range(self.field.size) if entrant != self.newcomer], lot)
        opponents = self.field.seats - 1
        pairings = []
        for number in range(self.pairings_per_cycle):
            others = [line[(number * opponents + place) % len(line)] for place in range(opponents)]
            entrants = shuffle([self.newcomer, *others], f"{lot} table {number}")  # the lot of stored tournaments
            pairings.append(Pairing(entrants, (cycle,)))
        yield Round(tuple(pairings), f"cycle {cycle + 1}")


class Duel(CyclicFormat):
    """Two entrants take the seats of every match alternately. Used by `arena compare`; a cycle is one deal."""

    name: ClassVar[str] = "compare"
    summary: ClassVar[str] = "Two bots share every match."
    pairings_per_cycle = 1

    def cycle_rounds(self, cycle: int) -> Iterator[Round]:
        entrants = tuple(seat % 2 for seat in range(self.field.seats))
        yield Round((Pairing(entrants, (cycle + 1,)),))
