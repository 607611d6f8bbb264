"""Stop rules: when a bracket ends before its format does. Pure, apart from the clock of `TimeLimit`.

A rule is checked before each block is scheduled, and receives the outcome of each counted block in schedule order. So
where a bracket stops depends on the seed and the results alone, except where the clock decides.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from enum import Enum
from itertools import pairwise
from math import ceil

from arena.rating.sprt import Hypotheses, Sprt, SprtDecision

FIRST_CHECK = 20
"""The number of blocks after which separation is checked for the first time."""
STANDARD_ERRORS = 2.95
"""Two bots are separated where they differ by this many. The chance that two equal bots are ever separated is 4 % in
29 checks, up to 10,000 blocks; with the usual 1.96 it would be a third."""


class StopVerdict(Enum):
    """What a stop rule says before a block is scheduled."""

    CONTINUE = "schedule the block"
    WAIT = "schedule nothing until all scheduled blocks are counted"
    STOP = "schedule no more blocks; count those that are scheduled"


class StopRule:
    """One reason to stop."""

    def check(self, blocks: int, counted: int, matches: int) -> StopVerdict:
        """Say whether another block may be scheduled.

        `blocks`, `counted`: those scheduled so far, and how many of them are counted; `matches`: those of the scheduled
        blocks and of the next one.
        """
        del blocks, counted, matches
        return StopVerdict.CONTINUE

    def count(self, entrants: Sequence[int], pairs: bytes) -> bool:
        """Take the outcome of the next counted block, in the form of `arena.rating.standings.pair_points`.

        Return whether the bracket ends at once: blocks that are not counted yet never will be.
        """
        del entrants, pairs
        return False


class MatchLimit(StopRule):
    """Stop before the number of matches would exceed a limit. The first block is always played."""

    def __init__(self, matches: int) -> None:
        self.matches = matches

    def check(self, blocks: int, counted: int, matches: int) -> StopVerdict:
        del counted
        return StopVerdict.STOP if blocks and matches > self.matches else StopVerdict.CONTINUE


class TimeLimit(StopRule):
    """Stop when a time has passed since the rule was made."""

    def __init__(self, seconds: float) -> None:
        self.deadline = time.monotonic() + seconds

    def check(self, blocks: int, counted: int, matches: int) -> StopVerdict:
        del blocks, counted, matches
        return StopVerdict.STOP if time.monotonic() > self.deadline else StopVerdict.CONTINUE


class UntilSeparated(StopRule):
    """Stop when each bot is separated from the next one in the ranking at 95 %, over all checks together.

    This is checked at fixed points of the schedule with every scheduled block counted, so it does not depend on the
    number of workers. The points become rarer, because a check takes longer with more blocks.
    """

    def __init__(self) -> None:
        from arena.rating.bradley_terry import PairCollector  # loads NumPy

        self._outcomes = PairCollector()
        self._next_check = FIRST_CHECK

    def count(self, entrants: Sequence[int], pairs: bytes) -> bool:
        self._outcomes.add(entrants, pairs)
        return False

    def check(self, blocks: int, counted: int, matches: int) -> StopVerdict:
        del matches
        if blocks < self._next_check:
            return StopVerdict.CONTINUE
        if counted < blocks:
            return StopVerdict.WAIT
        self._next_check = ceil(self._next_check * 1.25)
        return StopVerdict.STOP if self._all_separated() else StopVerdict.CONTINUE

    def _all_separated(self) -> bool:
        fit = self._outcomes.fit()
        ranking = sorted(range(len(self._outcomes.places)), key=lambda bot: -fit.strength[bot])
        return all((fit.standard_errors(*pair) or 0) >= STANDARD_ERRORS for pair in pairwise(ranking))


class SequentialTest(StopRule):
    """Stop as soon as a sequential test has decided whether entrant 1 is stronger than entrant 0."""

    def __init__(self, hypotheses: Hypotheses) -> None:
        self.test = Sprt(hypotheses)

    def count(self, entrants: Sequence[int], pairs: bytes) -> bool:
        count = len(entrants)
        new, old = ([place for place in range(count) if entrants[place] == number] for number in (1, 0))
        won, lost = (
            sum(pairs[one * count + other] for one in ours for other in theirs)
            for ours, theirs in ((new, old), (old, new))
        )
        self.test = self.test.add(won / (won + lost))
        return self.test.decision is not SprtDecision.OPEN
