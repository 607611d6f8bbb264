"""Who meets whom in a ladder in which bots come and go: the least known one chooses first, and likes open matches."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from random import Random

from arena.rating.trueskill import Rating
from arena.tournament.formats.ladder import quality

MEMORY = 8
"""So many tables back opponents are remembered."""
CANDIDATES = 32
"""So many, drawn by lot, are looked at for the other seats: a table must not take longer because many are there."""


class Matchmaker:
    """Fills tables, and remembers who met whom just before."""

    def __init__(self, rating: Callable[[int], Rating], rng: Random | None = None) -> None:
        self.rating = rating
        self.rng = rng or Random()
        self._recent: dict[int, deque[int]] = {}

    def table(self, free: Sequence[int], seats: int) -> list[int] | None:
        """So many of those who are free, in seat order; None where they are too few."""
        if len(free) < seats:
            return None
        by_lot = self.rng.sample(list(free), min(len(free), max(seats, CANDIDATES)))
        chosen = [max([*by_lot, *free], key=lambda bot: self.rating(bot).sigma)]  # of equal ones the first by lot
        ratings = {bot: (self.rating(bot).mu, self.rating(bot).sigma) for bot in (*chosen, *by_lot)}
        while len(chosen) < seats:
            others = [bot for bot in by_lot if bot not in chosen]
            chosen.append(max(others, key=lambda bot: self._appeal(bot, chosen, ratings)))
        for bot in chosen:
            recent = self._recent.setdefault(bot, deque(maxlen=MEMORY * (seats - 1)))
            recent.extend(other for other in chosen if other != bot)
        return self.rng.sample(chosen, seats)

    def _appeal(self, bot: int, chosen: Sequence[int], ratings: dict[int, tuple[float, float]]) -> float:
        """How much is learnt from having the bot at the table, too."""
        appeal = 1.0
        for other in chosen:
            again = self._recent[other].count(bot) if other in self._recent else 0
            appeal *= quality(ratings[bot], ratings[other]) / (1 + again)
        return appeal

    def forget(self, bot: int) -> None:
        """The bot has gone."""
        self._recent.pop(bot, None)
