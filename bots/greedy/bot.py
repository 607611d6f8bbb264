"""greedy: what do I expect to gain from this one card? Looks at what lies on the table, remembers nothing.

Mantis: the back of the top card names three colours, and greedy takes each of them as equally likely. For every action
it adds up what the card would bring. A card in the score pile is worth 1, a card in a tank less, because it may still
be stolen or never be matched. What another seat gains is a loss, shared with the others.

Tentagram: greedy keeps its cards together. It lays the hand on the pile, among those that fit, where it has most cards.
"""

from __future__ import annotations

from arena.bot import Bot, MantisTurn, TentagramTurn, mantis, tentagram

TANK_CARD = 0.3
"""The worth of a card in a tank; one in the score pile is worth 1."""


class GreedyBot(Bot):
    name = "greedy"
    version = "1.0"

    def mantis(self, turn: MantisTurn) -> mantis.Action:
        if turn.pilfering:
            return max(turn.legal, key=lambda action: turn.score_pile(action.target or 0))
        return max(turn.legal, key=lambda action: expected_gain(turn, action))

    def tentagram(self, turn: TentagramTurn) -> tentagram.Action:
        most = max(turn.count(table, turn.me) for table in turn.fits)
        biggest = [table for table in turn.fits if turn.count(table, turn.me) == most]
        return turn.action(turn.rng.choice(biggest))


def expected_gain(turn: MantisTurn, action: mantis.Action) -> float:
    """What the action brings on average, if the top card shows each colour of its back with the same chance."""
    colours = turn.view.top or ()
    if action.target is None:
        return sum(gain_of_score(turn.view.tanks[turn.me][colour]) for colour in colours) / 3
    return sum(gain_of_steal(turn.view.tanks[action.target][colour], turn.others) for colour in colours) / 3


def gain_of_score(cards: int) -> float:
    """Return the gain of a score with `cards` of the colour in the own tank."""
    return cards * (1 - TANK_CARD) + 1 if cards else TANK_CARD


def gain_of_steal(cards: int, others: list[int]) -> float:
    """Return the gain of a steal with `cards` of the colour in the other's tank."""
    lost_by_target = cards * TANK_CARD if cards else -TANK_CARD
    gained = (cards + 1) * TANK_CARD if cards else 0.0
    return gained + lost_by_target / len(others)


if __name__ == "__main__":
    GreedyBot().run()
