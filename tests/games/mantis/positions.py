"""Hand-built positions of Mantis, written as short as they can be read."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.mantis import EDITIONS, Card, Colour, State
from arena.games.mantis.state import TURNS

LETTERS = {colour.letter: colour for colour in Colour}


def position(
    *tanks: str,
    pile: Sequence[str],
    scores: Sequence[int] | None = None,
    to_move: int = 0,
    edition: str = "classic",
) -> State:
    """A position: `position("RRG", "", "K", pile=["G:YGP"])`. The pile's first card is its top card."""
    state = State(EDITIONS[edition], len(tanks), EDITIONS[edition].cards)
    for seat, letters in enumerate(tanks):
        state.tanks[seat] = [letters.count(colour.letter) for colour in Colour]
    state.scores = list(scores or [0] * len(tanks))
    state.pile = [find(card) for card in reversed(pile)]
    state.turn = TURNS[len(tanks)][to_move]
    return state


def find(notation: str) -> Card:
    card = Card.find(notation)
    assert card is not None, notation
    return card


def tanks(state: State) -> list[str]:
    """The tanks as they are written in `position`."""
    return ["".join(colour.letter * tank[colour] for colour in Colour) for tank in state.tanks]
