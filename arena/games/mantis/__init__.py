"""Mantis: score from your own tank or steal from another's. RULES.md beside this file is the rule book."""

from arena.games.mantis.cards import (
    EDITIONS,
    SCORE,
    Action,
    Back,
    Card,
    Colour,
    Edition,
    Event,
    Flip,
    Front,
    Icon,
    Pilfered,
    pilfer,
    steal,
)
from arena.games.mantis.knowledge import UnseenCards, View, top_odds
from arena.games.mantis.state import Ending, Mantis, Result, State

MANTIS = Mantis()


def new(seats: int, seed: str, edition: str = "classic") -> State:
    """Return a new game of Mantis, dealt from the seed."""
    return MANTIS.new(seats, seed, edition=edition)


__all__ = [
    "EDITIONS",
    "MANTIS",
    "SCORE",
    "Action",
    "Back",
    "Card",
    "Colour",
    "Edition",
    "Ending",
    "Event",
    "Flip",
    "Front",
    "Icon",
    "Pilfered",
    "Result",
    "State",
    "UnseenCards",
    "View",
    "new",
    "pilfer",
    "steal",
    "top_odds",
]
