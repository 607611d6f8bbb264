"""Tentagram: lay cards face down on ten piles. RULES.md beside this file is the rule book."""

from arena.games.tentagram.cards import DECK, LAY, TABLE_CARDS, Action, Card, TableCard, fits
from arena.games.tentagram.knowledge import Event, Laid, Revealed, View
from arena.games.tentagram.scoring import LaidCard, Pile
from arena.games.tentagram.state import Ending, Result, State, Tentagram

TENTAGRAM = Tentagram()


def new(seats: int, seed: str, placement: str = "strict") -> State:
    """Return a new game of Tentagram, dealt from the seed."""
    return TENTAGRAM.new(seats, seed, placement=placement)


__all__ = [
    "DECK",
    "LAY",
    "TABLE_CARDS",
    "TENTAGRAM",
    "Action",
    "Card",
    "Ending",
    "Event",
    "Laid",
    "LaidCard",
    "Pile",
    "Result",
    "Revealed",
    "State",
    "TableCard",
    "View",
    "fits",
    "new",
]
