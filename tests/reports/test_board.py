"""Boards as plain values."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd  # type: ignore[import-untyped]
import pytest

from tests.support.boards import board


def test_a_board_becomes_a_data_frame_with_a_line_for_each_row() -> None:
    sample = board()
    frame = pd.DataFrame(sample.to_dicts())
    assert list(frame["rank"]) == [row.rank for row in sample.rows]
    assert list(frame["rating"]) == [row.conservative for row in sample.rows]
    first = sample.rows[0]
    assert first.strength
    assert frame["strength"][0] == pytest.approx(first.strength.elo)
    assert frame["win_share"][0] == pytest.approx(first.wins / first.matches)
    assert set(frame["bracket"]) == {sample.bracket}


def test_values_that_are_unknown_are_none() -> None:
    sample = board()
    unknown = replace(sample.rows[0], strength=None, matches=0, think_ms=None, separated=None)
    (row,) = replace(sample, rows=[unknown]).to_dicts()
    assert {name for name, value in row.items() if value is None} == {
        *("strength", "strength_low", "strength_high", "separated"),
        *("win_share", "mean_placement", "ms_per_move"),
    }
