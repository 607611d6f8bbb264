"""The board across brackets."""

from __future__ import annotations

from math import sqrt

import pytest

from arena.rating.trueskill import MU, SIGMA
from arena.reports.board import OverallBoard, Reached


def board_of(**brackets: dict[str, tuple[float, float]]) -> OverallBoard:
    """Return the board of these bots, with mu and sigma in each bracket."""
    return OverallBoard.of(
        {
            bracket: {(bot, "1"): Reached(mu, sigma, 10) for bot, (mu, sigma) in bots.items()}
            for bracket, bots in brackets.items()
        }
    )


def order(board: OverallBoard) -> list[str]:
    return [row.bot for row in board.rows]


def test_a_bracket_that_a_bot_has_not_played_does_not_count() -> None:
    """It counted as 0, so a bot of both brackets was before any bot of one."""
    board = board_of(
        mantis={"strong": (32.0, 1.0), "middle": (25.0, 1.0), "weak": (18.0, 1.0)},
        tentagram={"middle": (25.0, 1.0), "weak": (18.0, 1.0), "another": (32.0, 1.0)},
    )
    assert order(board) == ["another", "strong", "middle", "weak"]
    assert {row.bot: len(row.by_bracket) for row in board.rows} == {"another": 1, "strong": 1, "middle": 2, "weak": 2}


def test_no_bracket_dominates() -> None:
    """Ratings are spread ten times as widely in one bracket, and say the opposite in it."""
    wide = {f"bot {number}": (25.0 + 5.0 * number, 0.5) for number in (-1, 0, 1)}
    narrow = {f"bot {number}": (25.0 - 0.5 * number, 0.05) for number in (-1, 0, 1)}
    ratings = [row.conservative for row in board_of(wide=wide, narrow=narrow).rows]
    assert ratings == pytest.approx([ratings[0]] * 3)


def test_ratings_have_the_mean_and_spread_of_new_bots() -> None:
    (row,) = board_of(mantis={"alone": (31.0, 2.0)}).rows
    assert row.conservative == pytest.approx(MU - 3 * SIGMA)
    assert row.by_bracket == {"mantis": 25.0}


def test_uncertainty_shrinks_with_the_number_of_brackets() -> None:
    bots = {"a": (25.0, 2.0), "b": (25.0, 2.0)}
    one, two = board_of(x=bots).rows[0], board_of(x=bots, y=bots).rows[0]
    assert MU - two.conservative == pytest.approx((MU - one.conservative) / sqrt(2))


def test_there_may_be_no_bots() -> None:
    assert board_of(mantis={}).rows == []
