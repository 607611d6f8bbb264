"""Tentagram: play the rest of the game at random many times, and see with which table card it is won most often.

In each playout all cards but the hand are laid somewhere they fit. Then the hand is tried on every pile that it fits:
only that pile has to be scored anew, so one playout serves all candidates, and all of them meet the same luck. What
others have laid is taken to fit, or they would not have laid it there.

Random playouts know nothing of how seats fight for a pile, so each candidate starts with a head start: how much nearer
the card brings the pile, judged by its size and by the lead over the strongest other seat.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from random import Random

from arena.bot import TentagramTurn, tentagram

PLAYOUTS = 200
HEAD_START = 0.08
"""What a card of the judged gain is worth, as a part of a won game."""
TABLE_CARDS = tentagram.TABLE_CARDS
FITTING = {
    card: [place for place, table in enumerate(TABLE_CARDS) if tentagram.fits(card, table)] for card in tentagram.DECK
}
"""For each card the piles that it fits, by their place among the table cards."""

Pile = list[int]
"""Per seat, the number of cards that count."""


def best_action(turn: TentagramTurn, time_left: Callable[[], bool]) -> tentagram.Action:
    me, seats = turn.me, range(turn.view.seats)
    table = [[turn.count(card, seat) for seat in seats] for card in TABLE_CARDS]
    laid = [len(tentagram.DECK) - turn.cards_left(seat) for seat in seats]
    laid[me] += 1  # the hand
    candidates = FITTING[turn.hand]
    wins = dict.fromkeys(candidates, 0)
    playouts = 0
    while playouts < PLAYOUTS and time_left():
        playouts += 1
        decks = turn.sample().decks
        piles = lay_at_random(table, [deck[count:] for deck, count in zip(decks, laid, strict=True)], turn.rng)
        for place in won_with(piles, candidates, me):
            wins[place] += 1
    share = {place: wins[place] / max(1, playouts) for place in candidates}
    best = max(candidates, key=lambda place: share[place] + HEAD_START * judged_gain(table[place], me))
    return turn.action(TABLE_CARDS[best])


def lay_at_random(table: list[Pile], to_come: list[tuple[tentagram.Card, ...]], rng: Random) -> list[Pile]:
    """The piles at the end, when every seat has laid its cards anywhere they fit."""
    random = rng.random
    piles = [pile.copy() for pile in table]
    for seat, cards in enumerate(to_come):
        for card in cards:
            places = FITTING[card]
            piles[places[int(random() * len(places))]][seat] += 1
    return piles


def won_with(piles: list[Pile], candidates: list[int], me: int) -> list[int]:
    """The piles among the candidates where one more card of the own wins the game."""
    cards_won = [0] * len(piles[0])
    for pile in piles:
        award(pile, cards_won, 1)
    won = []
    for place in candidates:
        pile, cards = piles[place], cards_won.copy()
        award(pile, cards, -1)
        pile[me] += 1
        award(pile, cards, 1)
        pile[me] -= 1
        if winner_of(cards) == me:
            won.append(place)
    return won


def award(pile: Pile, cards_won: list[int], sign: int) -> None:
    """Gives the cards of the pile to its winner, or takes them back."""
    winner = winner_of(pile)
    if winner is not None:
        cards_won[winner] += sign * sum(pile)


def winner_of(counts: list[int]) -> int | None:
    """Return the seat with the highest unshared count."""
    for count in sorted(counts, reverse=True):
        if count and counts.count(count) == 1:
            return counts.index(count)
    return None


def judged_gain(pile: Pile, me: int) -> float:
    """What one more card is worth: the size of the pile times the chance to win it, after less before."""
    lead = pile[me] - max(count for seat, count in enumerate(pile) if seat != me)
    size = sum(pile) + 1
    return (size + 1) * chance_of_pile(lead + 1) - size * chance_of_pile(lead)


def chance_of_pile(lead: int) -> float:
    return 1 / (1 + exp(1 - 2 * lead))
