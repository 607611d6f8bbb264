"""The SDK: its examples run, its turns answer truthfully, and a bot in the wrong place says so."""

from __future__ import annotations

import doctest
import os
import subprocess
import sys
from random import Random

import pytest

from arena.bot import Bot, Clock, MantisTurn, TentagramTurn, mantis, tentagram
from arena.games.mantis import turn as mantis_turn
from arena.games.tentagram import turn as tentagram_turn
from arena.submissions.submission import bundled_folder


def test_the_examples_in_the_docstrings_run() -> None:
    for module in (mantis_turn, tentagram_turn):
        done = doctest.testmod(module)
        assert (done.failed, done.attempted >= 5) == (0, True)


def test_a_bot_plays_the_games_it_has_written() -> None:
    class OnlyMantis(Bot):
        def mantis(self, turn: MantisTurn) -> mantis.Action:
            return turn.legal[0]

    assert OnlyMantis().games == ["mantis"]
    assert Bot().games == []


def test_the_chance_of_a_match_is_what_samples_show() -> None:
    state = mantis.new(seats=3, seed="sdk")
    for _ in range(12):
        state.apply(state.legal()[0])
    turn = MantisTurn(state.view(state.to_move or 0), rng=Random(1))
    hits = 0
    for _ in range(4000):
        sample = turn.sample()
        hits += bool(sample.tanks[turn.me][sample.pile[-1].colour])
    assert hits / 4000 == pytest.approx(turn.chance_of_match(turn.me), abs=0.05)


def test_tentagram_bookkeeping() -> None:
    state = tentagram.new(seats=3, seed="sdk", placement="free")
    for table in ("AB", "AB", "CD", "AB"):
        state.apply(tentagram.LAY[tentagram.TableCard(table)])
    turn = TentagramTurn(state.view(1))
    ab = tentagram.TableCard("AB")
    assert turn.count(ab, 0) == 2
    assert turn.count(ab, 1) == tentagram.fits(state.decks[1][0], ab)
    assert [turn.cards_left(seat) for seat in range(3)] == [14, 15, 15]
    assert set(turn.to_come) == set(state.decks[1][2:])
    assert turn.action(ab) in turn.legal


def test_without_a_limit_the_clock_never_ends() -> None:
    assert Clock().seconds_left == float("inf")
    assert Clock(0.0).seconds_left == 0.0


def test_a_bot_that_is_started_by_hand_says_what_it_is_for() -> None:
    bot = bundled_folder() / "random" / "bot.py"
    environment = {key: value for key, value in os.environ.items() if not key.startswith("ARENA_")}
    done = subprocess.run([sys.executable, bot], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 2
    assert "arena match mantis" in done.stderr
