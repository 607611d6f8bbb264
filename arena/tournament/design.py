"""Balanced designs: groups of bots in which every pair meets equally often.

For a number of bots and seats this makes a *design*: a list of groups, called a cycle, in which every bot and every
pair of bots occurs equally often, with as few groups as were found. A cycle consists of sub-rounds in which all bots
occur about equally often, so a tournament that is stopped early is nearly balanced, too.

All designs are made in one way. The bots are in a circle. A *base group* is turned: every bot in it is replaced by the
next one in the circle, until the same bots return. So two bots of a base group make all pairs with their distance in
the circle meet once, and a design is balanced if every distance occurs equally often in its base groups. For some
fields the last bot, the *pivot*, is outside the circle and stays in its groups through all turns, which makes cycles
shorter. A base group of bots at equal distances around the circle returns early.

Base groups are found by a deterministic local search (`design_search`). It finds a balanced design for all fields of up
to 64 bots with up to 6 seats, and for many larger ones. Otherwise `balanced` is false, and some pairs meet once more or
once less often than others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, count, islice
from math import comb, gcd
from typing import TYPE_CHECKING

from arena.tournament.seat_orders import BaseGroup, Group, evenly, order_seats, seat_orders

if TYPE_CHECKING:
    from arena.tournament.design_search import GroupPlan

ALL_STEPS = 75_000
"""The limit of search steps for one design."""
AHEAD = 500
"""The smallest number of groups to choose from when groups are put in order."""


@dataclass(frozen=True, slots=True)
class Design:
    """The groups of a cycle, by their base groups."""

    bots: int
    seats: int
    fewest_meetings: int
    """How often the pair with the fewest meetings meets in a cycle."""
    most_meetings: int
    circle: int
    """The number of bots in the circle: all, or all but the last one, which is the pivot."""
    base: tuple[BaseGroup, ...]

    @property
    def balanced(self) -> bool:
        return self.fewest_meetings == self.most_meetings

    @property
    def groups(self) -> int:
        """The number of groups of a cycle."""
        return sum(group.turns for group in self.base)

    def sub_rounds(self, cycle: int = 0) -> Iterator[tuple[Group, ...]]:
        """Return the groups of a cycle, each with its bots in seat order.

        The same bots meet in every cycle, but they change their neighbours: after (seats - 1)! cycles every bot
        has had every other one on its left equally often in every group.
        """
        orders = seat_orders(self.seats)
        order = orders[cycle % len(orders)]
        for groups in self._with_pivot() if self.circle < self.bots else self._around():
            yield tuple(tuple(group[seat] for seat in order) for group in groups)

    def _around(self) -> Iterator[Sequence[Group]]:
        """Turn each base group all the way: all bots occur in it equally often."""
        for group in self.base:
            turned = (self._turned(group.bots, turn) for turn in range(group.turns))
            yield tuple(evenly(turned, self.bots))

    def _with_pivot(self) -> Iterator[Sequence[Group]]:
        """Turn all base groups together, because the pivot is only in some of them.

        A sub-round has the number of groups in which all bots could occur equally often.
        """
        step = min(group.turns for group in self.base)
        turned = (
            self._turned(group.bots, turn)
            for start in range(step)
            for group in self.base
            for turn in range(start, group.turns, step)
        )
        ordered = evenly(turned, max(AHEAD, 4 * self.bots))
        while groups := tuple(islice(ordered, self.bots // gcd(self.bots, self.seats))):
            yield groups

    def _turned(self, bots: Group, turn: int) -> Group:
        circle = self.circle
        return tuple((bot + turn) % circle if bot < circle else bot for bot in bots)


@lru_cache(maxsize=64)
def design(bots: int, seats: int) -> Design:
    """Return the design for numbers of bots and seats. It is always the same."""
    assert 2 <= seats <= bots
    if seats == bots:
        return _design(bots, seats, bots, 1, [BaseGroup(tuple(range(bots)), 1)])
    if seats == 2:
        return _pairs(bots)
    from arena.tournament.design_search import LARGE, find_base_groups  # loads NumPy

    steps_left = ALL_STEPS * LARGE // max(LARGE, bots)
    nearly: list[Design] = []
    for plan in _plans(bots, seats):
        if plan.base is not None:
            return _design(bots, seats, bots, plan.meetings, plan.base)
        if steps_left <= 0 and nearly:
            continue  # only plans that need no search are left
        base, off, steps = find_base_groups(plan)
        steps_left -= steps
        if off == (0, 0):
            return _design(bots, seats, plan.circle, plan.meetings, base)
        if not plan.pivot:
            nearly.append(_design(bots, seats, bots, plan.meetings, base, off))
    return min(nearly, key=lambda found: (found.most_meetings - found.fewest_meetings, -found.most_meetings))


def _design(
    bots: int, seats: int, circle: int, meetings: int, base: Sequence[BaseGroup], off: tuple[int, int] = (0, 0)
) -> Design:
    return Design(bots, seats, meetings + off[0], meetings + off[1], circle, order_seats(base, circle))


def _pairs(bots: int) -> Design:
    """Return all pairs. With an even number of bots each occurs once in a sub-round."""
    if bots % 2:
        pairs = [BaseGroup((0, distance), bots) for distance in range(1, bots // 2 + 1)]
        return _design(bots, 2, bots, 1, pairs)
    circle = bots - 1
    pairs = [BaseGroup((circle, 0), circle)]
    pairs += [BaseGroup((distance, circle - distance), circle) for distance in range(1, bots // 2)]
    return _design(bots, 2, circle, 1, pairs)


def _plans(bots: int, seats: int) -> Iterator[GroupPlan]:
    """Return the plans that are possible, those with the shortest cycles first.

    Each distance around the circle must occur `meetings` times, counted in both directions; a group of s bots has
    s(s-1) of them.
    """
    from arena.tournament.design_search import GroupPlan

    distances = seats * (seats - 1)
    for meetings in count(1):
        if meetings == comb(bots - 2, seats - 2):
            yield GroupPlan(meetings, seats, bots, base=_all_groups(bots, seats))
            return
        if 2 * meetings == distances and _least_factor(bots) >= seats:
            yield GroupPlan(meetings, seats, bots, base=_multiples(bots, seats))
            return
        if meetings > 2 * distances:
            return
        without, rest = divmod(meetings * (bots - 1), distances)
        # In a circle of even size a group with an odd number of bots has an even number of odd distances.
        impossible = seats % 2 == 1 and bots % 2 == 0 and meetings * bots % 8
        if rest == 0 and not impossible:
            yield GroupPlan(meetings, seats, bots, without=without)
        with_pivot, rest = divmod(meetings, seats - 1)
        if rest == 0 and with_pivot * bots % seats == 0:
            without = with_pivot * bots // seats - with_pivot
            yield GroupPlan(meetings, seats, bots - 1, with_pivot, without, pivot=True)
        for short in range(1, meetings + 1 if bots % seats == 0 else 1):
            without, rest = divmod(meetings * (bots - 1) - short * (seats - 1), distances)
            if rest == 0:
                yield GroupPlan(meetings, seats, bots, without=without, short=short)
                break
        without, rest = divmod(meetings * (bots - seats), distances)
        if rest == 0 and (bots - 1) % (seats - 1) == 0:
            yield GroupPlan(meetings, seats, bots - 1, without=without, short=meetings, pivot=True)


def _all_groups(bots: int, seats: int) -> list[BaseGroup]:
    """Return every possible group, but only one of those that are turns of each other."""
    base = []
    for others in combinations(range(1, bots), seats - 1):
        group = (0, *others)
        turned = [tuple(sorted((bot - first) % bots for bot in group)) for first in group]
        if group == min(turned):
            base.append(BaseGroup(group, group[turned.index(group, 1)] if group in turned[1:] else bots))
    return base


def _multiples(bots: int, seats: int) -> list[BaseGroup]:
    """Return the group of neighbours 0, 1, 2, … and all its multiples.

    If no number below `seats` divides the number of bots, the multiples of a distance are all distances, each twice.
    """
    return [BaseGroup(tuple(factor * bot % bots for bot in range(seats)), bots) for factor in range(1, (bots + 1) // 2)]


def _least_factor(number: int) -> int:
    return next((factor for factor in range(2, number) if number % factor == 0), number)
