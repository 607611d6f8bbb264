"""The figures of Mantis, and the simple players of its playouts."""

from __future__ import annotations

from random import Random

from arena.games.mantis import SCORE, State, UnseenCards
from arena.games.profile import Draw, Profile

# The worth of an action is the sum over the colours that the top card may show, by the cards of it in the tank.

TANK_CARD = 0.35
"""The worth of a card in a tank; one in the score pile is worth 1."""
LUCK = 0.08
"""How often a player acts at random."""
WINNING = 12.0
"""Worth more than any cards."""
MOST_CARDS = 16
OF_SCORE = [TANK_CARD] + [1 + cards * (1 - TANK_CARD) for cards in range(1, MOST_CARDS)]
OF_STEAL = [-TANK_CARD / 2] + [(1 + 1.4 * cards) * TANK_CARD for cards in range(1, MOST_CARDS)]


def play_out(state: State, rng: Random) -> int:
    """Play the game to its end with simple players. Return the number of moves."""
    random = rng.random
    tanks, scores, pile, goal = state.tanks, state.scores, state.pile, state.goal
    moves = 0
    while legal := state.turn.legal:
        moves += 1
        if not state.turn.tank_of:
            state.apply(max(legal, key=lambda action: scores[action.target or 0]))
            continue
        if random() < LUCK:
            state.apply(legal[int(random() * len(legal))])
            continue
        one, two, three = pile[-1].back
        missing = goal - 1 - scores[state.turn.seat]
        best, chosen = -1.0, legal[0]
        for action, owner in state.turn.tank_of.items():
            tank = tanks[owner]
            if action is SCORE:
                worth = OF_SCORE[tank[one]] + OF_SCORE[tank[two]] + OF_SCORE[tank[three]]
                worth += WINNING * ((tank[one] >= missing) + (tank[two] >= missing) + (tank[three] >= missing))
            else:
                worth = OF_STEAL[tank[one]] + OF_STEAL[tank[two]] + OF_STEAL[tank[three]]
            worth += TANK_CARD * random()
            if worth > best:
                best, chosen = worth, action
        state.apply(chosen)
    return moves


def draw(state: State, seat: int | None, rng: Random) -> Draw:
    view = state.view(seat or 0)  # all seats know the same
    unseen = UnseenCards(view)
    return lambda: State.from_view(view, unseen.draw_deck(rng))


PROFILE = Profile(
    decisions=18.0,
    tie_rates={("classic",): 0.021, ("icons",): 0.021, ("grab",): 0.023},
    draw=draw,  # type: ignore[arg-type]
    playout=play_out,  # type: ignore[arg-type]
    playout_moves=150_000,
    playout_samples=40,
)
