"""The course of one bracket: which blocks are played, and in which order they are counted. No I/O.

Blocks are numbered in the order in which the format schedules them. Results may come in any order; a block is counted
when all before it are. So the standings depend on nothing but the results.

A resumed tournament runs the same course: results in the store are taken instead of being played again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from dataclasses import field as default

from arena.rating.standings import Standings, pair_points
from arena.records import BlockRecord, SeatRecord, rotations_of
from arena.tournament.formats.base import Format, Pairing, PairingResult
from arena.tournament.stopping import StopRule, StopVerdict

Counted = tuple[BlockRecord, list[tuple[str, tuple[SeatRecord, ...]]], bytes]
"""A counted block, the name and the seats of each rotation, and the points of its pairs."""


@dataclass(slots=True)
class OpenPairing:
    """A pairing of the current round, with the points of its counted blocks."""

    pairing: Pairing
    half_points: list[int] = default(default_factory=list)
    blocks_counted: int = 0

    def add(self, pairs: bytes) -> None:
        count = len(self.pairing.entrants)
        rows = [sum(pairs[place : place + count]) for place in range(0, len(pairs), count)]
        self.half_points = [old + new for old, new in zip(self.half_points or [0] * count, rows, strict=True)]
        self.blocks_counted += 1

    @property
    def result(self) -> PairingResult:
        count = len(self.pairing.entrants)
        most = 2 * count * (count - 1) * self.blocks_counted
        return PairingResult(self.pairing, tuple(points / most for points in self.half_points))

    @property
    def points(self) -> dict[int, float]:
        """The points of each entrant so far; empty: nothing is counted."""
        return dict(zip(self.pairing.entrants, self.result.points, strict=False))


class Course:
    """One bracket of a tournament."""

    def __init__(
        self,
        drawn_by: Format,
        field: Sequence[int],
        versions: Sequence[int],
        standings: Standings | None,
        stop_rules: Sequence[StopRule] = (),
        *,
        own_deals: bool = True,
        winners_only: bool = False,
    ) -> None:
        """`own_deals`: whether each block has a deal of its own. `winners_only`: whether only wins count."""
        self.format = drawn_by
        self.field = field
        """The tournament's entrants in this bracket; their positions are the format's numbers."""
        self.versions = versions
        """The bot versions of the tournament's entrants."""
        self.standings = standings
        """None: the results are not rated."""
        self.stop_rules = stop_rules
        self.own_deals = own_deals
        self.winners_only = winners_only
        self.counted = 0
        """The number of counted blocks."""
        self.matches_counted = 0
        self.drawn = 0
        """The number of scheduled blocks."""
        self.matches_drawn = 0
        self.stopped = False
        """Whether no more blocks are scheduled."""
        self._decided = False
        self._due: deque[tuple[str, OpenPairing, int]] = deque()
        self._round: list[OpenPairing] = []
        self._open: dict[int, tuple[BlockRecord, OpenPairing]] = {}
        self._results: dict[int, dict[int, tuple[str, tuple[SeatRecord, ...]]]] = {}

    @property
    def over(self) -> bool:
        """Whether everything is counted."""
        return self._decided or (self.stopped and self.counted == self.drawn)

    def next_block(self) -> BlockRecord | None:
        """Return the next block to play; None: there is none, or it depends on open results."""
        if self.stopped or not self._has_due():
            return None
        title, pairing, deal = self._due[0]
        entrants = pairing.pairing.entrants
        if self.stop_rules and not self._may_schedule(len(rotations_of(entrants))):
            return None
        self._due.popleft()
        if self.own_deals:
            deal = self.drawn
        block = BlockRecord(self.drawn, title, deal, tuple(self.field[number] for number in entrants))
        self._open[block.number] = block, pairing
        self.drawn += 1
        self.matches_drawn += len(rotations_of(entrants))
        return block

    def _has_due(self) -> bool:
        """Return whether there is a next block; draw the next round if that is possible."""
        while not self._due:
            if self.format.waits and self.counted < self.drawn:
                return False
            if self.format.waits and self._round:
                self.format.record([pairing.result for pairing in self._round])
                self._round = []
            drawn = self.format.next_round(self._skill)
            if drawn is None:
                self.stopped = True
                return False
            pairings = [OpenPairing(pairing) for pairing in drawn.pairings]
            if self.format.waits:
                self._round = pairings
            self._due.extend((drawn.title, pairing, deal) for pairing in pairings for deal in pairing.pairing.deals)
        return True

    def _skill(self, entrant: int) -> tuple[float, float]:
        assert self.standings is not None, "only rated formats ask for ratings"
        rating = self.standings.rating(self.versions[self.field[entrant]])
        return rating.mu, rating.sigma

    def _may_schedule(self, matches: int) -> bool:
        """Return whether the stop rules allow another block, which has this number of matches."""
        verdicts = [rule.check(self.drawn, self.counted, self.matches_drawn + matches) for rule in self.stop_rules]
        self.stopped = StopVerdict.STOP in verdicts
        return not self.stopped and StopVerdict.WAIT not in verdicts

    def take(self, block: int, rotation: int, name: str, seats: tuple[SeatRecord, ...]) -> None:
        """Take the result of a match. Its block need not be scheduled yet, if it was played before a resume."""
        self._results.setdefault(block, {})[rotation] = name, seats

    def missing(self, block: BlockRecord) -> list[int]:
        """Return the rotations of a block without a result."""
        results = self._results.get(block.number, {})
        return [rotation for rotation in rotations_of(block.entrants) if rotation not in results]

    def count(self) -> Iterator[Counted]:
        """Count complete blocks, in order."""
        while not self._decided and self.counted < self.drawn:
            block, _ = self._open[self.counted]
            results = self._results.get(self.counted, {})
            rotations = rotations_of(block.entrants)
            if len(results) < len(rotations):
                return
            matches = [results[rotation] for rotation in rotations]
            seated = [_by_entrant(seats, rotation) for rotation, (_, seats) in enumerate(matches)]
            if self.winners_only:
                pairs = pair_points([[1 if each.won else 2 for each in seats] for seats in seated], winners_only=True)
            else:
                pairs = pair_points([[each.placement for each in seats] for seats in seated])
            if self.standings is not None:
                for name, seats in matches:
                    self.standings.fold(seats, name)
            del self._results[self.counted]
            self._count_outcome(pairs)
            yield block, matches, pairs

    def _count_outcome(self, pairs: bytes) -> None:
        block, pairing = self._open.pop(self.counted)
        pairing.add(pairs)
        for rule in self.stop_rules:
            if rule.count(block.entrants, pairs):
                self.stopped = self._decided = True
        self.counted += 1
        self.matches_counted += len(rotations_of(block.entrants))


def _by_entrant(seats: Sequence[SeatRecord], rotation: int) -> list[SeatRecord]:
    """Return the seats of a match in the order of the block's entrants."""
    return [seats[place - rotation] for place in range(len(seats))]


class Retrace(Course):
    """A bracket that is rebuilt from the stored outcomes of its blocks, while another process may play it.

    For formats that wait for the results of a round and do not use ratings, such as a knockout.
    """

    def __init__(self, drawn_by: Format) -> None:
        super().__init__(drawn_by, range(drawn_by.field.size), (), None)
        self._draw_round()

    @property
    def under_way(self) -> Sequence[OpenPairing]:
        """The pairings of the current round."""
        return self._round

    def take_outcome(self, pairs: bytes) -> None:
        """Take the outcome of the next block. Surplus ones are ignored."""
        if self._open:
            self._count_outcome(pairs)
            self._draw_round()

    def _draw_round(self) -> None:
        while self.next_block():
            pass
