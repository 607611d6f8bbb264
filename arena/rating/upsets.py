"""The matches that did not end as the ratings let expect: a favourite sat at the table, and somebody else won. Pure."""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from typing import NamedTuple

from arena.rating.trueskill import Rating, chance_to_win, win_probability
from arena.records import SeatRecord

MOST_KEPT = 10
"""So many surprising wins, and as many surprising losses, are kept of each bot."""


class Upset(NamedTuple):
    """A match that surprised."""

    chance: float
    """What the ratings of just before gave the bot to win it."""
    match: str


class Upsets:
    """The most surprising matches of every bot. Of two that are alike the earlier one comes first."""

    def __init__(self) -> None:
        self.wins: dict[int, list[Upset]] = {}
        """By version, the win with the slightest chance first."""
        self.losses: dict[int, list[Upset]] = {}
        """By version, the loss with the best chance first. Only a favourite's loss is a upset."""

    def kept(self, version_id: int, *, won: bool) -> list[Upset]:
        return (self.wins if won else self.losses).setdefault(version_id, [])

    def greatest(self, limit: int) -> list[tuple[int, Upset]]:
        """The most surprising wins of all, with the versions that won."""
        wins = [(version, upset) for version, kept in self.wins.items() for upset in kept]
        return sorted(wins, key=lambda win: (win[1].chance, win))[:limit]

    def note(self, seats: Sequence[SeatRecord], ratings: Sequence[Rating], match: str) -> list[tuple[int, bool]]:
        """Takes a match with the ratings of just before; returns which lists have changed: of whom, and wins or not.

        The seats are listed by version, because sums of floating point numbers depend on their order.
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
        changed = [
            (seats[winner].version_id, True)
            for winner in winners
            if self._note_win(seats[winner].version_id, ratings, winner, match)
        ]
        if self._note_loss(seats[favourite].version_id, ratings, favourite, match):
            changed.append((seats[favourite].version_id, False))
        return changed

    def _note_win(self, version_id: int, ratings: Sequence[Rating], winner: int, match: str) -> bool:
        kept = self.wins.setdefault(version_id, [])
        full = len(kept) == MOST_KEPT
        if full and len(ratings) > 2 and _at_least(ratings, winner) >= kept[-1].chance:
            return False
        chance = chance_to_win(ratings, winner)
        if full and chance >= kept[-1].chance:
            return False
        insort(kept, Upset(chance, match), key=lambda upset: upset.chance)
        del kept[MOST_KEPT:]
        return True

    def _note_loss(self, version_id: int, ratings: Sequence[Rating], favourite: int, match: str) -> bool:
        kept = self.losses.setdefault(version_id, [])
        full = len(kept) == MOST_KEPT
        if full and len(ratings) > 2 and _at_most(ratings, favourite) <= kept[-1].chance:
            return False
        chance = chance_to_win(ratings, favourite)
        if full and chance <= kept[-1].chance:
            return False
        insort(kept, Upset(chance, match), key=lambda upset: -upset.chance)
        del kept[MOST_KEPT:]
        return True


# Bounds that take a fraction of the time: most matches are not among the most surprising ones, and need no more.


def _at_least(ratings: Sequence[Rating], player: int) -> float:
    """To beat all is at least as likely as if beating one had nothing to do with beating another."""
    ours = ratings[player]
    product = 1.0
    for number, other in enumerate(ratings):
        if number != player:
            product *= win_probability(ours, other)
    return product


def _at_most(ratings: Sequence[Rating], favourite: int) -> float:
    """To beat all is at most as likely as to beat the strongest of them."""
    second = max(
        (number for number in range(len(ratings)) if number != favourite), key=lambda number: ratings[number].mu
    )
    return win_probability(ratings[favourite], ratings[second])
