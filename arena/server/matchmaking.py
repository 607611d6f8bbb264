"""Which connected bots meet next: the bot with the least certain rating first, with opponents of similar strength."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from arena.rating.trueskill import Rating
from arena.server.connected_bots import ConnectedBots
from arena.server.ladder_record import LadderBracket
from arena.server.rate_limit import RateLimit
from arena.server.remote_bot import RemoteBot
from arena.tournament.formats.ladder import quality

REMEMBERED_MATCHES = 8
"""Matches for which a bot's opponents are remembered."""
MAX_CANDIDATES = 32
"""Opponents that are compared, drawn at random: the time for a pairing must not grow with the number of bots."""


class Matchmaker:
    """Chooses pairings in one bracket and remembers recent opponents."""

    def __init__(self, rating: Callable[[int], Rating], rng: Random | None = None) -> None:
        self.rating = rating
        self.rng = rng or Random()
        self._recent: dict[int, deque[int]] = {}

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

    def forget(self, bot: int) -> None:
        """Remove a bot that has left."""
        self._recent.pop(bot, None)


@dataclass(frozen=True, slots=True, eq=False)
class OpenBracket:
    """A bracket in which matches can start, and the bots that are free for them."""

    bracket: LadderBracket
    matchmaker: Matchmaker
    seats: int
    """In a match."""
    free: list[int]


class Pairings:
    """Chooses the next matches in all brackets."""

    def __init__(self, brackets: Sequence[LadderBracket], pace: float | None) -> None:
        """`pace` limits how many matches a bot starts per minute."""
        self.pace = None if pace is None else RateLimit(max(1.0, pace / 10), pace)
        self._matchmakers = [(bracket, Matchmaker(bracket.standings.rating)) for bracket in brackets]

    def forget(self, version: int) -> None:
        """Remove a bot that has left."""
        for _, matchmaker in self._matchmakers:
            matchmaker.forget(version)

    def open_brackets(self, bots: ConnectedBots) -> list[OpenBracket]:
        """Return the brackets for which enough bots are connected."""
        found = []
        for bracket, matchmaker in self._matchmakers:
            playing = [bot for bot in bots.all() if bracket.bracket.game in bot.games and bot.is_connected]
            seats = min(len(playing), bracket.bracket.usual_seats)
            if seats >= bracket.bracket.fewest:
                free = [bot.entrant.version_id for bot in playing if self._may_start(bot)]
                found.append(OpenBracket(bracket, matchmaker, seats, free))
        return found

    def next_pairing(self, bracket: OpenBracket, bots: ConnectedBots) -> list[RemoteBot] | None:
        """Return the bots of the next match, in seat order, or None if too few are free."""
        free = bracket.free
        while (versions := bracket.matchmaker.pairing(free, bracket.seats)) is not None:
            pairing = [bot for version in versions if (bot := bots.get(version)) and self._may_start(bot)]
            if len(pairing) == bracket.seats:
                return pairing
            # A bot has left, or has started a match in another bracket.
            free[:] = [version for version in free if (bot := bots.get(version)) and self._may_start(bot)]
        return None

    def started(self, bracket: OpenBracket, pairing: Sequence[RemoteBot], match: str) -> None:
        """Take a match that starts into account."""
        for bot in pairing:
            bot.playing.add(match)
            if self.pace:
                self.pace.take(bot.entrant.version_id)
            if not self._may_start(bot):
                bracket.free.remove(bot.entrant.version_id)

    def _may_start(self, bot: RemoteBot) -> bool:
        return bot.has_capacity and (self.pace is None or self.pace.left(bot.entrant.version_id) >= 1)
