"""What a player of Tentagram may know (RULES 2.5), and a uniform draw of the others' decks.

With `free` placement a laid card reveals nothing about its face, so all orders of another deck are equally likely.
With `strict` placement each laid card contains its table card's symbols; the orders that agree are counted exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import NamedTuple

from arena.games.tentagram.cards import DECK, FITTING_TABLES, TABLE_CARDS, Action, Card, TableCard


class Laid(NamedTuple):
    """A seat laid a card face down on a table card."""

    seat: int
    table: TableCard


class Revealed(NamedTuple):
    """The last card was laid and all are turned face up: every seat's cards in the order they were laid."""

    decks: tuple[tuple[Card, ...], ...]


Event = Laid | Revealed


class View(NamedTuple):
    """What one seat may know."""

    seat: int
    seats: int
    placement: str
    to_move: int | None
    legal: tuple[Action, ...]
    """The legal actions of this seat; empty when it is not on turn."""
    hand: Card | None
    """The card in hand; None when all are laid."""
    fits: tuple[TableCard, ...]
    """The table cards that the hand card fits."""
    own_laid: tuple[tuple[Card, TableCard], ...]
    """The own cards laid so far, with their table cards."""
    to_come: tuple[Card, ...]
    """The own cards still to be drawn after the hand, sorted: their order is unknown."""
    history: tuple[Laid, ...]
    """Every card laid: the seat and the table card."""
    revealed: tuple[tuple[Card, ...], ...] | None
    """Once the game is over: every seat's cards in the order they were laid."""

    def laid_by(self, seat: int) -> tuple[TableCard, ...]:
        """Return the table cards that the seat has laid cards on, in order."""
        return tuple(laid.table for laid in self.history if laid.seat == seat)


def draw_decks(view: View, rng: Random) -> tuple[tuple[Card, ...], ...]:
    """Return every seat's deck in drawing order, drawn uniformly from all that agree with the view.

    With `free` placement every deck of another seat agrees with it: cards that fit where they were laid are not more
    likely than those that do not.
    """
    if view.revealed is not None:
        return view.revealed
    own_known = (*(card for card, _ in view.own_laid), *([view.hand] if view.hand else []))
    own_deck = (*own_known, *shuffled(view.to_come, rng))
    return tuple(own_deck if seat == view.seat else _draw_deck(view, seat, rng) for seat in range(view.seats))


def _draw_deck(view: View, seat: int, rng: Random) -> tuple[Card, ...]:
    if view.placement == "free":
        return shuffled(DECK, rng)
    return draw_fitting_deck(view.laid_by(seat), rng)


def shuffled(cards: Sequence[Card], rng: Random) -> tuple[Card, ...]:
    random = rng.random
    return tuple(sorted(cards, key=lambda _: random()))


# With strict placement each card of another deck is either not laid yet or laid on a table card that it fits. All
# assignments with the right number of cards on every table card are equally likely. They are counted card by card; the
# numbers of cards on the ten table cards are packed into one integer, five bits each.

BITS = 5
ONE_ON = {table: 1 << (BITS * place) for place, table in enumerate(TABLE_CARDS)}
MASK_OF = {table: (1 << BITS) - 1 << (BITS * place) for place, table in enumerate(TABLE_CARDS)}


def draw_fitting_deck(tables: Sequence[TableCard], rng: Random) -> tuple[Card, ...]:
    """Return a deck whose first cards fit these table cards, drawn uniformly from all such decks."""
    left = sum(ONE_ON[table] for table in tables)
    ways = _ways(left)
    laid: dict[TableCard, list[Card]] = {table: [] for table in tables}
    not_laid: list[Card] = []
    for place, card in enumerate(DECK):
        later = ways[place + 1]
        choice = rng.randrange(ways[place][left])
        for table in FITTING_TABLES[card]:
            if left & MASK_OF[table]:
                choice -= later.get(left - ONE_ON[table], 0)
                if choice < 0:
                    left -= ONE_ON[table]
                    laid[table].append(card)
                    break
        else:
            not_laid.append(card)
    for cards in laid.values():
        rng.shuffle(cards)
    return (*(laid[table].pop() for table in tables), *shuffled(not_laid, rng))


@lru_cache(maxsize=256)
def _ways(wanted: int) -> tuple[dict[int, int], ...]:
    """Return, for each place in the deck and each packed count, in how many ways the cards from there on can fill it.

    Counts that cannot lead to `wanted` are left out: the cards before a place fill at most one each.
    """
    total = sum(wanted >> shift & (1 << BITS) - 1 for shift in range(0, BITS * len(TABLE_CARDS), BITS))
    levels: list[dict[int, int]] = [{0: 1}]
    sizes: dict[int, int] = {0: 0}
    for place in reversed(range(len(DECK))):
        level: Counter[int] = Counter()
        for filled, ways in levels[-1].items():
            if sizes[filled] >= total - place:
                level[filled] += ways
            if sizes[filled] + 1 >= total - place:
                for table in FITTING_TABLES[DECK[place]]:
                    if filled & MASK_OF[table] < wanted & MASK_OF[table]:
                        more = filled + ONE_ON[table]
                        sizes[more] = sizes[filled] + 1
                        level[more] += ways
        levels.append(dict(level))
    return tuple(reversed(levels))
