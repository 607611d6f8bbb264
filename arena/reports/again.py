"""Boards again, from the JSON that `tables` writes: what an arena elsewhere has sent can be shown like one's own."""

from __future__ import annotations

import math
from typing import Any

from arena.errors import ArenaError
from arena.reports.board import Board, BoardRow, HeadToHead, HistoryPoint, Strength
from arena.reports.exports import FORMAT

LARGEST = 1e12
"""Of all numbers on a board."""
NOT_ONE = "this is no leaderboard that can be read here"


def from_json(document: Any) -> list[Board]:
    """The boards in a document of the format arena.leaderboard/1. Raises ArenaError where it is none."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ArenaError(f"{NOT_ONE}: its format is not {FORMAT}.")
    try:
        return [_board(board) for board in document["brackets"]]
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise ArenaError(f"{NOT_ONE}: something is missing in it, or is not what it should be ({error}).") from error


def _board(board: Any) -> Board:
    rows = [_row(row) for row in board["rows"]]
    matrix = [[_meeting(meeting) for meeting in line] for line in board["head_to_head"]]
    if [len(line) for line in matrix] != [len(rows)] * len(rows):
        raise ValueError("head_to_head")
    where = board["tournament"]
    return Board(
        bracket=str(board["bracket"]),
        tournament=None if where is None else str(where),
        matches=_count(board["matches"]),
        rows=rows,
        head_to_head=matrix,
        bots=len(rows),
    )


def _row(row: Any) -> BoardRow:
    think = row["ms_per_move"]
    return BoardRow(
        rank=_count(row["rank"]),
        bot=str(row["bot"]),
        version=str(row["version"]),
        language=str(row["language"]),
        mu=_number(row["mu"]),
        sigma=_number(row["sigma"]),
        strength=None if row["refit"] is None else _strength(row["refit"]),
        separated=None if row["separated"] is None else bool(row["separated"]),
        matches=_count(row["matches"]),
        wins=_number(row["wins"]),
        mean_placement=_or(row["mean_placement"], math.nan),
        think_ms=None if think is None else _number(think),
        faults={str(kind): _count(count) for kind, count in row["faults"].items()},
        placements=[_count(count) for count in row["placements"]],
        think_times=[_count(count) for count in row["think_times"]],
        history=[
            HistoryPoint(_count(point["matches"]), _number(point["mu"]), _number(point["sigma"]))
            for point in row["history"]
        ],
    )


def _strength(strength: Any) -> Strength:
    return Strength(
        _or(strength["strength"], math.nan), _or(strength["low"], -math.inf), _or(strength["high"], math.inf)
    )


def _meeting(meeting: Any) -> HeadToHead | None:
    if meeting is None:
        return None
    found = HeadToHead(_number(meeting["points"]), _count(meeting["matches"]))
    if not 0 <= found.points <= found.matches:
        raise ValueError(f"points {found.points}")
    return found


def _or(value: Any, otherwise: float) -> float:
    """JSON has no infinity; where it could stand is nothing."""
    return otherwise if value is None else _number(value)


def _number(value: Any) -> float:
    number = float(value)
    if not abs(number) <= LARGEST:
        raise ValueError(f"number {number}")
    return number


def _count(value: Any) -> int:
    count = int(value)
    if not 0 <= count <= LARGEST:
        raise ValueError(f"count {value}")
    return count
