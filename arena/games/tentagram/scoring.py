"""The scoring of Tentagram: pile by pile, then all cards (RULES 2.3 and 2.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arena.games.base import rank
from arena.games.tentagram.cards import Card, TableCard, fits


class LaidCard(NamedTuple):
    """A card on the table, and its seat."""

    seat: int
    card: Card


class Pile(NamedTuple):
    """A scored pile."""

    table: TableCard
    counted: tuple[LaidCard, ...]
    """The cards that fit their table card."""
    set_aside: tuple[LaidCard, ...]
    """The misfits."""
    winner: int | None
    taken: int
    """How many cards the winner takes."""


def score_pile(table: TableCard, cards: Sequence[LaidCard]) -> Pile:
    """Check, count and award a pile (RULES 2.3)."""
    counted = tuple([laid for laid in cards if fits(laid.card, table)])
    set_aside = tuple([laid for laid in cards if not fits(laid.card, table)])
    winner = highest_unshared(Counter([laid.seat for laid in counted]))
    if winner is None:
        return Pile(table, counted, set_aside, None, 0)
    foreign_misfits = sum(laid.seat != winner for laid in set_aside)
    return Pile(table, counted, set_aside, winner, len(counted) + foreign_misfits)


def highest_unshared(counts: Mapping[int, int]) -> int | None:
    """Return the seat with the highest count that no other seat shares; a count of zero never wins."""
    holders = Counter(counts.values())
    unshared = [seat for seat, count in counts.items() if count and holders[count] == 1]
    return max(unshared, key=counts.__getitem__, default=None)


def placements(cards: Sequence[int], forfeited: Sequence[int] = ()) -> tuple[int | None, tuple[int, ...]]:
    """Return the winner and all places: the winner first, the others by the cards they won (RULES 2.4)."""
    winner = highest_unshared({seat: count for seat, count in enumerate(cards) if seat not in forfeited})
    return winner, rank([(seat == winner, count) for seat, count in enumerate(cards)], forfeited)
