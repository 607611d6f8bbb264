"""What a bot reads off the wire is exactly what its seat may know, turn by turn, in every game."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games import mantis, tentagram
from arena.games.codec import TurnEntry
from arena.games.registry import codec_of
from arena.games.tentagram.codec import CARD_CODES, TABLE_CODES
from arena.v1 import referee_pb2 as pb
from tests.support.variants import VARIANTS, Variant


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_the_view_that_is_read_is_the_view_that_was_sent(variant: Variant) -> None:
    state = variant.new("wire")
    codec = codec_of(variant.game.name)
    encoder = codec.encoder(state)
    rules = pb.Rules(number=1, seats=variant.seats)
    encoder.fill_rules(rules)
    rules = pb.Rules.FromString(rules.SerializeToString())
    readers = [codec.reader(rules, seat, 0, encoder.setup()) for seat in range(variant.seats)]
    rng = Random("wire")
    while (seat_to_move := state.to_move) is not None:
        events = encoder.unseen_events(seat_to_move)
        turn = readers[seat_to_move].turn(encoder.legal(), encoder.position(seat_to_move), events)
        assert turn.view == state.view(seat_to_move)
        assert turn.legal == state.legal()
        action = rng.choice(state.legal())
        assert codec.codes.action_of[codec.codes.code_of[action]] is action
        encoder.record(state.apply(action))
    result = state.result()
    end = pb.MatchEnd()
    codec.version1.fill_end(end, encoder.result(result), b"events")
    if isinstance(result, mantis.Result):
        assert (tuple(end.mantis.score_piles), tuple(end.mantis.tanks)) == (result.score, result.tank)
        assert end.mantis.events == b"events"
    elif isinstance(result, tentagram.Result):
        assert tuple(end.tentagram.cards) == result.cards
        assert list(end.tentagram.pile_winners) == [-1 if p.winner is None else p.winner for p in result.piles]
        assert len(end.tentagram.decks) == 16 * variant.seats
        assert end.tentagram.events == b"events"


def test_version_1_says_the_same_of_a_turn_of_mantis() -> None:
    state = mantis.new(3, "wire")
    codec = codec_of("mantis")
    encoder = codec.encoder(state)
    while state.pile:
        message = pb.PlayResponse()
        entry = TurnEntry(4, 5, encoder.legal(), encoder.position(0), b"12345678", 9)
        codec.version1.add_turn(message, 3, entry)
        (turn,) = message.mantis_turns
        assert (turn.match, turn.turn, turn.ms_left, turn.events) == (4, 5, 9, b"12345678")
        assert [codec.codes.action_of[code] for code in turn.legal] == list(state.legal())
        assert list(turn.tanks) == [count for tank in state.tanks for count in tank]
        assert list(turn.score_piles) == state.scores
        assert (turn.draw_pile, tuple(turn.top)) == (len(state.pile), state.pile[-1].back)
        if state.to_move is None:
            break
        encoder.record(state.apply(state.legal()[0]))


def test_version_1_says_the_same_of_a_turn_of_tentagram() -> None:
    state = tentagram.new(4, "wire", "free")
    codec = codec_of("tentagram")
    encoder = codec.encoder(state)
    rng = Random("wire")
    while (seat := state.to_move) is not None:
        message = pb.PlayResponse()
        codec.version1.add_turn(message, 4, TurnEntry(4, 5, encoder.legal(), encoder.position(seat), b"12", 9))
        (turn,) = message.tentagram_turns
        view = state.view(seat)
        assert (turn.match, turn.turn, turn.ms_left, turn.events) == (4, 5, 9, b"12")
        assert turn.hand == CARD_CODES[state.decks[seat][state.round]]
        assert list(turn.fits) == [TABLE_CODES[table] for table in view.fits]
        own_laid = [code for card, table in view.own_laid for code in (CARD_CODES[card], TABLE_CODES[table])]
        assert list(turn.own_laid) == own_laid
        assert sorted(turn.to_come) == sorted(CARD_CODES[card] for card in view.to_come)
        counts = Counter((event.table, event.seat) for event in view.history)
        assert list(turn.laid) == [counts[table, other] for table in tentagram.TABLE_CARDS for other in range(4)]
        encoder.record(state.apply(rng.choice(state.legal())))


@given(code=st.integers(0, 2**32 - 1))
def test_any_number_is_an_action_or_none(code: int) -> None:
    for variant in (VARIANTS[0], VARIANTS[-1]):
        codec = codec_of(variant.game.name)
        action = codec.codes.action_of.get(code)
        assert action is None or codec.codes.code_of[action] == code


def test_a_pile_of_all_cards_fits_into_the_message() -> None:
    """256 cards in one pile are more than a byte holds."""
    state = tentagram.new(16, "wire", "free")
    encoder = codec_of("tentagram").encoder(state)
    while state.to_move is not None:
        encoder.record(state.apply(tentagram.LAY[tentagram.TABLE_CARDS[0]]))
    assert encoder.result(state.result())


def test_the_order_of_the_cards_to_come_is_not_sent() -> None:
    """Two games that differ only in the order of seat 0's cards to come look the same to it."""
    state = tentagram.new(3, "wire", "free")
    own = state.decks[0]
    other = tentagram.State(((own[0], *reversed(own[1:])), *state.decks[1:]), strict=False)
    one, two = (codec_of("tentagram").encoder(game).position(0) for game in (state, other))
    assert one == two
