"""Standings of a bracket: ratings, placements, head-to-head records. Pure; results are added one by one.

Ratings depend on the order of results, so results are added in schedule order, whatever order they were played in. The
same results in the same order lead to the same standings, bit for bit.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import NamedTuple

from arena.rating.trueskill import Rating, Scale
from arena.rating.upsets import Upsets
from arena.records import SeatRecord

THINK_MS_BOUNDS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
"""Upper bounds of the classes of think times, in ms per move; one more class is open."""
POINTS_PER_DOUBLING = 16
"""Points of the rating history per doubling of the matches: enough to draw, few enough to store."""


class RatingPoint(NamedTuple):
    """A bot's rating after a number of its matches."""

    version_id: int
    matches: int
    mu: float
    sigma: float


@dataclass(slots=True)
class SeatTally:
    """One bot's results on one seat, in matches with one number of seats."""

    matches: int = 0
    wins: float = 0.0
    placements: int = 0
    """Their sum."""


@dataclass(slots=True)
class Standing:
    """The results of one bot version."""

    rating: Rating = field(default_factory=Rating)
    matches: int = 0
    wins: float = 0.0
    placements: list[int] = field(default_factory=list)
    """How often it came first, second, and so on."""
    think_ms: float = 0.0
    decisions: int = 0
    think_times: list[int] = field(default_factory=lambda: [0] * (len(THINK_MS_BOUNDS) + 1))
    """How many matches had a mean think time in each class of THINK_MS_BOUNDS."""
    faults: dict[str, int] = field(default_factory=dict)
    last_match: str = ""
    by_seat: dict[int, list[SeatTally]] = field(default_factory=dict)
    """Results by seat, for each number of seats."""

    def add(self, seat: SeatRecord, match: str) -> None:
        self.matches += 1
        self.wins += seat.won
        while len(self.placements) < seat.placement:
            self.placements.append(0)
        self.placements[seat.placement - 1] += 1
        if seat.decisions:
            self.think_ms += seat.think_ms
            self.decisions += seat.decisions
            self.think_times[bisect_left(THINK_MS_BOUNDS, seat.think_ms / seat.decisions)] += 1
        if seat.fault:
            self.faults[seat.fault] = self.faults.get(seat.fault, 0) + 1
        self.last_match = match

    def tally(self, seats: int, number: int) -> SeatTally:
        """Return its results on seat `number` in matches with that many seats."""
        if seats not in self.by_seat:
            self.by_seat[seats] = [SeatTally() for _ in range(seats)]
        return self.by_seat[seats][number]

    @property
    def worth_a_point(self) -> bool:
        """Whether the rating history has a point after this match."""
        step = max(1, (1 << (self.matches.bit_length() - 1)) // POINTS_PER_DOUBLING)
        return self.matches % step == 0


@dataclass(slots=True)
class Meetings:
    """One bot's record against another."""

    points: float = 0.0
    """How often it was placed before the other, ties half."""
    matches: int = 0

    @property
    def share(self) -> float | None:
        """Points per match; None without matches."""
        return self.points / self.matches if self.matches else None


@dataclass(slots=True)
class Changes:
    """What has changed since the last `take_changes`."""

    versions: set[int] = field(default_factory=set)
    pairs: set[tuple[int, int]] = field(default_factory=set)
    points: list[RatingPoint] = field(default_factory=list)
    upsets: set[tuple[int, bool]] = field(default_factory=set)
    """The versions whose lists of wins (True) or losses (False) have changed."""


class Standings:
    """The standings of one bracket, in one tournament or in all of them."""

    def __init__(self, scale: Scale, *, winners_only: bool = False) -> None:
        self.scale = scale
        self.winners_only = winners_only
        """Whether the rating considers only who won, not the other placements."""
        self.bots: dict[int, Standing] = {}
        self.head_to_head: dict[tuple[int, int], Meetings] = {}
        self.upsets = Upsets()
        self._changes = Changes()

    def rating(self, version_id: int) -> Rating:
        standing = self.bots.get(version_id)
        return standing.rating if standing else Rating()

    def fold(self, seats: Sequence[SeatRecord], match: str) -> None:
        """Count a match. The seats are in seat order."""
        for number, seat in enumerate(seats):
            if seat.version_id not in self.bots:
                self.bots[seat.version_id] = Standing()
            tally = self.bots[seat.version_id].tally(len(seats), number)
            tally.matches += 1
            tally.wins += seat.won
            tally.placements += seat.placement
        # With ties the rating depends on the order in which the players are listed, so they are listed by id.
        seats = sorted(seats)
        standings = [self.bots[seat.version_id] for seat in seats]
        before = [standing.rating for standing in standings]
        if self.winners_only:
            rated = self.scale.rate_winners(before, [seat.won > 0 for seat in seats])
        else:
            rated = self.scale.rate(before, [seat.placement for seat in seats])
        self._changes.upsets.update(self.upsets.note(seats, before, match))
        for standing, seat, rating in zip(standings, seats, rated, strict=True):
            standing.rating = rating
            standing.add(seat, match)
            self._changes.versions.add(seat.version_id)
            if standing.worth_a_point:
                self._changes.points.append(RatingPoint(seat.version_id, standing.matches, rating.mu, rating.sigma))
        for seat, other in permutations(seats, 2):
            pair = seat.version_id, other.version_id
            meetings = self.head_to_head.get(pair)
            if meetings is None:
                meetings = self.head_to_head[pair] = Meetings()
            meetings.matches += 1
            meetings.points += points(seat.placement, other.placement)
            self._changes.pairs.add(pair)

    def take_changes(self) -> Changes:
        changes, self._changes = self._changes, Changes()
        return changes

    def ranking(self) -> list[int]:
        """Return the versions from best to worst by conservative rating."""
        return sorted(self.bots, key=self._order)

    def best(self, count: int) -> list[int]:
        """Return the first `count` of the ranking without sorting the others."""
        return heapq.nsmallest(count, self.bots, key=self._order)

    def _order(self, version: int) -> tuple[float, int]:
        return -self.bots[version].rating.conservative, version


def points(placement: int, other: int) -> float:
    """Return the points of a placement against another: 1 if it is better, 0.5 for a tie, 0 otherwise."""
    return 1.0 if placement < other else 0.5 if placement == other else 0.0


def pair_points(results: Sequence[Sequence[int]], *, winners_only: bool = False) -> bytes:
    """Return the result of a block: half points of each entrant against each other one, one byte for each pair.

    `results` has the placements of the entrants in each rotation, in the order of the block's entrants. With
    `winners_only` these are 1 for winners and 2 for all others, who get no points against each other.
    """

    def half_points(one: int, other: int) -> int:
        met = ((placements[one], placements[other]) for placements in results)
        return round(sum(2 * points(*each) for each in met if not winners_only or 1 in each))

    count = len(results[0])
    return bytes(half_points(one, other) if one != other else 0 for one in range(count) for other in range(count))
