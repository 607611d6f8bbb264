"""What every game promises, checked for every game, option and number of seats. A new game gets all of it for free."""

from __future__ import annotations

import copy
import json
import pickle
from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import replay
from arena.errors import BadActionText, BadDeal, BadSeatCount, IllegalAction, UnknownGame, UnknownOption
from arena.errors import UnknownOptionValue as BadValue
from arena.games import mantis, tentagram
from arena.games.base import AnyState, Result
from arena.games.registry import GAMES, find_game
from arena.replay import simulate_game
from tests.support.variants import VARIANTS, Variant

seeds = st.text(max_size=12)
every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=str)
few = settings(max_examples=12)


def facts(state: AnyState) -> object:
    """All that there is to know about a state, hidden or not."""
    return state.deal(), state.to_move, state.legal(), [state.view(seat) for seat in range(state.seats)]


def cards_of(state: AnyState) -> Counter[str]:
    """Every card, wherever it lies."""
    if isinstance(state, mantis.State):
        flipped = [event.card for event in state.history if isinstance(event, mantis.Flip)]
        dealt = list(state.deck[: 4 * state.seats])
        assert sum(map(sum, state.tanks)) + sum(state.scores) == len(dealt) + len(flipped)
        return Counter(map(str, [*dealt, *flipped, *state.pile]))
    assert isinstance(state, tentagram.State)
    lying = Counter(card.card for pile in state.piles() for card in (*pile.counted, *pile.set_aside))
    in_decks = Counter(card for seat, deck in enumerate(state.decks) for card in deck[state.laid_cards(seat) :])
    return Counter(map(str, (lying + in_decks).elements()))


@every_variant
@few
@given(seed=seeds)
def test_a_whole_game(variant: Variant, seed: str) -> None:
    """Cards are conserved, legal actions apply and others raise, notation parses back, and the game ends."""
    game = variant.game
    state = variant.new(seed)
    all_cards = cards_of(state)
    rng = Random(seed)
    everything = {str(action): action for action in _every_action(variant)}
    steps = 0
    while (seat := state.to_move) is not None:
        legal = state.legal()
        notations = [str(action) for action in legal]
        assert legal, "a seat is on turn but can do nothing"
        assert len(set(notations)) == len(legal)
        assert [game.parse_action(text) for text in notations] == list(legal)
        assert set(state.house_actions()) <= set(legal)
        assert state.view(seat).legal == legal
        if steps % 7 == 0:
            before = facts(state)
            for text in everything.keys() - set(notations):
                with pytest.raises(IllegalAction):
                    state.apply(everything[text])
            assert facts(state) == before
        events = state.apply(rng.choice(legal))
        assert events
        assert cards_of(state) == all_cards
        steps += 1
        assert steps <= 1000
    assert state.legal() == ()
    for action in everything.values():
        with pytest.raises(IllegalAction, match="the game is over"):
            state.apply(action)
    check_result(state.result(), variant.seats)


def _every_action(variant: Variant) -> list[object]:
    """All actions that the game's notation has, for any number of seats."""
    texts = ["score"] + [f"{kind} {seat}" for kind in ("steal", "pilfer") for seat in range(10)]
    if variant.game.name == "tentagram":
        texts = list(tentagram.TABLE_CARDS)
    return [variant.game.parse_action(text) for text in texts]


def check_result(result: Result, seats: int) -> None:
    assert len(result.placements) == seats
    for place in result.placements:
        assert place == 1 + sum(other < place for other in result.placements)
    for seat in result.winners:
        assert result.placements[seat] == 1


@every_variant
@few
@given(seed=seeds, actions=st.integers(0, 60))
def test_clone_is_equal_and_independent(variant: Variant, seed: str, actions: int) -> None:
    state = variant.random_state(seed, actions)
    before = facts(state)
    twin = state.clone()
    assert facts(twin) == before
    rng = Random(seed)
    while twin.legal():
        twin.apply(rng.choice(twin.legal()))
    assert facts(state) == before
    assert facts(copy.deepcopy(state)) == before
    assert facts(pickle.loads(pickle.dumps(state))) == before  # noqa: S301


@every_variant
@few
@given(seed=seeds)
def test_same_seed_same_game_and_another_seed_another(variant: Variant, seed: str) -> None:
    assert variant.new(seed).deal() == variant.new(seed).deal()
    assert variant.new(seed).deal() != variant.new(seed + "!").deal()


@every_variant
@few
@given(seed=seeds)
def test_a_deal_can_be_written_and_dealt_again(variant: Variant, seed: str) -> None:
    state = variant.new(seed)
    written = json.loads(json.dumps(state.deal()))
    assert facts(variant.game.from_deal(written, variant.seats, **variant.options)) == facts(state)


@every_variant
@few
@given(seed=seeds)
def test_the_replay_of_a_game_verifies(variant: Variant, seed: str) -> None:
    played = simulate_game(variant.game, variant.options, variant.seats, seed, "match")
    read_back = replay.loads(replay.dumps(played.replay).encode())
    assert replay.verify(read_back) == played.result


@every_variant
def test_forfeiters_are_placed_last_the_later_the_better(variant: Variant) -> None:
    state = variant.random_state("seed", 1000)
    for count in range(variant.seats + 1):
        forfeited = Random(count).sample(range(variant.seats), count)
        result = state.result(forfeited)
        check_result(result, variant.seats)
        assert [result.placements[seat] for seat in forfeited] == [variant.seats - order for order in range(count)]
        assert not set(forfeited) & set(result.winners)


@pytest.mark.parametrize("game", GAMES)
def test_bad_input_gets_a_named_error_with_the_remedy(game: str) -> None:
    found = find_game(game)
    option, default = next(iter(found.complete({}).items()))
    with pytest.raises(BadValue, match=f"expected {default}"):
        found.new(4, "seed", **{option: "qqqqq"})
    with pytest.raises(UnknownOption, match=option):
        found.new(4, "seed", colour="red")
    with pytest.raises(BadSeatCount, match=r"cannot be played with .*: expected \d+ to \d+\."):
        found.new(99, "seed")
    for text in ("", "fold", "SCORE", "ab", "steal", "steal -1", "steal 10", "steal  1", "AB\n", "steal \u0661"):
        with pytest.raises(BadActionText):
            found.parse_action(text)
    for deal in (None, 7, "AB", [], [1, 2, 3], [["ABC"]], {"a": 1}):
        with pytest.raises(BadDeal):
            found.from_deal(deal, 4)


def test_an_unknown_game_gets_a_named_error_with_the_nearest_name() -> None:
    with pytest.raises(UnknownGame, match="did you mean `mantis`"):
        find_game("mantiss")
    with pytest.raises(UnknownGame, match="expected mantis or tentagram"):
        find_game("chess")


def test_a_deal_with_a_card_twice_or_of_another_edition_is_refused() -> None:
    deal = list(mantis.new(4, "seed").deal())  # type: ignore[arg-type]
    for bad in ([deal[0], *deal[:-1]], [*deal[:-1], "R:ROG+pilfer"], deal[:-1]):
        with pytest.raises(BadDeal):
            find_game("mantis").from_deal(bad, 4)
    decks = [list(deck) for deck in tentagram.new(3, "seed").decks]
    decks[1][0] = decks[1][1]
    with pytest.raises(BadDeal, match="seat 1"):
        find_game("tentagram").from_deal(decks, 3)
