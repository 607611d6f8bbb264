"""Which connected bots meet next: the bot with the least certain rating first, with opponents of similar strength."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from random import Random

from arena.games.brackets import Bracket
from arena.rating.trueskill import Rating, quality
from arena.server.remote_bot import RemoteBot

REMEMBERED_MATCHES = 8
"""Matches for which a bot's opponents are remembered."""
MAX_CANDIDATES = 32
"""Opponents that are compared, drawn at random: the time for a pairing must not grow with the number of bots."""


class Matchmaker:
    """Chooses pairings in one bracket and remembers recent opponents. Bots are identified by their version."""

    def __init__(self, bracket: Bracket, rating: Callable[[int], Rating], rng: Random | None = None) -> None:
        self.bracket = bracket
        self.rating = rating
        self.rng = rng or Random()
        self.seats = 0
        """In a match."""
        self.free: list[int] = []
        """Bots that may start another match."""
        self._recent: dict[int, deque[int]] = {}

    def open(self, bots: Mapping[int, RemoteBot], may_start: Callable[[RemoteBot], bool]) -> bool:
        """Find the free bots. Return whether enough bots are connected for a match."""
        game = self.bracket.game
        playing = [(version, bot) for version, bot in bots.items() if game in bot.games and bot.is_connected]
        self.seats = min(len(playing), self.bracket.usual_seats)
        self.free = [version for version, bot in playing if may_start(bot)]
        return self.seats >= self.bracket.fewest

    def next_pairing(
        self, bots: Mapping[int, RemoteBot], may_start: Callable[[RemoteBot], bool]
    ) -> list[RemoteBot] | None:
        """Return the bots of the next match, in seat order, or None if too few are free."""
        while (versions := self.pairing(self.free, self.seats)) is not None:
            pairing = [bot for version in versions if (bot := bots.get(version)) and may_start(bot)]
            if len(pairing) == self.seats:
                return pairing
            # A bot has left, or has started a match in another bracket.
            self.free = [version for version in self.free if (bot := bots.get(version)) and may_start(bot)]
        return None

    def pairing(self, free: Sequence[int], seats: int) -> list[int] | None:
        """Return some of the free bots in seat order, or None if there are too few."""
        if len(free) < seats:
            return None
        drawn = self.rng.sample(list(free), min(len(free), max(seats, MAX_CANDIDATES)))
        chosen = [max([*drawn, *free], key=lambda bot: self.rating(bot).sigma)]  # of equal ones the first one drawn
        ratings = {bot: (self.rating(bot).mu, self.rating(bot).sigma) for bot in (*chosen, *drawn)}
        while len(chosen) < seats:
            others = [bot for bot in drawn if bot not in chosen]
            chosen.append(max(others, key=lambda bot: self._appeal(bot, chosen, ratings)))
        for bot in chosen:
            recent = self._recent.setdefault(bot, deque(maxlen=REMEMBERED_MATCHES * (seats - 1)))
            recent.extend(other for other in chosen if other != bot)
        return self.rng.sample(chosen, seats)

    def _appeal(self, bot: int, chosen: Sequence[int], ratings: dict[int, tuple[float, float]]) -> float:
        """Return how much is learnt from a match of this bot with the chosen ones."""
        appeal = 1.0
        for other in chosen:
            met = self._recent[other].count(bot) if other in self._recent else 0
            appeal *= quality(ratings[bot], ratings[other]) / (1 + met)
        return appeal
