"""Upsets: matches that a favourite by the ratings did not win. Pure."""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from typing import NamedTuple

from arena.rating.trueskill import Rating, chance_to_win, win_probability
from arena.records import SeatRecord

MAX_UPSETS = 10
"""The number of wins, and of losses, that are kept of each bot."""


class Upset(NamedTuple):
    """A match with an unexpected result."""

    chance: float
    """The bot's probability to win by the ratings just before the match."""
    match: str


class Upsets:
    """The greatest upsets of every bot. Of two that are equal the earlier one comes first."""

    def __init__(self) -> None:
        self.wins: dict[int, list[Upset]] = {}
        """By version, the least probable win first."""
        self.losses: dict[int, list[Upset]] = {}
        """By version, the least probable loss first. Only the loss of a favourite is an upset."""

    def kept(self, version_id: int, *, won: bool) -> list[Upset]:
        return (self.wins if won else self.losses).setdefault(version_id, [])

    def greatest(self, limit: int) -> list[tuple[int, Upset]]:
        """Return the least probable wins of all bots, with the versions that won."""
        wins = [(version, upset) for version, kept in self.wins.items() for upset in kept]
        return sorted(wins, key=lambda win: (win[1].chance, win))[:limit]

    def note(self, seats: Sequence[SeatRecord], ratings: Sequence[Rating], match: str) -> list[tuple[int, bool]]:
        """Add a match with the ratings before it. Return the changed lists: version, and whether it is that of wins.

        The seats are sorted by version, because sums of floating point numbers depend on their order.
        """
        favourite, best = 0, ratings[0].mu
        for player, rating in enumerate(ratings):
            if rating.mu > best:
                favourite, best = player, rating.mu
        if seats[favourite].won:
            return []
        winners = [player for player, seat in enumerate(seats) if seat.won]
        if not winners or any(ratings[winner].mu == best for winner in winners):
            return []
        noted = [(winner, True) for winner in winners] + [(favourite, False)]
        return [
            (seats[player].version_id, won)
            for player, won in noted
            if self._keep(seats[player].version_id, ratings, player, match, won=won)
        ]

    def _keep(self, version_id: int, ratings: Sequence[Rating], player: int, match: str, *, won: bool) -> bool:
        """Add a match to the version's wins or losses. Return whether it is among the greatest upsets of them."""
        kept = self.kept(version_id, won=won)
        sign = 1 if won else -1  # the greatest upset comes first: a win with a small chance, a loss with a large one
        full = len(kept) == MAX_UPSETS
        if full and len(ratings) > 2:
            bound = _at_least(ratings, player) if won else _at_most(ratings, player)
            if sign * bound >= sign * kept[-1].chance:
                return False
        chance = chance_to_win(ratings, player)
        if full and sign * chance >= sign * kept[-1].chance:
            return False
        insort(kept, Upset(chance, match), key=lambda upset: sign * upset.chance)
        del kept[MAX_UPSETS:]
        return True


# Cheap bounds that decide for most matches that they are not among the greatest upsets.


def _at_least(ratings: Sequence[Rating], player: int) -> float:
    """Return a lower bound: the product of the probabilities to beat each opponent separately."""
    ours = ratings[player]
    product = 1.0
    for number, other in enumerate(ratings):
        if number != player:
            product *= win_probability(ours, other)
    return product


def _at_most(ratings: Sequence[Rating], favourite: int) -> float:
    """Return an upper bound: the probability to beat the strongest opponent."""
    others = (rating for number, rating in enumerate(ratings) if number != favourite)
    return win_probability(ratings[favourite], max(others, key=lambda rating: rating.mu))
