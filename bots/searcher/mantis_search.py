"""Mantis: judge every outcome of the next flip, then correct the judgement by what sampled games show.

First each action is judged by the position right after the flip, averaged over the cards that the top card can be. Most
actions are out by that. For those that are nearly as good as the best, the next two rounds are played in games that
agree with all that is known, every seat taking what it expects to gain most from; each action meets the same games. How
much the judgement has changed by then is the correction. Only a part of it is trusted, as there are few games.
"""

from __future__ import annotations

from collections.abc import Callable

from judgement import chance_to_win

from arena.bot import MantisTurn, mantis

PLAYOUTS = 200
NEARLY_AS_GOOD = 0.03
"""Actions whose chance to win is at most this much below the best one are searched."""
TRUST = 0.7
"""The part of the correction that counts."""
HASTY_TANK_CARD = 0.3
"""The worth of a card in a tank in the playouts; one in the score pile is worth 1."""
MOST_CARDS = 30
"""An upper bound for the cards of one colour in a tank."""


def best_action(turn: MantisTurn, time_left: Callable[[], bool]) -> mantis.Action:
    if turn.pilfering:
        return most_to_pilfer(turn.legal, turn.view.scores)
    outcomes = judge_outcomes(turn)
    total = sum(turn.unseen.top_weights)
    odds = {card: weight / total for card, weight in zip(turn.unseen.top_cards, turn.unseen.top_weights, strict=True)}
    judged = {action: sum(odds[card] * chance for card, chance in outcomes[action].items()) for action in turn.legal}
    enough = max(judged.values()) - NEARLY_AS_GOOD
    candidates = [action for action in turn.legal if judged[action] >= enough]
    if len(candidates) == 1:
        return candidates[0]

    corrections = dict.fromkeys(candidates, 0.0)
    playouts = 0
    while playouts < PLAYOUTS and time_left():
        playouts += 1
        sample = turn.sample()
        for action in candidates:
            state = sample.clone()
            state.apply(action)
            play_on(state, 2 * state.seats - 1)
            corrections[action] += judge(state, turn.me) - outcomes[action][sample.pile[-1]]
    return max(candidates, key=lambda action: judged[action] + TRUST * corrections[action] / max(1, playouts))


def judge_outcomes(turn: MantisTurn) -> dict[mantis.Action, dict[mantis.Card, float]]:
    """For each action, and each card that may be the top one, the chance to win right after the flip."""
    sample = turn.sample()
    outcomes: dict[mantis.Action, dict[mantis.Card, float]] = {action: {} for action in turn.legal}
    for card in turn.unseen.top_cards:
        sample.pile[-1] = card
        for action in turn.legal:
            state = sample.clone()
            state.apply(action)
            outcomes[action][card] = judge(state, turn.me)
    return outcomes


def judge(state: mantis.State, me: int) -> float:
    """The chance to win; where the game is over it is certain."""
    if state.to_move is None:
        winners = state.result().winners
        return (me in winners) / len(winners)
    return chance_to_win(me, state.tanks, state.scores, state.goal, state.to_move)


def play_on(state: mantis.State, turns: int) -> None:
    """Play up to `turns` turns."""
    for _ in range(turns):
        if state.to_move is None:
            return
        state.apply(hasty_action(state))


def hasty_action(state: mantis.State) -> mantis.Action:
    """What brings most if each colour on the back of the top card is equally likely. Quick rather than wise."""
    if state.pilfering:
        return most_to_pilfer(state.legal(), state.scores)
    first, second, third = state.pile[-1].back
    own_tank = state.tanks[state.turn.seat]
    best, most = mantis.SCORE, SCORING[own_tank[first]] + SCORING[own_tank[second]] + SCORING[own_tank[third]]
    stealing = STEALING[state.seats]
    for action in state.legal():
        if action.target is not None:
            tank = state.tanks[action.target]
            gain = stealing[tank[first]] + stealing[tank[second]] + stealing[tank[third]]
            if gain > most:
                best, most = action, gain
    return best


def most_to_pilfer(legal: tuple[mantis.Action, ...], scores: list[int] | tuple[int, ...]) -> mantis.Action:
    return max(legal, key=lambda action: scores[action.target or 0])


def gain_of_score(cards: int) -> float:
    """Return the gain of a score with `cards` of the flipped colour in the own tank."""
    return cards * (1 - HASTY_TANK_CARD) + 1 if cards else HASTY_TANK_CARD


def gain_of_steal(cards: int, seats: int) -> float:
    """Return the gain of a steal with `cards` of the flipped colour in the other's tank."""
    lost, gained = (cards, cards + 1) if cards else (-1, 0)
    return (gained + lost / (seats - 1)) * HASTY_TANK_CARD


SCORING = [gain_of_score(cards) for cards in range(MOST_CARDS)]
STEALING = {seats: [gain_of_steal(cards, seats) for cards in range(MOST_CARDS)] for seats in range(2, 7)}
