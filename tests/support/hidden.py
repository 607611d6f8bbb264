"""States with everything hidden permuted."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from arena.games import mantis, tentagram
from arena.games.base import AnyState
from arena.games.mantis import Card, Flip
from arena.games.tentagram import fits
from arena.games.tentagram.cards import LAY
from tests.support.variants import Variant


def actions_so_far(state: AnyState) -> list[object]:
    """The actions that led to the state, told from its public history."""
    if isinstance(state, tentagram.State):
        return [LAY[laid.table] for laid in state.history]
    assert isinstance(state, mantis.State)
    return [event.action if isinstance(event, Flip) else mantis.pilfer(event.target) for event in state.history]


def replayed(variant: Variant, deal: object, actions: Sequence[object]) -> AnyState:
    state = variant.game.from_deal(deal, variant.seats, **variant.options)  # type: ignore[arg-type]
    for action in actions:
        state.apply(action)
    return state


def with_everything_hidden_permuted(state: AnyState, seat: int, rng: Random) -> object:
    """Another deal that the seat cannot tell from the real one: hidden cards change places wherever they can."""
    if isinstance(state, mantis.State):
        return [str(card) for card in _permuted_deck(state, rng)]
    assert isinstance(state, tentagram.State)
    return [list(_permuted_seat(state, other, other == seat, rng)) for other in range(state.seats)]


def _permuted_deck(state: mantis.State, rng: Random) -> list[Card]:
    deck = list(state.deck)
    dealt = range(4 * state.seats)
    pile = range(len(deck) - len(state.pile), len(deck))
    top = pile.start if state.pile else None

    def may_lie(card: Card, place: int) -> bool:
        if place in dealt:
            return card.front is deck[place].front
        return place != top or card.back == deck[place].back

    hidden = [*dealt, *pile]
    for _ in range(10 * len(hidden)):
        one, other = rng.choice(hidden), rng.choice(hidden)
        if may_lie(deck[one], other) and may_lie(deck[other], one):
            deck[one], deck[other] = deck[other], deck[one]
    return deck


def _permuted_seat(state: tentagram.State, seat: int, own: bool, rng: Random) -> list[str]:
    deck = list(state.decks[seat])
    laid = state.laid_cards(seat)
    tables = [event.table for event in state.history[seat :: state.seats]]

    def may_lie(card: tentagram.Card, place: int) -> bool:
        return not state.strict or place >= laid or fits(card, tables[place])

    hidden = range(laid + 1, len(deck)) if own else range(len(deck))
    for _ in range(10 * len(hidden)):
        one, other = rng.choice(hidden), rng.choice(hidden)
        if may_lie(deck[one], other) and may_lie(deck[other], one):
            deck[one], deck[other] = deck[other], deck[one]
    return [str(card) for card in deck]
