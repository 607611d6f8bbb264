"""What a seat may know: a view shows all of it and no more, and determinize draws fairly from what it leaves open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations, product
from math import sqrt
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games import mantis, tentagram
from arena.games.base import AnyState
from arena.games.mantis import Card, Flip, top_odds
from arena.games.tentagram import DECK, TableCard, fits
from arena.games.tentagram.cards import LAY
from tests.support.hidden import (
    actions_so_far,
    replayed,
    with_everything_hidden_permuted,
)
from tests.support.variants import VARIANTS, Variant

every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=str)
positions = given(seed=st.text(max_size=8), actions=st.integers(0, 70))
few = settings(max_examples=10)


@every_variant
@few
@positions
def test_the_view_does_not_change_when_everything_hidden_does(variant: Variant, seed: str, actions: int) -> None:
    state = variant.random_state(seed, actions)
    if state.to_move is None:
        return  # in Tentagram nothing is hidden any more
    rng = Random(seed)
    for seat in range(variant.seats):
        deal = with_everything_hidden_permuted(state, seat, rng)
        assert deal != state.deal(), "the test permutes nothing"
        assert replayed(variant, deal, actions_so_far(state)).view(seat) == state.view(seat)


@every_variant
@few
@positions
def test_determinize_agrees_with_all_that_the_seat_has_seen(variant: Variant, seed: str, actions: int) -> None:
    state = variant.random_state(seed, actions)
    rng = Random(seed)
    for seat in range(variant.seats):
        view = state.view(seat)
        drawn = state.determinize(view, rng)
        assert drawn.view(seat) == view
        same = replayed(variant, replay_deal(drawn), actions_so_far(state))
        assert [same.view(other) for other in range(variant.seats)] == [drawn.view(o) for o in range(variant.seats)]
        while drawn.legal():
            drawn.apply(rng.choice(drawn.legal()))
        assert drawn.result()


def replay_deal(state: AnyState) -> object:
    if isinstance(state, tentagram.State):
        return [list(deck) for deck in state.decks]
    return state.deal()


@every_variant
def test_determinize_draws_different_states(variant: Variant) -> None:
    view = variant.random_state("seed", 5).view(0)
    state = variant.new("seed")
    assert len({str(state.determinize(view, Random(number)).deal()) for number in range(5)}) == 5


def test_determinize_in_the_middle_of_a_pilfer_decision() -> None:
    for number in range(200):
        variant = Variant(mantis.MANTIS, {"edition": "icons"}, 4)
        state = variant.new(str(number))
        rng = Random(number)
        while state.legal():
            assert isinstance(state, mantis.State)
            if state.pilfering:
                for seat in range(4):
                    drawn = state.determinize(state.view(seat), rng)
                    assert drawn.pilfering
                    assert drawn.legal() == state.legal()
                return
            state.apply(rng.choice(state.legal()))
    pytest.fail("no game came to a pilfer decision")


# Uniformity, against all consistent states written out


def assert_uniform(draw: Callable[[], object], outcomes: Sequence[object], each: int = 60) -> None:
    """Chi-square test on `each` draws for each possible outcome."""
    counts = Counter(draw() for _ in range(each * len(outcomes)))
    assert set(counts) <= set(outcomes), "drew what is not possible"
    assert sum((counts[outcome] - each) ** 2 / each for outcome in outcomes) < chi_square_bound(len(outcomes) - 1)


def chi_square_bound(df: int) -> float:
    """What chi-square exceeds once in a million times, by Wilson and Hilferty's approximation."""
    return df * (1 - 2 / (9 * df) + 4.753 * sqrt(2 / (9 * df))) ** 3


def consistent_decks(view: mantis.View, cards: Sequence[Card]) -> Iterator[tuple[Card, ...]]:
    """All orders of the unseen cards, dealt places first, that agree with the view."""
    flipped = [event.card for event in view.history if isinstance(event, Flip)]
    unseen = [card for card in cards if card not in flipped]
    dealt = [front for fronts in view.dealt for front in fronts]

    def extend(chosen: tuple[Card, ...]) -> Iterator[tuple[Card, ...]]:
        place = len(chosen)
        if place == len(unseen):
            yield chosen
            return
        for card in unseen:
            fits_place = (
                card.front is dealt[place] if place < len(dealt) else place > len(dealt) or card.back == view.top
            )
            if fits_place and card not in chosen:
                yield from extend((*chosen, card))

    return extend(())


def late_positions(edition: str, seats: int) -> Iterator[mantis.State]:
    """Games in which everybody steals all the time, so that nobody scores, until two cards are left."""
    for number in range(3000):
        state = mantis.new(seats, f"late {number}", edition)
        rng = Random(number)
        while state.legal() and len(state.pile) > 2:
            steals = [action for action in state.legal() if action is not mantis.SCORE]
            state.apply(rng.choice(steals))
        if state.legal():
            yield state


@pytest.mark.parametrize(("edition", "seats"), [("grab", 2), ("classic", 2), ("icons", 2), ("icons", 3)])
def test_mantis_determinize_is_uniform_and_the_odds_are_exact(edition: str, seats: int) -> None:
    cards = mantis.EDITIONS[edition].cards
    for state in late_positions(edition, seats):
        view = state.view(0)
        possible = list(consistent_decks(view, cards))
        tops = Counter(deck[4 * seats].colour for deck in possible)
        if 20 <= len(possible) <= 300 and len(set(tops.values())) > 1:
            break
    else:
        pytest.fail("no position with a few possible decks was found")
    rng = Random(5)
    flipped = len(cards) - len(possible[0])

    def draw() -> tuple[Card, ...]:
        deck = state.determinize(view, rng).deck
        return deck[: 4 * seats] + deck[4 * seats + flipped :]

    assert_uniform(draw, possible)
    expected = {colour: tops[colour] / len(possible) for colour in view.top or ()}
    assert top_odds(view) == pytest.approx(expected)


@pytest.mark.parametrize("tables", [("AB", "CD"), ("AB", "AC"), ("AB", "AB", "AC"), ("AB", "BC", "AC")])
def test_tentagram_strict_determinize_is_uniform(tables: tuple[str, ...]) -> None:
    """Seat 1 has laid on these table cards; all injective choices of fitting cards are equally likely."""
    state = _strict_position(tables)
    view = state.view(0)
    rng = Random(5)
    fitting = [[card for card in DECK if fits(card, TableCard(table))] for table in tables]
    possible = [cards for cards in product(*fitting) if len(set(cards)) == len(cards)]
    assert_uniform(lambda: state.determinize(view, rng).decks[1][: len(tables)], possible)


def test_tentagram_strict_determinize_is_uniform_where_places_compete_for_cards() -> None:
    tables = ("AB", "AC", "AB", "AC", "AB", "AC", "AB", "AC", "AB")
    state = _strict_position(tables)
    view = state.view(0)
    rng = Random(5)
    on_ab = [card for card in DECK if fits(card, TableCard("AB"))]
    on_ac = [card for card in DECK if fits(card, TableCard("AC"))]
    # 5 of the 7 cards with AB and 4 of the 7 with AC; three cards have both. Which two lie first, by exact count:
    ways: Counter[tuple[tentagram.Card, ...]] = Counter()
    for ab in permutations(on_ab, 5):
        free = [card for card in on_ac if card not in ab]
        for first in free:
            rest = len(free) - 1
            ways[ab[0], first] += rest * (rest - 1) * (rest - 2)
    total = sum(ways.values())
    draws = 20_000
    counts = Counter(state.determinize(view, rng).decks[1][:2] for _ in range(draws))
    assert set(counts) <= set(ways)
    expected = {pair: draws * n / total for pair, n in ways.items() if n}
    chi_square = sum((counts[pair] - mean) ** 2 / mean for pair, mean in expected.items())
    assert chi_square < chi_square_bound(len(expected) - 1)


def _strict_position(tables: Sequence[str]) -> tentagram.State:
    """A strict game in which seat 1 has laid on these table cards, and the others anywhere."""
    deck = next(_decks_that_fit(tables))
    state = tentagram.State((DECK, deck, DECK), strict=True)
    for table in tables:
        state.apply(state.legal()[0])
        state.apply(LAY[TableCard(table)])
        state.apply(state.legal()[0])
    return state


def _decks_that_fit(tables: Sequence[str]) -> Iterator[tuple[tentagram.Card, ...]]:
    rng = Random(1)
    while True:
        deck: list[tentagram.Card] = []
        for table in tables:
            free = [card for card in DECK if fits(card, TableCard(table)) and card not in deck]
            if not free:
                break
            deck.append(rng.choice(free))
        else:
            yield (*deck, *(card for card in DECK if card not in deck))


def test_tentagram_free_determinize_is_uniform_in_the_own_cards_to_come() -> None:
    state = tentagram.new(3, "seed", "free")
    while len(state.view(0).to_come) > 3:
        state.apply(state.legal()[0])
    view = state.view(0)
    rng = Random(5)
    assert_uniform(lambda: state.determinize(view, rng).decks[0][-3:], list(permutations(view.to_come)))


def test_tentagram_free_determinize_is_uniform_in_the_others_cards() -> None:
    state = tentagram.new(3, "seed", "free")
    state.apply(LAY[TableCard("AB")])
    state.apply(LAY[TableCard("AB")])
    view = state.view(0)
    rng = Random(5)
    assert_uniform(lambda: state.determinize(view, rng).decks[1][:2], list(permutations(DECK, 2)), each=40)
