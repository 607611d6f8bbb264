"""The cards of Tentagram: five symbols, the ten table cards, the sixteen cards of a seat's deck (RULES 2.1).

A card is a string of its symbols in order: `ABD`. Its rank is the number of its symbols.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import NewType

from arena.games.base import OneOfAKind

Card = NewType("Card", str)
"""A card of a seat's deck, rank 3 to 5."""

TableCard = NewType("TableCard", str)
"""One of the ten rank-2 cards on the table."""

SYMBOLS = "ABCDE"
TABLE_CARDS = tuple(TableCard("".join(symbols)) for symbols in combinations(SYMBOLS, 2))
DECK = tuple(Card("".join(symbols)) for rank in (3, 4, 5) for symbols in combinations(SYMBOLS, rank))
PLACE_IN_DECK = {card: place for place, card in enumerate(DECK)}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Action(OneOfAKind):
    """Lay the hand card face down on this table card. Notation, as in replays: `AB`."""

    notation: str
    table: TableCard


LAY = {table: Action(table, table) for table in TABLE_CARDS}
ANYWHERE = tuple(LAY.values())


FITTING_TABLES = {card: tuple(table for table in TABLE_CARDS if set(table) <= set(card)) for card in DECK}
"""For each card, the table cards that it fits: both symbols are on it (RULES 2.2)."""

FITTING_ACTIONS = {card: tuple(LAY[table] for table in FITTING_TABLES[card]) for card in DECK}


def fits(card: Card, table: TableCard) -> bool:
    return table in FITTING_TABLES[card]
