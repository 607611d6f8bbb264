"""searcher: plays sampled games on from here and takes the action that does best in them.

What the others hold, or how the cards lie, is unknown, so searcher draws full games that agree with all it knows
(`turn.sample()`) and tries its actions in each of them. mantis_search.py and tentagram_search.py say how.

The number of playouts is fixed, so that the same turn gets the same answer on every machine. The clock is only a guard:
a machine that is too slow, or a short time limit, ends the search early, and the judgement without search decides.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import mantis_search
import tentagram_search

from arena.bot import Bot, MantisTurn, TentagramTurn, mantis, tentagram


class SearcherBot(Bot):
    name = "searcher"
    version = "1.0"

    share_of_time = 0.4
    """The part of the time left that a turn may take."""
    seconds_at_most = 0.05
    """And never more than this, so that a match stays watchable."""

    def mantis(self, turn: MantisTurn) -> mantis.Action:
        return mantis_search.best_action(turn, self.guard(turn))

    def tentagram(self, turn: TentagramTurn) -> tentagram.Action:
        return tentagram_search.best_action(turn, self.guard(turn))

    def guard(self, turn: MantisTurn | TentagramTurn) -> Callable[[], bool]:
        """Tells whether there is still time to search."""
        ends = time.monotonic() + min(self.seconds_at_most, self.share_of_time * turn.clock.seconds_left)
        return lambda: time.monotonic() < ends


if __name__ == "__main__":
    SearcherBot().run()
