"""The order of groups in a round, and of bots in a group."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise, permutations

from arena.games.base import shuffle

Group = tuple[int, ...]
"""Bots that meet, by number."""

LARGEST_ENUMERATED = 6
"""Up to this size all seat orders of a group are compared."""
ORDERS_DRAWN = 60
"""The number of seat orders that are compared in a larger group."""


@dataclass(frozen=True, slots=True)
class BaseGroup:
    """A group that is turned around the circle (see `arena.tournament.design`)."""

    bots: Group
    turns: int
    """The number of turns after which the same bots return."""


def evenly(groups: Iterable[Group], ahead: int) -> Iterator[Group]:
    """Return the groups in an order in which at any time all bots have occurred about equally often.

    Of the next `ahead` groups the one is chosen whose bots have occurred least.
    """
    source = enumerate(groups)
    sat: Counter[int] = Counter()
    queue = [(0, 0, number, group) for number, group in islice(source, ahead)]
    while queue:
        most, in_all, number, group = heapq.heappop(queue)
        often = [sat[bot] for bot in group]
        if (most, in_all) != (max(often), sum(often)):  # a bot of it has been in another group since
            heapq.heappush(queue, (max(often), sum(often), number, group))
            continue
        sat.update(group)
        yield group
        for number, group in islice(source, 1):
            often = [sat[bot] for bot in group]
            heapq.heappush(queue, (max(often), sum(often), number, group))


def order_seats(base: Sequence[BaseGroup], circle: int) -> tuple[BaseGroup, ...]:
    """Return the base groups with their bots in an order in which left neighbours vary as much as possible."""
    at_left = [0] * circle
    groups = []
    for group in base:
        best = min(
            _orders(group.bots),
            key=lambda order: sum(at_left[distance] for distance in _to_the_left(order, circle)),
        )
        for distance in _to_the_left(best, circle):
            at_left[distance] += 1
        groups.append(BaseGroup(best, group.turns))
    return tuple(groups)


def _to_the_left(order: Group, circle: int) -> list[int]:
    """Return the distance of each bot to its left neighbour, except the pivot, which has each neighbour once anyway."""
    around = pairwise((*order, order[0]))
    return [(left - bot) % circle for bot, left in around if bot < circle and left < circle]


@lru_cache(maxsize=8)
def seat_orders(seats: int) -> tuple[Group, ...]:
    """Return seat orders of a group, first those that together vary the neighbours most: all, or some of very many."""
    orders = _orders(range(seats))
    times: Counter[tuple[int, int]] = Counter()
    mixed = []
    while orders:
        best = min(orders, key=lambda order: sum(times[pair] for pair in pairwise((*order, 0))))
        orders.remove(best)
        mixed.append(best)
        times.update(pairwise((*best, 0)))
    return tuple(mixed)


def _orders(bots: Sequence[int]) -> list[Group]:
    """Return all orders of the bots that keep the first one; in large groups some that are drawn by lot."""
    first, *others = bots
    if len(bots) <= LARGEST_ENUMERATED:
        return [(first, *order) for order in permutations(others)]
    drawn = [(first, *shuffle(others, f"seats {number}")) for number in range(ORDERS_DRAWN)]
    return list(dict.fromkeys(drawn))
