"""What single and double elimination have in common: how many go on, who sits where, and what decides a table."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

TIE_BREAKS = 3
"""So often a tie is played off before the lot decides."""


class Part(enum.Enum):
    """Where in the tournament a round belongs."""

    MAIN = "main"
    """Single elimination: who is beaten is out."""
    UPPER = "upper"
    """Double elimination: nobody here has been beaten."""
    LOWER = "lower"
    """Double elimination: all here have been beaten once."""
    FINAL = "final"
    """Where the first place is decided."""


class DecidedBy(enum.Enum):
    """How it was decided who advances from a table."""

    OPEN = "open"
    """It is not decided yet."""
    BYE = "bye"
    """Nobody had to be beaten: there were no more than can advance."""
    POINTS = "points"
    """By the points of the pairing."""
    TIE_BREAK = "tie-break"
    """The points were tied, and those tied played more deals."""
    LOT = "lot"
    """All the deals of the tie-breaks were tied, too."""


@dataclass(frozen=True, slots=True)
class KnockoutPairing:
    """A table of the tree."""

    entrants: tuple[int, ...]
    """The best first, once the table is decided."""
    points: tuple[float, ...]
    """What each of them reached in the pairing, without tie-breaks; empty as long as it is not played."""
    advanced: tuple[int, ...]
    """Who goes on to the next round, the best first; at the last final this is the champion."""
    decision: DecidedBy


@dataclass(frozen=True, slots=True)
class KnockoutRound:
    """A round of the tree, from the first to the last.

    In the main and the upper part tables next to each other lead to the same table of the next round of that part.
    """

    title: str
    part: Part
    tables: tuple[KnockoutPairing, ...]


class Contest:
    """A table under way: who sits there, how many advance, and what is known about them."""

    def __init__(self, entrants: Sequence[int], places: int, fewest: int, lots: Sequence[int]) -> None:
        self.entrants = tuple(entrants)
        self.places = min(places, len(entrants))
        self.decision = DecidedBy.BYE if self.places == len(entrants) else DecidedBy.OPEN
        self.points: Mapping[int, float] = {}
        self._fewest = fewest
        self._lots = lots
        self._scores: dict[int, tuple[float, ...]] = dict.fromkeys(entrants, ())
        """Points of the pairing, then of the tie-breaks: what is compared, in this order."""
        self._played = 0

    @property
    def order(self) -> list[int]:
        """All at the table, the best first. Those with the same points are in the order of their lots."""
        if not self.points:
            return list(self.entrants)
        return sorted(
            self.entrants, key=lambda entrant: ([-score for score in self._scores[entrant]], self._lots[entrant])
        )

    @property
    def advanced(self) -> list[int]:
        return [] if self.decision is DecidedBy.OPEN else self.order[: self.places]

    @property
    def beaten(self) -> list[int]:
        return [] if self.decision is DecidedBy.OPEN else self.order[self.places :]

    @property
    def to_play(self) -> tuple[int, ...]:
        """Who has to play now: all, or those who are tied where some of them advance and some do not."""
        tied = self._tied() if self.points else ()
        return tied if len(tied) >= self._fewest else self.entrants

    def record(self, points: Mapping[int, float]) -> None:
        """Takes the points of those who had to play."""
        points = {entrant: round(each, 9) for entrant, each in points.items()}  # sums of thirds that should be equal
        compared = self._tied() if self.points else self.entrants
        self.points = self.points or points
        self._played += 1
        for entrant in compared:  # others may have played along where the game needs them
            self._scores[entrant] += (points[entrant],)
        if not self._tied():
            self.decision = DecidedBy.POINTS if self._played == 1 else DecidedBy.TIE_BREAK
        elif self._played > TIE_BREAKS:
            self.decision = DecidedBy.LOT

    def drawn(self) -> KnockoutPairing:
        """The table as it stands."""
        order = tuple(self.order)
        points = tuple(self.points[entrant] for entrant in order) if self.points else ()
        return KnockoutPairing(order, points, tuple(self.advanced), self.decision)

    def _tied(self) -> tuple[int, ...]:
        order = self.order
        last, first_out = order[self.places - 1], order[self.places]
        if self._scores[last] != self._scores[first_out]:
            return ()
        return tuple(entrant for entrant in order if self._scores[entrant] == self._scores[last])


def places_at(seats: int, fewest: int, double: bool) -> int:
    """How many advance from a full table: half, and fewer only where the game could not go on with those left.

    Those who advance from some tables must be enough for a table of the next round. And a lower part must never be left
    with a number that is too many for the final and too few for a table.
    """
    half = min(seats // 2, seats - fewest + 1) if double else seats // 2
    return next(places for places in range(half, 0, -1) if seats // places * places >= fewest)


@dataclass(frozen=True, slots=True)
class Cut:
    """How a round makes the field smaller."""

    byes: int
    """So many go on without playing, besides those who are alone or few at their table."""
    tables: int
    places: int
    """So many advance from every table."""


def cut(count: int, tables: int, places: int, target: int, seats: int, fewest: int) -> Cut:
    """A round of `count` bots at so many tables, from each of which so many advance.

    The tables are of about the same size, which may be so small that all advance. Where that makes a table for which
    the game needs more bots, or leaves fewer than `target`, the round is played at full tables only, as many as can be
    filled without beating too many; the others have a bye. What is too many for that is left to the next round.
    """
    sizes = {count // tables, ceil(count / tables)}
    if all(size <= places or size >= fewest for size in sizes) and tables * places >= target:
        return Cut(0, tables, places)
    too_many = count - max(tables * places, target)
    beaten = min(seats - places, too_many)
    full = min(too_many // beaten, count // seats)
    return Cut(count - full * seats, full, seats - beaten)


def deal_out(order: Sequence[int], tables: int, met: Sequence[Counter[int]]) -> list[list[int]]:
    """Seats bots, the strongest first, so that the tables are equally strong.

    Each table gets one bot at a time, to and fro; the smaller tables are those of the strongest. Where there is a
    choice, nobody sits with somebody it has met before.
    """
    dealt: list[list[int]] = [[] for _ in range(tables)]
    for level, start in enumerate(range(0, len(order), tables)):
        row = order[start : start + tables]
        open_tables = list(range(tables - len(row), tables))
        if level % 2 or len(row) < tables:
            open_tables.reverse()
        _separate(row, open_tables, dealt, met)
        for entrant, table in zip(row, open_tables, strict=True):
            dealt[table].append(entrant)
    return dealt


def _separate(
    row: Sequence[int], tables: list[int], dealt: Sequence[Sequence[int]], met: Sequence[Counter[int]]
) -> None:
    """Exchanges the tables that bots are about to be seated at, where that separates acquaintances."""

    def known(place: int, table: int) -> int:
        return sum([met[row[place]].get(other, 0) for other in dealt[table]])

    for place, table in enumerate(tables):
        if not (here := known(place, table)):
            continue
        better = [
            (known(place, other) + known(number, tables[place]) - known(number, other), abs(number - place), number)
            for number, other in enumerate(tables)
        ]
        now, _, number = min(better)
        if now < here:
            tables[place], tables[number] = tables[number], tables[place]


def tree_order(tables: int, branches: int) -> list[int]:
    """The order of tables, the strongest being 0, in which the strong ones meet late.

    `branches` tables lead to one table of the next round. For two: 0 1, 0 3 1 2, 0 7 3 4 1 6 2 5, …
    """
    order = [0]
    while len(order) < tables:
        size = len(order)
        order = [
            branch * size + (place if branch % 2 == 0 else size - 1 - place)
            for place in order
            for branch in range(branches)
        ]
    return order
