"""The local search for the base groups of a design (see `arena.tournament.design`). The same on every machine.

A step removes a bot from a group that has a distance too often, and adds the bot that brings the distances closest to
balance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from random import Random

from arena.rating.arrays import NDArray, np
from arena.tournament.seat_orders import BaseGroup

Distances = NDArray[np.int64]

STEPS = 25_000
"""The limit of steps for one kind of base groups."""
STEPS_PER_GROUP = 2_000
"""The limit of steps for each base group."""
LARGE = 200
"""From this size of the field steps are slow, and tournaments hardly complete a cycle: the limits are lower."""
SMALL = 20
"""Up to this size base groups are sought in which every bot occurs equally often at every turn."""
STEPS_TO_SEAT_EVENLY = 4_000
"""The limit of steps for that when a solution without it is known."""
FORBIDDEN = 1 << 40


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """Numbers of base groups with which a design can be balanced."""

    meetings: int
    seats: int
    circle: int
    with_pivot: int = 0
    """The number of base groups with the pivot, besides the short one."""
    without: int = 0
    """The number of base groups without the pivot, besides the short one."""
    short: int = 0
    """How often the base group occurs that returns early: bots at equal distances, with the pivot or without."""
    pivot: bool = False
    base: Sequence[BaseGroup] | None = None
    """The base groups, if they need not be searched for."""

    @property
    def short_group(self) -> BaseGroup:
        around = self.seats - self.pivot
        step = self.circle // around
        pivot = (self.circle,) if self.pivot else ()
        return BaseGroup(pivot + tuple(range(0, self.circle, step)), step)


def find_base_groups(plan: GroupPlan) -> tuple[list[BaseGroup], tuple[int, int], int]:
    """Return base groups for a plan, how far the meetings of pairs are below and above it at most, and the steps."""
    family = GroupSearch(plan)
    steps = family.improve(min(STEPS * LARGE // max(LARGE, plan.circle), STEPS_PER_GROUP * len(family.groups)))
    groups = family.balanced or family.groups
    base = [plan.short_group] * plan.short
    base += [BaseGroup((plan.circle, *group), plan.circle) for group in groups[: plan.with_pivot]]
    base += [BaseGroup(tuple(group), plan.circle) for group in groups[plan.with_pivot :]]
    if family.balanced:
        return base, (0, 0), steps
    return base, (int(family.excess[1:].min()), int(family.excess[1:].max())), steps


class GroupSearch:
    """Groups on a circle that a local search changes until they have every distance as often as planned.

    In a small field with a pivot the groups should also seat every bot of the circle equally often before they are
    turned, because all of them together then make a perfect sub-round. That is sought, too, but it is not needed.
    """

    def __init__(self, plan: GroupPlan) -> None:
        circle = self.circle = plan.circle
        sizes = [plan.seats - 1] * plan.with_pivot + [plan.seats] * plan.without
        self._rng = Random(f"design {circle} {sizes} {plan.short}")
        self.groups: list[list[int]] = []
        self.balanced: list[list[int]] = []
        """The groups with balanced distances in which the bots occur most evenly; empty: none were found."""
        self.excess: Distances = np.full(circle, -plan.meetings, dtype=np.int64)
        """How often each distance occurs too often, counted in both directions."""
        turns = plan.short_group.turns if plan.short else circle
        self.excess[::turns] += plan.short
        self.excess[0] = 0
        self._turns = turns
        self._crowd: Distances = np.zeros(turns, dtype=np.int64)
        """How often each place of the circle occurs too often; places that a sub-round takes together are one."""
        self._crowd -= (sum(sizes) + plan.short) // turns
        self._crowd[0] += plan.short
        self._seat_evenly = plan.pivot and circle < SMALL
        self._costs: Distances = np.zeros(2 * circle, dtype=np.int64)
        for size in sizes:
            group: list[int] = []
            self.groups.append(group)
            while len(group) < size:
                start = self._below(circle)
                self._add(group, (start + int(self._costs_of_adding(group, start).argmin())) % circle)

    def improve(self, steps: int) -> int:
        """Search until the groups are balanced or the steps are used up. Return the number of steps.

        One step in ten changes a random group, to leave local optima.
        """
        least = len(self.groups) * self.circle
        last_step = steps
        for step in range(steps):
            if not self.excess.any():
                uneven = int(np.abs(self._crowd).sum()) if self._seat_evenly else 0
                if not self.balanced:
                    last_step = step + STEPS_TO_SEAT_EVENLY
                if uneven < least:
                    self.balanced, least = [group.copy() for group in self.groups], uneven
                if uneven == 0:
                    return step
            if step == last_step:
                return step
            group, bot = self._any_bot() if self._below(10) == 0 else self._bot_too_often()
            self._remove(group, bot)
            start = self._below(self.circle)
            costs = self._costs_of_adding(group, start)
            before = (bot - start) % self.circle
            cost_before = costs[before]
            costs[before] = FORBIDDEN
            best = int(costs.argmin())
            self._add(group, (start + best) % self.circle if costs[best] <= cost_before else bot)
        return steps

    def _below(self, limit: int) -> int:
        return int(self._rng.random() * limit)  # the only method of Random whose results are guaranteed not to change

    def _costs_of_adding(self, group: Sequence[int], start: int) -> Distances:
        """Return the costs of adding the bots start, start + 1, … to a group: how much farther from balance it gets."""
        circle = self.circle
        one_more = self._costs[:circle]
        np.multiply(self.excess, 4, out=one_more)
        one_more += 2
        if circle % 2 == 0:
            one_more[circle // 2] += 2  # the distance that is the same in both directions
        one_more[0] = FORBIDDEN
        self._costs[circle:] = one_more
        costs: Distances = np.zeros(circle, dtype=np.int64)
        if self._seat_evenly:
            costs += 4 * np.resize(np.roll(self._crowd, -start), circle)
        for bot in group:
            first = (start - bot) % circle
            costs += self._costs[first : first + circle]
        return costs

    def _any_bot(self) -> tuple[list[int], int]:
        group = self.groups[self._below(len(self.groups))]
        return group, group[self._below(len(group))]

    def _bot_too_often(self) -> tuple[list[int], int]:
        """Return a bot with a distance in its group that occurs too often, or at a place that does."""
        too_often = np.flatnonzero(self.excess > 0)
        crowded = np.flatnonzero(self._crowd > 0) if self._seat_evenly else too_often[:0]
        first = self._below(len(self.groups))
        groups = chain(self.groups[first:], self.groups[:first])
        if len(crowded) and (not len(too_often) or self._below(2) == 0):
            place = crowded[self._below(len(crowded))]
            found = ((group, bot) for group in groups for bot in group if bot % self._turns == place)
        elif len(too_often):
            distance = int(too_often[self._below(len(too_often))])
            found = ((group, bot) for group in groups for bot in group if (bot + distance) % self.circle in group)
        else:
            return self._any_bot()
        return next(found, None) or self._any_bot()  # it may be only in the short group

    def _add(self, group: list[int], bot: int) -> None:
        self._crowd[bot % self._turns] += 1
        for other in group:
            self.excess[bot - other] += 1  # a negative index counts from the end, which is the distance around
            self.excess[other - bot] += 1
        group.append(bot)

    def _remove(self, group: list[int], bot: int) -> None:
        group.remove(bot)
        self._crowd[bot % self._turns] -= 1
        for other in group:
            self.excess[bot - other] -= 1
            self.excess[other - bot] -= 1
