"""What a bot reads off the wire is exactly what its seat may know, turn by turn, in every game."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games import mantis, tentagram
from arena.games.codec import Reader
from arena.games.registry import codec_of
from arena.v1 import referee_pb2 as pb
from tests.support.variants import VARIANTS, Variant


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_the_view_that_is_read_is_the_view_that_was_sent(variant: Variant) -> None:
    state = variant.new("wire")
    codec = codec_of(variant.game.name)
    encoder = codec.encoder(state)
    readers: list[Reader] = []
    for seat in range(variant.seats):
        start = pb.MatchStart(match=seat + 1, seats=variant.seats, seat=seat)
        encoder.fill_start(start)
        readers.append(codec.reader(pb.MatchStart.FromString(start.SerializeToString())))
    rng = Random("wire")
    number = 1
    while (seat_to_move := state.to_move) is not None:
        message = pb.PlayResponse()
        encoder.add_turn(message, seat_to_move, seat_to_move + 1, number, 0)
        message = pb.PlayResponse.FromString(message.SerializeToString())
        (sent,) = getattr(message, codec.turns)
        turn = readers[seat_to_move].turn(sent, 0.0, rng)
        assert turn.view == state.view(seat_to_move)
        assert turn.legal == state.legal()
        action = rng.choice(state.legal())
        assert codec.codes.action_of[codec.codes.code_of[action]] is action
        encoder.record(state.apply(action))
        number += 1
    result = state.result()
    end = pb.MatchEnd()
    encoder.fill_end(end, 0, result)
    if isinstance(result, mantis.Result):
        assert (tuple(end.mantis.score_piles), tuple(end.mantis.tanks)) == (result.score, result.tank)
    elif isinstance(result, tentagram.Result):
        assert tuple(end.tentagram.cards) == result.cards
        assert list(end.tentagram.pile_winners) == [-1 if p.winner is None else p.winner for p in result.piles]
        assert len(end.tentagram.decks) == 16 * variant.seats


@given(code=st.integers(0, 2**32 - 1))
def test_any_number_is_an_action_or_none(code: int) -> None:
    for variant in (VARIANTS[0], VARIANTS[-1]):
        codec = codec_of(variant.game.name)
        action = codec.codes.action_of.get(code)
        assert action is None or codec.codes.code_of[action] == code


def test_a_pile_of_all_cards_fits_into_the_message() -> None:
    """256 cards in one pile are more than a byte holds."""
    state = tentagram.new(16, "wire")
    encoder = codec_of("tentagram").encoder(state)
    while state.to_move is not None:
        encoder.record(state.apply(tentagram.LAY[tentagram.TABLE_CARDS[0]]))
    encoder.fill_end(pb.MatchEnd(), 0, state.result())


def test_the_order_of_the_cards_to_come_is_not_sent() -> None:
    """Two games that differ only in the order of seat 0's cards to come look the same to it."""
    state = tentagram.new(3, "wire")
    own = state.decks[0]
    other = tentagram.State(((own[0], *reversed(own[1:])), *state.decks[1:]), strict=False)
    messages = []
    for game in (state, other):
        message = pb.PlayResponse()
        codec_of("tentagram").encoder(game).add_turn(message, 0, 1, 1, 0)
        messages.append(message.SerializeToString(deterministic=True))
    assert messages[0] == messages[1]
