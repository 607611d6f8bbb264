"""The order in which blocks are played. Pure.

A message to a bot costs as much as many turns, so few bots should play many matches at the same time. Blocks are drawn
in *waves*. Within a wave, the bots are divided into groups, and the blocks between the same groups are played together.
Blocks are counted in the order of the schedule, so the order of play changes no result.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial

from arena.records import BlockRecord


def order_of_play(wave: Sequence[BlockRecord], bots: int, at_once: int) -> list[BlockRecord]:
    """Return the blocks of a wave in the order of play; `at_once`: how many matches are played at the same time."""
    seats = max((len(block.entrants) for block in wave), default=1)
    parts = max(1.0, seats * len(wave) / at_once)
    # n groups make about n ** seats / seats! different choices of one group for each seat.
    groups = min(bots, round((factorial(seats) * parts) ** (1 / seats)))

    def groups_in(block: BlockRecord) -> list[int]:
        return sorted([entrant * groups // bots for entrant in block.entrants])

    return sorted(wave, key=groups_in) if groups > 1 else list(wave)
