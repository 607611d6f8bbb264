"""Head to head: two entrants share every match. Used by `arena compare`."""

from __future__ import annotations

from typing import ClassVar

from arena.tournament.formats.base import Field, Format, Pairing, Round, Skill


class Duel(Format):
    """Two entrants take the seats alternately, for a number of deals or until a stop rule ends it."""

    name: ClassVar[str] = "compare"
    summary: ClassVar[str] = "Two bots share every match."
    waits: ClassVar[bool] = False

    def __init__(self, field: Field, rounds: int) -> None:
        """`rounds`: the largest number of deals."""
        super().__init__(field)
        self.rounds = rounds
        self._drawn = 0

    def next_round(self, skill: Skill) -> Round | None:
        del skill
        if self._drawn == self.rounds:
            return None
        self._drawn += 1
        entrants = tuple(seat % 2 for seat in range(self.field.seats))
        return Round((Pairing(entrants, (self._drawn,)),), "")

    @property
    def pairing_count(self) -> int | None:
        return self.rounds
