"""Tests of the bot, without a referee: a turn can be made from any position of the engine. Run: python -m pytest"""

from __future__ import annotations

import pytest
from bot import MyBot

from arena.bot import MantisTurn, TentagramTurn, mantis, tentagram


@pytest.mark.parametrize("seats", range(2, 7))
def test_it_plays_mantis_to_the_end(seats: int) -> None:
    bot = MyBot()
    state = mantis.new(seats=seats, seed="test", edition="icons")
    while (seat := state.to_move) is not None:
        state.apply(bot.mantis(MantisTurn(state.view(seat))))
    assert state.result().placements


@pytest.mark.parametrize("seats", range(3, 7))
def test_it_plays_tentagram_to_the_end(seats: int) -> None:
    bot = MyBot()
    state = tentagram.new(seats=seats, seed="test", placement="strict")
    while (seat := state.to_move) is not None:
        state.apply(bot.tentagram(TentagramTurn(state.view(seat))))
    assert state.result().placements


def test_it_scores_when_that_is_sure_to_work() -> None:
    state = mantis.new(seats=2, seed="test")
    state.tanks = [[1, 1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0, 0]]
    assert MyBot().mantis(MantisTurn(state.view(0))) is mantis.SCORE
