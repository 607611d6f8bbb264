"""Swiss: in every round bots with similar points meet, if possible for the first time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil, log2
from typing import ClassVar

from arena.games.base import shuffle
from arena.tournament.formats.base import Field, Format, Pairing, PairingResult, Round, Skill

BYE = 0.5
"""The points of a round without a seat."""
WINDOW = 16
"""The number of next bots in the standings among which one is sought that has not met those in a pairing."""
TAIL = 24
"""The number of last bots that are placed by exhaustive search, because there is no choice left for them."""
TRIES = 4000
"""The limit of steps of that search."""
EXCHANGES = 200
"""The limit of exchanges to avoid repeated meetings."""
REACH = 20
"""The largest distance of pairings between which bots are exchanged."""


class Swiss(Format):
    """A fixed number of rounds; in each, bots with similar points meet. Ranks a large field in few rounds.

    The standings order the bots by points, then by the mean points of their opponents (Buchholz), then by lot. From the
    top down, pairings are filled with the next bots that have met each other least often. A bot gets 0 to 1 point: the
    share of opponents that it was placed before.

    If the bots do not fill all pairings, some have one seat less. If the game needs more seats than that, bots sit out:
    those that did so least often and, of them, the lowest in the standings. A round without a seat gives half a point.
    """

    name: ClassVar[str] = "swiss"
    summary: ClassVar[str] = "A few rounds in which bots with similar points meet."

    def __init__(self, field: Field, rounds: int | None = None, deals: int | None = None) -> None:
        """`rounds`: None: two more than are needed to find the winner; `deals`: of a pairing, None: four."""
        super().__init__(field)
        self.rounds = rounds or ceil(log2(field.size)) + 2
        self.deals = deals or 4
        self._sizes = pairing_sizes(field)
        self._lots = shuffle(range(field.size), f"{field.seed} swiss")
        self._drawn = 0
        self._points = [0.0] * field.size
        self._byes = [0] * field.size
        self._sitting_out: list[int] = []
        self._met = [Counter[int]() for _ in range(field.size)]

    def next_round(self, skill: Skill) -> Round | None:
        del skill
        if self._drawn == self.rounds:
            return None
        order = self.ranking()
        place = {entrant: number for number, entrant in enumerate(order)}
        lowest_first = sorted(order, key=lambda entrant: (self._byes[entrant], -place[entrant]))
        self._sitting_out = lowest_first[: len(order) - sum(self._sizes)]
        playing = [entrant for entrant in order if entrant not in self._sitting_out]
        first_deal = self._drawn * self.deals
        deals = tuple(range(first_deal, first_deal + self.deals))
        self._drawn += 1
        lot = f"{self.field.seed} swiss round {self._drawn}"
        groups = make_groups(playing, self._sizes, self._met)
        pairings = (Pairing(shuffle(each, f"{lot} table {number}"), deals) for number, each in enumerate(groups))
        return Round(tuple(pairings), f"round {self._drawn}")

    def record(self, results: Sequence[PairingResult]) -> None:
        for entrant in self._sitting_out:
            self._byes[entrant] += 1
            self._points[entrant] += BYE
        for result in results:
            entrants = result.pairing.entrants
            for entrant, points in zip(entrants, result.points, strict=True):
                self._points[entrant] += points
                self._met[entrant].update(other for other in entrants if other != entrant)

    def points(self, entrant: int) -> float:
        return round(self._points[entrant], 9)  # sums of thirds that should be equal are not

    def ranking(self) -> list[int]:
        """Return all entrants, the best first."""
        return sorted(
            range(self.field.size),
            key=lambda entrant: (-self.points(entrant), -self._buchholz(entrant), self._lots[entrant]),
        )

    @property
    def pairing_count(self) -> int:
        return self.rounds * len(self._sizes)

    @property
    def match_count(self) -> int:
        return self.rounds * self.deals * sum(self._sizes)

    def _buchholz(self, entrant: int) -> float:
        """Return the mean points of its opponents, which decides between bots with the same points."""
        opponents = self._met[entrant]
        points = sum(self._points[other] * times for other, times in opponents.items())
        return round(points / max(1, opponents.total()), 9)


def pairing_sizes(field: Field) -> list[int]:
    """Return the sizes of the pairings of a round, largest first: as many bots as possible, about equally many each."""
    pairings = ceil(field.size / field.seats)
    seated = field.size
    if pairings * field.fewest > field.size:  # some bots have to sit out
        pairings = field.size // field.seats
        seated = pairings * field.seats
    return [seated // pairings + (number < seated % pairings) for number in range(pairings)]


Met = Sequence[Counter[int]]
"""For each entrant how often it has met the others."""
Groups = list[list[int]]


def make_groups(order: Sequence[int], sizes: Sequence[int], met: Met) -> Groups:
    """Return groups of bots that are close to each other in the order and have met least often.

    From the top down each place is taken by the one of the next few that has met the others least often. That leaves no
    choice at the end, so the tail is placed by exhaustive search. If some still meet again, they are exchanged.
    """
    left = list(order)
    groups: Groups = []
    while len(left) > TAIL:
        groups.append(_next_group(left, sizes[len(groups)], met))
    if left:
        groups += _TailSearch(sizes[len(groups) :], met).search(left)
    return _exchange(groups, met)


def _next_group(left: list[int], size: int, met: Met) -> list[int]:
    """Take the bots of the next group from those that are left."""
    group = [left.pop(0)]
    while len(group) < size:
        near = range(min(WINDOW, len(left)))
        group.append(left.pop(min(near, key=lambda place: (_cost(left[place], group, met), place))))
    return group


def _cost(entrant: int, group: Sequence[int], met: Met) -> int:
    """Return the cost of adding an entrant to a group: a third meeting is worse than a second."""
    times = met[entrant].get  # much faster than the default of a Counter
    return sum([times(other, 0) ** 2 for other in group])


def _total_cost(groups: Groups, met: Met) -> int:
    return sum(_cost(entrant, group[:place], met) for group in groups for place, entrant in enumerate(group))


class _TailSearch:
    """Places the last bots of a round by exhaustive search, closest first, up to a limit of steps."""

    def __init__(self, sizes: Sequence[int], met: Met) -> None:
        self._sizes = sizes
        self._met = met
        self._tries = 0
        self._allowed = 0
        """The highest cost of a solution that is sought."""
        self._best: Groups = []

    def search(self, entrants: Sequence[int]) -> Groups:
        left = list(entrants)
        greedy = [_next_group(left, size, self._met) for size in self._sizes]
        worst = _total_cost(greedy, self._met)
        limit = 0
        while True:  # allow no repeated meetings, then more and more
            self._allowed, self._tries = limit, TRIES
            self._fill([], [entrants[0]], list(entrants[1:]), 0, 0)
            if self._best or limit == worst:
                return self._best or greedy
            limit = min(2 * limit + 1, worst)

    def _fill(self, done: Groups, group: list[int], left: list[int], first: int, cost: int) -> None:
        """Fill the group from those left, from the given place on, and then the other groups.

        A solution lowers what is allowed, so that only better ones are sought from then on.
        """
        if len(group) == self._sizes[len(done)]:
            done = [*done, group]
            if not left:
                self._best = done
                self._allowed = cost - 1
                return
            group, left, first = left[:1], left[1:], 0
        for place in range(first, len(left)):
            now = cost + _cost(left[place], group, self._met)
            if now <= self._allowed:
                self._tries -= 1
                if self._tries < 0:
                    return
                self._fill(done, [*group, left[place]], left[:place] + left[place + 1 :], place, now)


def _exchange(groups: Groups, met: Met) -> Groups:
    """Exchange bots that meet again, and return the best result (a tabu search).

    A moved bot stays for a while, so that exchanges for the worse are not undone at once.
    """
    now = least = _total_cost(groups, met)
    best, groups = groups, [list(group) for group in groups]
    while_moved = sum(map(len, groups)) // 8
    free_from: dict[int, int] = {}
    for step in range(EXCHANGES):
        if least == 0:
            break
        costs = {
            (number, place): _cost(entrant, group, met)
            for number, group in enumerate(groups)
            for place, entrant in enumerate(group)
            if free_from.get(entrant, 0) <= step
        }
        number, place = max(costs, key=lambda seat: (costs[seat], seat))
        found = _best_exchange(groups, number, place, costs, met)
        if found is None:
            break
        change, _, other_number, other_place = found
        here, there = groups[number], groups[other_number]
        here[place], there[other_place] = there[other_place], here[place]
        free_from[here[place]] = free_from[there[other_place]] = step + while_moved
        now += change
        if now < least:
            best, least = [list(group) for group in groups], now
    return best


def _best_exchange(
    groups: Groups, number: int, place: int, costs: Mapping[tuple[int, int], int], met: Met
) -> tuple[int, int, int, int] | None:
    """Return the change of the cost by the best exchange, the distance of the other group, its number and its place."""
    here = groups[number]
    entrant = here[place]
    times = met[entrant].get
    options = (
        (
            _cost(groups[there][seat], here, met)
            + _cost(entrant, groups[there], met)
            - 2 * times(groups[there][seat], 0) ** 2  # the two themselves do not meet
            - cost
            - costs[number, place],
            abs(there - number),
            there,
            seat,
        )
        for (there, seat), cost in costs.items()
        if 0 < abs(there - number) <= REACH
    )
    return min(options, default=None)
