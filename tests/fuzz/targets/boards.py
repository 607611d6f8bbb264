"""Whatever a server sends as its leaderboard: it can be shown in every form, or it is refused with an ArenaError."""

from __future__ import annotations

import io
import math

from google.protobuf.message import DecodeError
from rich.console import Console

from arena.cli.boards import render, render_head_to_head, render_overall
from arena.client.messages import BadMessage, from_message, to_message
from arena.rating.standings import Meetings
from arena.reports.board import Board, BoardRow, HistoryPoint, OverallBoard, Strength
from arena.reports.exports import as_csv, as_json, as_markdown
from arena.v1 import desk_pb2 as pb
from arena.web.exported import leaderboard_page


def check(data: bytes) -> None:
    try:
        response = pb.GetLeaderboardResponse.FromString(data)
    except DecodeError:
        return
    try:
        boards = [from_message(board, Board) for board in response.boards]
    except BadMessage as error:
        str(error).encode(errors="replace")
        return
    console = Console(file=io.StringIO(), width=100)
    for board in boards:
        console.print(render(board))
        if len(board.rows) > 1:
            console.print(render_head_to_head(board))
    overall = OverallBoard.across(boards) if boards else None
    if overall:
        console.print(render_overall(overall))
    as_csv(boards)
    as_json(boards, overall)
    as_markdown(boards, overall)
    leaderboard_page(boards, overall, "title", "now", [])


def seeds() -> list[bytes]:
    strengths = [Strength(20.0, 10.0, 30.0), Strength(-20.0, -math.inf, math.inf), None]
    rows = [
        BoardRow(
            *(
                rank,
                f"bot {rank}",
                "1",
                "c",
                30.0 - rank,
                2.0,
                strength,
                rank == 1,
                4,
                1.5,
                2.0,
                3.0 if strength else None,
            ),
            faults={"timeout": 1},
            placements=[1, 2, 1],
            think_times=[0, 4, 0],
            history=[HistoryPoint(1, 25.0, 8.0), HistoryPoint(4, 30.0 - rank, 2.0)],
        )
        for rank, strength in enumerate(strengths, start=1)
    ]
    matrix = [[None if one == other else Meetings(1.0, 2) for other in range(3)] for one in range(3)]
    boards = [Board("mantis", None, 4, rows, matrix, bots=3), Board("tentagram", None, 0, [], [], bots=0)]
    messages = [to_message(board, pb.Board()) for board in boards]
    return [
        pb.GetLeaderboardResponse(boards=some).SerializeToString() for some in (messages, messages[:1], messages[1:])
    ]
