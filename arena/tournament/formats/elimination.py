"""Shared by single and double elimination: how many advance, which bots meet, and what decides a pairing."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

TIE_BREAKS = 3
"""The number of tie-breaks before the lot decides."""


class Part(enum.Enum):
    """The part of the tournament that a round belongs to."""

    MAIN = "main"
    """Single elimination: a beaten bot is out."""
    UPPER = "upper"
    """Double elimination: bots that have not been beaten."""
    LOWER = "lower"
    """Double elimination: bots that have been beaten once."""
    FINAL = "final"
    """Decides the first place."""


class DecidedBy(enum.Enum):
    """How it was decided which bots advance from a pairing."""

    OPEN = "open"
    """Not decided yet."""
    BYE = "bye"
    """All bots advance without playing."""
    POINTS = "points"
    """By points."""
    TIE_BREAK = "tie-break"
    """By additional deals of the tied bots."""
    LOT = "lot"
    """By lot, because the tie-breaks were tied, too."""


@dataclass(frozen=True, slots=True)
class KnockoutPairing:
    """A pairing of the tree."""

    entrants: tuple[int, ...]
    """The best first, when it is decided."""
    points: tuple[float, ...]
    """The points of each without tie-breaks; empty: not played yet."""
    advanced: tuple[int, ...]
    """The bots that advance, the best first; in the last final the champion."""
    decision: DecidedBy


@dataclass(frozen=True, slots=True)
class KnockoutRound:
    """A round of the tree, from the first to the last.

    In the main and the upper part neighbouring pairings lead to the same pairing of the next round of that part.
    """

    title: str
    part: Part
    pairings: tuple[KnockoutPairing, ...]


class Contest:
    """A pairing that is being decided: its entrants, how many advance, and their points."""

    def __init__(self, entrants: Sequence[int], places: int, fewest: int, lots: Sequence[int]) -> None:
        self.entrants = tuple(entrants)
        self.places = min(places, len(entrants))
        self.decision = DecidedBy.BYE if self.places == len(entrants) else DecidedBy.OPEN
        self.points: Mapping[int, float] = {}
        self._fewest = fewest
        self._lots = lots
        self._scores: dict[int, tuple[float, ...]] = dict.fromkeys(entrants, ())
        """Points of the pairing, then of the tie-breaks; compared in this order."""
        self._played = 0

    @property
    def order(self) -> list[int]:
        """All entrants, the best first; those with the same points in the order of their lots."""
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
        """The entrants that play next: all, or those whose tie decides which of them advance."""
        tied = self._tied() if self.points else ()
        return tied if len(tied) >= self._fewest else self.entrants

    def record(self, points: Mapping[int, float]) -> None:
        """Take the points of those that played."""
        points = {entrant: round(each, 9) for entrant, each in points.items()}  # sums of thirds that should be equal
        compared = self._tied() if self.points else self.entrants
        self.points = self.points or points
        self._played += 1
        for entrant in compared:  # others may have played only to fill the seats
            self._scores[entrant] += (points[entrant],)
        if not self._tied():
            self.decision = DecidedBy.POINTS if self._played == 1 else DecidedBy.TIE_BREAK
        elif self._played > TIE_BREAKS:
            self.decision = DecidedBy.LOT

    def drawn(self) -> KnockoutPairing:
        """Return the current state, for drawing."""
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
    """Return how many advance from a full pairing: half, or fewer if the game could not be played by those left.

    The bots that advance from some pairings must be enough for a pairing of the next round, and a lower part must never
    be left with a number that is too large for the final and too small for a pairing.
    """
    half = min(seats // 2, seats - fewest + 1) if double else seats // 2
    return next(places for places in range(half, 0, -1) if seats // places * places >= fewest)


@dataclass(frozen=True, slots=True)
class Cut:
    """How a round reduces the field."""

    byes: int
    """Bots that advance without playing, besides those in pairings from which all advance."""
    pairings: int
    places: int
    """Bots that advance from each pairing."""


def cut(count: int, pairings: int, places: int, target: int, seats: int, fewest: int) -> Cut:
    """Plan a round of `count` bots in pairings from each of which `places` advance.

    Pairings have about the same size, which may be so small that all advance. If one would be too small for the game,
    or fewer than `target` would be left, only full pairings are played, as many as possible without beating too many
    bots; the others have a bye, and the rest of the reduction is left to the next round.
    """
    sizes = {count // pairings, ceil(count / pairings)}
    if all(size <= places or size >= fewest for size in sizes) and pairings * places >= target:
        return Cut(0, pairings, places)
    too_many = count - max(pairings * places, target)
    beaten = min(seats - places, too_many)
    full = min(too_many // beaten, count // seats)
    return Cut(count - full * seats, full, seats - beaten)


def deal_out(order: Sequence[int], count: int, met: Sequence[Counter[int]]) -> list[list[int]]:
    """Distribute bots, the strongest first, to `count` groups that are equally strong.

    Each group gets one bot at a time, in alternating direction; the smaller groups are those of the strongest. If there
    is a choice, bots that have met before are kept apart.
    """
    groups: list[list[int]] = [[] for _ in range(count)]
    for level, start in enumerate(range(0, len(order), count)):
        row = order[start : start + count]
        open_groups = groups[count - len(row) :]
        if level % 2 or len(row) < count:
            open_groups.reverse()
        _separate(row, open_groups, met)
        for entrant, group in zip(row, open_groups, strict=True):
            group.append(entrant)
    return groups


def _separate(row: Sequence[int], groups: list[list[int]], met: Sequence[Counter[int]]) -> None:
    """Exchange the groups of bots in a row if that separates some that have met before."""

    def known(place: int, group: Sequence[int]) -> int:
        return sum([met[row[place]].get(other, 0) for other in group])

    for place, group in enumerate(groups):
        if not (here := known(place, group)):
            continue
        better = [
            (known(place, other) + known(number, groups[place]) - known(number, other), abs(number - place), number)
            for number, other in enumerate(groups)
        ]
        now, _, number = min(better)
        if now < here:
            groups[place], groups[number] = groups[number], groups[place]


def tree_order(pairings: int, branches: int) -> list[int]:
    """Return the order of pairings, the strongest being 0, in which the strong ones meet late.

    `branches` pairings lead to one pairing of the next round. For two: 0 1, 0 3 1 2, 0 7 3 4 1 6 2 5, …
    """
    order = [0]
    while len(order) < pairings:
        size = len(order)
        order = [
            branch * size + (place if branch % 2 == 0 else size - 1 - place)
            for place in order
            for branch in range(branches)
        ]
    return order
