"""What a position of Mantis is worth: how strong each seat is, and the chance to win that follows.

The strength of a seat is the cards it has scored, a part of those in its tank, and something more for each colour with
which it could reach the goal at once. The numbers were found by playing thousands of games.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

TANK_CARD = 0.4
TANK_COLOUR = 0.12
"""Comes on top for the first card of a colour: with more colours in the tank more flips match."""
THREAT = 0.9
"""For each colour with which the seat would reach the goal if it were flipped."""
TURN_OF_TWO = 0.4
"""To be on turn, with two seats, where a steal that succeeds does not end the turn."""
GOAL_REACHED = 50.0
SHARPNESS = 0.25
"""How much a difference in strength changes the chance to win."""


def chance_to_win(
    me: int, tanks: Sequence[Sequence[int]], scores: Sequence[int], goal: int, to_move: int | None
) -> float:
    """The own share of what all seats have of e^strength."""
    strengths = [strength(tank, score, goal) for tank, score in zip(tanks, scores, strict=True)]
    if len(strengths) == 2 and to_move is not None:
        strengths[to_move] += TURN_OF_TWO
    weights = [exp(SHARPNESS * strength) for strength in strengths]
    return weights[me] / sum(weights)


def strength(tank: Sequence[int], score: int, goal: int) -> float:
    if score >= goal:
        return GOAL_REACHED
    total = float(score)
    for cards in tank:
        if cards:
            total += TANK_COLOUR + TANK_CARD * cards
            if score + cards + 1 >= goal:
                total += THREAT
    return total
