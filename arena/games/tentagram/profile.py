"""The figures of Tentagram, and the simple players of its playouts."""

from __future__ import annotations

from random import Random

from arena.games.profile import Draw, Profile, draw_by_view
from arena.games.tentagram import LAY, TABLE_CARDS, State
from arena.games.tentagram.cards import FITTING_TABLES
from arena.games.tentagram.knowledge import shuffled

# A card goes where it fits: best to take or keep the lead in a big pile, otherwise to the own cards.

OWN_CARD = 0.4
"""The worth of each own card in a pile, which keeps them together."""
TIE = 0.4
"""The worth of sharing the lead in a pile; taking it is worth 1."""


def play_out(state: State, rng: Random) -> int:
    """Play the game to its end with simple players. Return the number of moves."""
    random = rng.random
    counts = {table: [0] * state.seats for table in TABLE_CARDS}
    for laid in state.history:
        counts[laid.table][laid.seat] += 1
    moves = 0
    while (seat := state.to_move) is not None:
        moves += 1
        best, chosen = -1.0, TABLE_CARDS[0]
        for table in FITTING_TABLES[state.decks[seat][state.round]]:
            pile = counts[table]
            own = pile[seat]
            most = max(pile)
            worth = OWN_CARD * own + 2 * random()
            if own + 1 > most:
                worth += sum(pile)
            elif own + 1 == most:
                worth += TIE * sum(pile)
            if worth > best:
                best, chosen = worth, table
        counts[chosen][seat] += 1
        state.apply(LAY[chosen])
    return moves


def draw(state: State, seat: int | None, rng: Random) -> Draw:
    if seat is None:
        return lambda: _with_other_cards_to_come(state, rng)
    return draw_by_view(state, seat, rng)


def _with_other_cards_to_come(state: State, rng: Random) -> State:
    """Return the same cards on the table and in the hands; those still to come are in another order."""
    drawn = state.clone()
    drawn.decks = tuple(
        (*deck[: state.laid_cards(seat) + 1], *shuffled(deck[state.laid_cards(seat) + 1 :], rng))
        for seat, deck in enumerate(state.decks)
    )
    return drawn


PROFILE = Profile(
    decisions=16.0,
    tie_rates={("strict",): 0.084, ("free",): 0.084},
    scoring_steps=12,
    draw=draw,  # type: ignore[arg-type]
    playout=play_out,  # type: ignore[arg-type]
    playout_moves=80_000,
    playout_samples=24,
)
