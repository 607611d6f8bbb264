"""Boards that come from elsewhere, as JSON."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.reports.again import from_json
from arena.reports.board import Board, BoardRow, HeadToHead, HistoryPoint, Strength
from arena.reports.build import build_boards
from arena.reports.exports import as_json
from arena.store.home import Home
from arena.store.store import Store
from bench.stores import fill


def sent(boards: list[Board]) -> Any:
    return json.loads(json.dumps(as_json(boards, None), allow_nan=False))


def test_boards_come_back_as_they_were(tmp_path: Path) -> None:
    fill(Home(tmp_path), 24, bots=4)
    with Store.open(Home(tmp_path).database) as store:
        boards = build_boards(store, [], None)
    assert from_json(sent(boards)) == boards


def test_what_is_infinite_comes_back_too() -> None:
    refit = Strength(3.0, -math.inf, math.inf)
    row = BoardRow(
        1,
        "a",
        "1",
        "c",
        25.0,
        8.0,
        refit,
        None,
        1,
        0.5,
        1.0,
        None,
        {"timeout": 1},
        [1],
        [0],
        [HistoryPoint(1, 2.0, 3.0)],
    )
    board = Board("mantis", "3", 1, [row], [[HeadToHead(0.5, 1)]], bots=1)
    assert from_json(sent([board])) == [board]


@pytest.mark.parametrize("wrong", [None, [], {}, {"format": "arena.leaderboard/2"}])
def test_what_is_no_leaderboard_is_refused(wrong: Any) -> None:
    with pytest.raises(ArenaError, match=r"its format is not arena\.leaderboard/1"):
        from_json(wrong)


@pytest.mark.parametrize("brackets", [None, 7, [7], [{}], [{"bracket": "x", "tournament": None, "matches": "many"}]])
def test_what_is_not_all_there_is_refused(brackets: Any) -> None:
    with pytest.raises(ArenaError, match="something is missing"):
        from_json({"format": "arena.leaderboard/1", "brackets": brackets})
