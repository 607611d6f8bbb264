"""counter: counts the cards exactly and judges the position that each outcome leads to. It does not look further ahead.

Mantis: `turn.odds` says how likely each colour of the top card is, given every card that was ever seen. For each action
and each colour counter asks how strong every seat would then be: the cards it has scored, a part of those in its tank,
and something more for each colour with which it could reach the goal at once. What it plays for is its chance to win,
which grows with the own strength and falls with that of the others, most of all with the leader's.

Tentagram: counter takes the lead. It asks what each pile would bring if the game ended now, before and after its card
lies there. Counts that are shared are out, so a card that breaks a tie, or ties the leader, can be worth a whole pile.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import NamedTuple

from arena.bot import Bot, MantisTurn, TentagramTurn, mantis, tentagram

# Weights for Mantis; a card in the score pile is worth 1. Tuned by playing thousands of games.
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


class CounterBot(Bot):
    name = "counter"
    version = "1.0"

    def mantis(self, turn: MantisTurn) -> mantis.Action:
        if turn.pilfering:
            return max(turn.legal, key=lambda action: turn.score_pile(action.target or 0))
        return max(turn.legal, key=lambda action: expected_chance(turn, action))

    def tentagram(self, turn: TentagramTurn) -> tentagram.Action:
        gains = {table: gain_of_lead(turn, table) for table in turn.fits}
        best = max(gains.values())
        return turn.action(turn.rng.choice([table for table in turn.fits if gains[table] == best]))


class Position(NamedTuple):
    """What a position of Mantis is judged by."""

    tanks: Sequence[Sequence[int]]
    scores: Sequence[int]
    to_move: int
    goal: int


def expected_chance(turn: MantisTurn, action: mantis.Action) -> float:
    """The chance to win after the action, on average over the colours that the top card may show."""
    return sum(odds * chance_to_win(after(turn, action, colour), turn.me) for colour, odds in turn.odds.items())


def after(turn: MantisTurn, action: mantis.Action, colour: mantis.Colour) -> Position:
    """The position when the flipped card shows this colour. Icons are left out: they are hidden before the flip."""
    view, me = turn.view, turn.me
    owner = me if action.target is None else action.target
    tanks = [list(tank) for tank in view.tanks]
    scores = list(view.scores)
    next_seat = (me + 1) % view.seats
    moved = tanks[owner][colour] + 1
    if moved == 1:
        tanks[owner][colour] = 1
    elif owner == me:
        tanks[me][colour] = 0
        scores[me] += moved
    else:
        tanks[owner][colour] = 0
        tanks[me][colour] += moved
        next_seat = me if view.seats == 2 else next_seat
    return Position(tanks, scores, next_seat, view.goal)


def chance_to_win(position: Position, me: int) -> float:
    """The own share of what all seats have of e^strength."""
    strengths = [
        strength(tank, score, position.goal) for tank, score in zip(position.tanks, position.scores, strict=True)
    ]
    if len(strengths) == 2:
        strengths[position.to_move] += TURN_OF_TWO
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


def gain_of_lead(turn: TentagramTurn, table: tentagram.TableCard) -> float:
    """What the pile would bring if the game ended now: how much more it is after the hand lies there."""
    counts = [turn.count(table, seat) for seat in range(turn.view.seats)]
    before = worth(counts, turn.me)
    counts[turn.me] += 1
    return worth(counts, turn.me) - before


def worth(counts: list[int], me: int) -> float:
    """The cards of the pile, if they are won. Won by another they are a loss, shared with the others."""
    for count in sorted(counts, reverse=True):
        if count and counts.count(count) == 1:  # the highest unshared count
            return float(sum(counts)) if counts[me] == count else -sum(counts) / (len(counts) - 1)
    return 0.0


if __name__ == "__main__":
    CounterBot().run()
