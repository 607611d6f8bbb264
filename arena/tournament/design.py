"""Balanced tables: who sits with whom so that every pair of bots meets equally often.

For a number of bots and seats this makes a *design*: a list of tables, called a cycle, in which every bot sits equally
often and every pair of bots meets equally often, with as few tables as are found. A cycle comes in sub-rounds, in each
of which all bots sit about equally often, so that a tournament that is stopped early is nearly balanced, too.

All designs are made in one way. The bots stand in a circle. A *base table* is turned: everybody at it is replaced by
the next in the circle, again and again until the same bots are back. So any two bots at the base table make all pairs
with their distance in the circle meet once, and the design is balanced when every distance occurs equally often in its
base tables. For some fields the last bot, the *pivot*, stands aside and stays at its tables through all turns, which
makes shorter cycles. A base table of bots at equal distances all around the circle comes back early.

Base tables are found by a local search, the same on every machine: it takes a bot from a table that has a distance too
many and puts there whoever brings the distances nearest to balance. That finds a balanced design for all fields up to
64 bots at tables of up to 6 seats, and for many larger ones. Where it does not, `balanced` is false, and some pairs
meet once more or once less often than the others.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations, count, islice, pairwise, permutations
from math import comb, gcd
from random import Random

from arena.games.base import shuffle
from arena.rating.arrays import NDArray, np

Table = tuple[int, ...]
Distances = NDArray[np.int64]

STEPS = 25_000
"""The longest that one kind of base tables is searched for."""
STEPS_OF_A_TABLE = 2_000
"""Where there are few base tables, there is no point in searching for longer than this for each."""
ALL_STEPS = 75_000
"""The longest that all searches for a design take together."""
LARGE = 200
"""From this size on steps get slow, and hardly a tournament completes a cycle: the search gives up sooner."""
SMALL = 20
"""In fields up to this size base tables are sought that seat everybody equally often at every turn."""
STEPS_TO_SEAT_EVENLY = 4_000
"""The longest that this is sought when there is a solution without it."""
AHEAD = 500
"""How many tables at least there are to choose from when they are put in order."""
LARGEST_ENUMERATED = 6
"""The largest table of which all seat orders are looked at."""
ORDERS_DRAWN = 60
"""How many are looked at of a larger one."""
FORBIDDEN = 1 << 40


@dataclass(frozen=True, slots=True)
class BaseTable:
    """A table that is turned around the circle; it comes back after so many turns."""

    bots: Table
    turns: int


@dataclass(frozen=True, slots=True)
class Design:
    """Tables for so many bots; see the top of this file."""

    bots: int
    seats: int
    fewest_meetings: int
    """How often the pair that meets least meets in a cycle."""
    most_meetings: int
    circle: int
    """How many stand in the circle: all bots, or all but the last one, which then is the pivot."""
    base: tuple[BaseTable, ...]

    @property
    def balanced(self) -> bool:
        return self.fewest_meetings == self.most_meetings

    @property
    def tables(self) -> int:
        """How many tables a cycle has."""
        return sum(table.turns for table in self.base)

    def sub_rounds(self, cycle: int = 0) -> Iterator[tuple[Table, ...]]:
        """The tables of a cycle, each with its bots in the order of the seats.

        The same bots meet in every cycle, but they change their neighbours: after (seats - 1)! cycles everybody has
        had everybody else at its left equally often at every table.
        """
        orders = seat_orders(self.seats)
        order = orders[cycle % len(orders)]
        for tables in self._with_pivot() if self.circle < self.bots else self._around():
            yield tuple(tuple(table[seat] for seat in order) for table in tables)

    def _around(self) -> Iterator[Sequence[Table]]:
        """Each base table turned all the way: it seats all bots equally often."""
        for table in self.base:
            turned = (self._turned(table.bots, turn) for turn in range(table.turns))
            yield tuple(evenly(turned, self.bots))

    def _with_pivot(self) -> Iterator[Sequence[Table]]:
        """The pivot sits only at some base tables, so all of them are turned together.

        A sub-round has as many tables as could seat all bots equally often.
        """
        step = min(table.turns for table in self.base)
        turned = (
            self._turned(table.bots, turn)
            for start in range(step)
            for table in self.base
            for turn in range(start, table.turns, step)
        )
        ordered = evenly(turned, max(AHEAD, 4 * self.bots))
        while tables := tuple(islice(ordered, self.bots // gcd(self.bots, self.seats))):
            yield tables

    def _turned(self, bots: Table, turn: int) -> Table:
        circle = self.circle
        return tuple((bot + turn) % circle if bot < circle else bot for bot in bots)


@lru_cache(maxsize=64)
def design(bots: int, seats: int) -> Design:
    """The design for so many bots at tables of so many seats. The same every time."""
    assert 2 <= seats <= bots
    if seats == bots:
        return _design(bots, seats, bots, 1, [BaseTable(tuple(range(bots)), 1)])
    if seats == 2:
        return _pairs(bots)
    steps_left = ALL_STEPS * LARGE // max(LARGE, bots)
    nearly: list[Design] = []
    for plan in _plans(bots, seats):
        if plan.base is not None:
            return _design(bots, seats, bots, plan.meetings, plan.base)
        if steps_left <= 0 and nearly:
            continue  # to the plans that need no search
        base, off, steps = _search(plan)
        steps_left -= steps
        if off == (0, 0):
            return _design(bots, seats, plan.circle, plan.meetings, base)
        if not plan.pivot:
            nearly.append(_design(bots, seats, bots, plan.meetings, base, off))
    return min(nearly, key=lambda found: (found.most_meetings - found.fewest_meetings, -found.most_meetings))


def _design(
    bots: int, seats: int, circle: int, meetings: int, base: Sequence[BaseTable], off: tuple[int, int] = (0, 0)
) -> Design:
    return Design(bots, seats, meetings + off[0], meetings + off[1], circle, _seated(base, circle))


def _pairs(bots: int) -> Design:
    """All pairs. With an even number of bots a sub-round seats everybody once."""
    if bots % 2:
        pairs = [BaseTable((0, distance), bots) for distance in range(1, bots // 2 + 1)]
        return _design(bots, 2, bots, 1, pairs)
    circle = bots - 1
    pairs = [BaseTable((circle, 0), circle)]
    pairs += [BaseTable((distance, circle - distance), circle) for distance in range(1, bots // 2)]
    return _design(bots, 2, circle, 1, pairs)


@dataclass(frozen=True, slots=True)
class _Plan:
    """A kind of base tables for which the numbers come out right."""

    meetings: int
    seats: int
    circle: int
    with_pivot: int = 0
    """How many base tables the pivot is at, besides the short one."""
    without: int = 0
    """How many base tables of bots from the circle there are, besides the short one."""
    short: int = 0
    """How often the base table is played that comes back early: bots at equal distances, with the pivot or without."""
    pivot: bool = False
    base: Sequence[BaseTable] | None = None
    """The base tables themselves where they need not be searched for."""

    @property
    def short_table(self) -> BaseTable:
        around = self.seats - self.pivot
        step = self.circle // around
        pivot = (self.circle,) if self.pivot else ()
        return BaseTable(pivot + tuple(range(0, self.circle, step)), step)


def _plans(bots: int, seats: int) -> Iterator[_Plan]:
    """What can be tried, the shortest cycles first.

    Each distance around the circle must occur `meetings` times, counted in both directions; a table of s bots has
    s(s-1) of them.
    """
    distances = seats * (seats - 1)
    for meetings in count(1):
        if meetings == comb(bots - 2, seats - 2):
            yield _Plan(meetings, seats, bots, base=_all_tables(bots, seats))
            return
        if 2 * meetings == distances and _least_factor(bots) >= seats:
            yield _Plan(meetings, seats, bots, base=_multiples(bots, seats))
            return
        if meetings > 2 * distances:
            return
        without, rest = divmod(meetings * (bots - 1), distances)
        # In a circle of even size a table with an odd number of bots has an even number of odd distances.
        impossible = seats % 2 == 1 and bots % 2 == 0 and meetings * bots % 8
        if rest == 0 and not impossible:
            yield _Plan(meetings, seats, bots, without=without)
        with_pivot, rest = divmod(meetings, seats - 1)
        if rest == 0 and with_pivot * bots % seats == 0:
            without = with_pivot * bots // seats - with_pivot
            yield _Plan(meetings, seats, bots - 1, with_pivot, without, pivot=True)
        for short in range(1, meetings + 1 if bots % seats == 0 else 1):
            without, rest = divmod(meetings * (bots - 1) - short * (seats - 1), distances)
            if rest == 0:
                yield _Plan(meetings, seats, bots, without=without, short=short)
                break
        without, rest = divmod(meetings * (bots - seats), distances)
        if rest == 0 and (bots - 1) % (seats - 1) == 0:
            yield _Plan(meetings, seats, bots - 1, without=without, short=meetings, pivot=True)


def _all_tables(bots: int, seats: int) -> list[BaseTable]:
    """Every possible table, of those that are turns of each other only one."""
    base = []
    for others in combinations(range(1, bots), seats - 1):
        table = (0, *others)
        turned = [tuple(sorted((bot - first) % bots for bot in table)) for first in table]
        if table == min(turned):
            base.append(BaseTable(table, table[turned.index(table, 1)] if table in turned[1:] else bots))
    return base


def _multiples(bots: int, seats: int) -> list[BaseTable]:
    """The table of neighbours 0, 1, 2, … and all its multiples.

    Where no number below `seats` divides that of the bots, the multiples of a distance are all distances, each twice.
    """
    return [BaseTable(tuple(factor * bot % bots for bot in range(seats)), bots) for factor in range(1, (bots + 1) // 2)]


def _least_factor(number: int) -> int:
    return next((factor for factor in range(2, number) if number % factor == 0), number)


# The search


def _search(plan: _Plan) -> tuple[list[BaseTable], tuple[int, int], int]:
    """Base tables for the plan; how far the meetings of a pair are below and above it, at most; the steps it took."""
    family = _Family(plan)
    steps = family.improve(min(STEPS * LARGE // max(LARGE, plan.circle), STEPS_OF_A_TABLE * len(family.tables)))
    tables = family.balanced or family.tables
    base = [plan.short_table] * plan.short
    base += [BaseTable((plan.circle, *table), plan.circle) for table in tables[: plan.with_pivot]]
    base += [BaseTable(tuple(table), plan.circle) for table in tables[plan.with_pivot :]]
    if family.balanced:
        return base, (0, 0), steps
    return base, (int(family.excess[1:].min()), int(family.excess[1:].max())), steps


class _Family:
    """Tables on a circle that a local search brings to have every distance as often as is wanted.

    In a small field with a pivot the tables should also seat every bot of the circle equally often before they are
    turned, because all of them together then make a perfect sub-round. That is sought, too, but it is not needed.
    """

    def __init__(self, plan: _Plan) -> None:
        circle = self.circle = plan.circle
        sizes = [plan.seats - 1] * plan.with_pivot + [plan.seats] * plan.without
        self._rng = Random(f"design {circle} {sizes} {plan.short}")
        self.tables: list[list[int]] = []
        self.balanced: list[list[int]] = []
        """The tables as they were when the distances were balanced and, of those, the bots were seated most evenly."""
        self.excess: Distances = np.full(circle, -plan.meetings, dtype=np.int64)
        """For each distance how often it occurs too often, counted in both directions."""
        turns = plan.short_table.turns if plan.short else circle
        self.excess[::turns] += plan.short
        self.excess[0] = 0
        self._turns = turns
        self._crowd: Distances = np.zeros(turns, dtype=np.int64)
        """How many too many sit at each place of the circle; places that a sub-round takes together are one."""
        self._crowd -= (sum(sizes) + plan.short) // turns
        self._crowd[0] += plan.short
        self._seat_evenly = plan.pivot and circle < SMALL
        self._costs: Distances = np.zeros(2 * circle, dtype=np.int64)
        for size in sizes:
            table: list[int] = []
            self.tables.append(table)
            while len(table) < size:
                start = self._below(circle)
                self._sit(table, (start + int(self._costs_of_sitting(table, start).argmin())) % circle)

    def improve(self, steps: int) -> int:
        """Searches until all is balanced or the steps are used up; how many were used.

        One time in ten the change is made anywhere, to get out of dead ends.
        """
        least = len(self.tables) * self.circle
        last_step = steps
        for step in range(steps):
            if not self.excess.any():
                uneven = int(np.abs(self._crowd).sum()) if self._seat_evenly else 0
                if not self.balanced:
                    last_step = step + STEPS_TO_SEAT_EVENLY
                if uneven < least:
                    self.balanced, least = [table.copy() for table in self.tables], uneven
                if uneven == 0:
                    return step
            if step == last_step:
                return step
            table, bot = self._somebody() if self._below(10) == 0 else self._somebody_too_many()
            self._leave(table, bot)
            start = self._below(self.circle)
            costs = self._costs_of_sitting(table, start)
            before = (bot - start) % self.circle
            cost_before = costs[before]
            costs[before] = FORBIDDEN
            best = int(costs.argmin())
            self._sit(table, (start + best) % self.circle if costs[best] <= cost_before else bot)
        return steps

    def _below(self, limit: int) -> int:
        return int(self._rng.random() * limit)  # of all that Random draws, only this is promised never to change

    def _costs_of_sitting(self, table: Sequence[int], start: int) -> Distances:
        """How much farther from balance all gets with another bot at the table, for start, start + 1, …"""
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
        for bot in table:
            first = (start - bot) % circle
            costs += self._costs[first : first + circle]
        return costs

    def _somebody(self) -> tuple[list[int], int]:
        table = self.tables[self._below(len(self.tables))]
        return table, table[self._below(len(table))]

    def _somebody_too_many(self) -> tuple[list[int], int]:
        """A bot at a distance from another at its table that occurs too often, or at a place where too many sit."""
        too_often = np.flatnonzero(self.excess > 0)
        crowded = np.flatnonzero(self._crowd > 0) if self._seat_evenly else too_often[:0]
        first = self._below(len(self.tables))
        tables = chain(self.tables[first:], self.tables[:first])
        if len(crowded) and (not len(too_often) or self._below(2) == 0):
            place = crowded[self._below(len(crowded))]
            found = ((table, bot) for table in tables for bot in table if bot % self._turns == place)
        elif len(too_often):
            distance = int(too_often[self._below(len(too_often))])
            found = ((table, bot) for table in tables for bot in table if (bot + distance) % self.circle in table)
        else:
            return self._somebody()
        return next(found, None) or self._somebody()  # it may be only at the table that comes back early

    def _sit(self, table: list[int], bot: int) -> None:
        self._crowd[bot % self._turns] += 1
        for other in table:
            self.excess[bot - other] += 1  # a negative index counts from the end, which is the distance around
            self.excess[other - bot] += 1
        table.append(bot)

    def _leave(self, table: list[int], bot: int) -> None:
        table.remove(bot)
        self._crowd[bot % self._turns] -= 1
        for other in table:
            self.excess[bot - other] -= 1
            self.excess[other - bot] -= 1


# The order of the tables, and of the seats at a table


def evenly(tables: Iterable[Table], ahead: int) -> Iterator[Table]:
    """The tables in an order in which at any time all bots have sat about equally often.

    The next one is always chosen from so many, by those there who have sat most.
    """
    source = enumerate(tables)
    sat: Counter[int] = Counter()
    queue = [(0, 0, number, table) for number, table in islice(source, ahead)]
    while queue:
        most, in_all, number, table = heapq.heappop(queue)
        often = [sat[bot] for bot in table]
        if (most, in_all) != (max(often), sum(often)):  # somebody there has sat elsewhere meanwhile
            heapq.heappush(queue, (max(often), sum(often), number, table))
            continue
        sat.update(table)
        yield table
        for number, table in islice(source, 1):
            often = [sat[bot] for bot in table]
            heapq.heappush(queue, (max(often), sum(often), number, table))


def _seated(base: Sequence[BaseTable], circle: int) -> tuple[BaseTable, ...]:
    """The base tables with their bots in an order in which nobody has the same neighbour at its left too often."""
    at_left = [0] * circle
    tables = []
    for table in base:
        best = min(
            _orders(table.bots),
            key=lambda order: sum(at_left[distance] for distance in _to_the_left(order, circle)),
        )
        for distance in _to_the_left(best, circle):
            at_left[distance] += 1
        tables.append(BaseTable(best, table.turns))
    return tuple(tables)


def _to_the_left(order: Table, circle: int) -> list[int]:
    """From each bot the distance to its left neighbour; the pivot, which stays, has each neighbour once anyway."""
    around = pairwise((*order, order[0]))
    return [(left - bot) % circle for bot, left in around if bot < circle and left < circle]


@lru_cache(maxsize=8)
def seat_orders(seats: int) -> tuple[Table, ...]:
    """Orders around a table, first those that together mix the neighbours best: all of them, or some of very many."""
    orders = _orders(range(seats))
    times: Counter[tuple[int, int]] = Counter()
    mixed = []
    while orders:
        best = min(orders, key=lambda order: sum(times[pair] for pair in pairwise((*order, 0))))
        orders.remove(best)
        mixed.append(best)
        times.update(pairwise((*best, 0)))
    return tuple(mixed)


def _orders(bots: Sequence[int]) -> list[Table]:
    """All orders of the bots around a table, the first of them staying; at large tables some that are drawn by lot."""
    first, *others = bots
    if len(bots) <= LARGEST_ENUMERATED:
        return [(first, *order) for order in permutations(others)]
    drawn = [(first, *shuffle(others, f"seats {number}")) for number in range(ORDERS_DRAWN)]
    return list(dict.fromkeys(drawn))
