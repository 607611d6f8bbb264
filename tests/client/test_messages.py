"""Values as protobuf messages, and back."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from arena.client.messages import BadMessage, from_message, to_message
from arena.rating.standings import Meetings
from arena.reports.board import Board, BoardRow, HistoryPoint, Strength
from arena.reports.build import build_boards
from arena.reports.listings import BotSummary, MatchSummary, SeatSummary, TournamentSummary
from arena.store.home import Home
from arena.store.store import Store
from arena.v1 import desk_pb2 as pb
from bench.stores import fill

ROW = BoardRow(
    1,
    "a",
    "1",
    "c",
    25.0,
    8.0,
    Strength(3.0, -math.inf, math.inf),
    None,
    1,
    0.5,
    1.0,
    None,
    {"timeout": 1, "crash": 2},
    [1],
    [0],
    [HistoryPoint(1, 2.0, 3.0)],
)
BOARD = Board("mantis", "3", 1, [ROW, ROW], [[None, Meetings(0.5, 1)], [Meetings(0.5, 1), None]], bots=None)
SEAT = SeatSummary("anna/a 1", 1, "timeout", "It slept.", 1.5, None, 0.0)
VALUES = [
    (BOARD, pb.Board),
    (BotSummary("a", "1", "c", ("mantis",), "now", True, "", {"b": 1.5, "a": -2.0}, 3, 0, None, ""), pb.BotSummary),
    (TournamentSummary(1, "cup", "swiss", ("b", "a"), 4, 0, "done", False, "now", None), pb.TournamentSummary),
    (MatchSummary("m", 1, "mantis", "", "now", "points", (SEAT, SEAT), 0.5, False, "none"), pb.MatchSummary),
]


@pytest.mark.parametrize(("value", "kind"), VALUES)
def test_values_are_the_same_after_a_round_trip(value: object, kind: type[pb.Board]) -> None:
    sent = to_message(value, kind()).SerializeToString()
    assert from_message(kind.FromString(sent), type(value)) == value


def test_real_boards_are_the_same_after_a_round_trip(tmp_path: Path) -> None:
    fill(Home(tmp_path), 24, bots=4)
    with Store.open(Home(tmp_path).database) as store:
        boards = build_boards(store, [], None)
    assert [from_message(to_message(board, pb.Board()), Board) for board in boards] == boards


def test_a_matrix_that_is_not_square_is_refused() -> None:
    message = to_message(BOARD, pb.Board())
    del message.head_to_head_points[-1]
    with pytest.raises(BadMessage, match="not complete"):
        from_message(message, Board)


@pytest.mark.parametrize("points", [-1.0, 2.0, math.nan])
def test_a_matrix_with_impossible_points_is_refused(points: float) -> None:
    message = to_message(BOARD, pb.Board())
    message.head_to_head_points[1] = points
    with pytest.raises(BadMessage, match="more points than matches"):
        from_message(message, Board)


@pytest.mark.parametrize("number", [1e13, math.inf, math.nan])
def test_numbers_that_cannot_be_shown_are_refused(number: float) -> None:
    message = to_message(BOARD, pb.Board())
    message.rows[1].mu = number
    with pytest.raises(BadMessage, match="too large"):
        from_message(message, Board)
