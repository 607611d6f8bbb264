"""What people see who look over the network: the same as on the organiser's own machine.

These wait for the disk, so they belong into threads.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from arena.errors import ArenaError, NotFound
from arena.games.brackets import Bracket
from arena.reports.build import build_boards, build_overall
from arena.reports.exports import as_json
from arena.reports.listings import bot_rows, match_rows, tournament_rows
from arena.store.schema import ALL
from arena.store.store import Store
from arena.v1 import desk_pb2 as pb
from arena.web.drawing.highlights import worth_seeing

PART = 60 * 1024
"""The bytes in a message."""
MOST_LINES = 10_000
MOST_REPLAYS = 100
NAMES_IN_A_MESSAGE = 500


def bots(store: Store, request: pb.BotsRequest) -> Sequence[pb.BotsResponse]:
    return [pb.BotsResponse(json=part) for part in _document(bot_rows(store, every=request.every))]


def leaderboard(store: Store, request: pb.LeaderboardRequest) -> Sequence[pb.LeaderboardResponse]:
    number = store.tournaments.find(request.tournament).id if request.tournament else None
    boards = build_boards(store, [Bracket.parse(name).name for name in request.brackets], number)
    overall = build_overall(boards) if len(boards) > 1 else None
    worth = worth_seeing(store, boards, ALL if number is None else number)
    highlights = [pb.Highlight(match=name, why=why) for name, why in worth.items()]
    parts = [pb.LeaderboardResponse(json=part) for part in _document(as_json(boards, overall))]
    return [*parts, pb.LeaderboardResponse(highlights=highlights)]


def history(store: Store, request: pb.HistoryRequest) -> Sequence[pb.HistoryResponse]:
    if not 1 <= request.lines <= MOST_LINES:
        raise ArenaError(f"at most {MOST_LINES:,} lines are told at once, and at least one.")
    rows = (
        match_rows(
            store,
            tournament=request.tournament or None,
            bot=request.bot or None,
            bracket=Bracket.parse(request.bracket).name if request.bracket else None,
            only_faults=request.faults,
            limit=request.lines,
        )
        if request.matches
        else tournament_rows(store, request.lines)
    )
    return [pb.HistoryResponse(json=part) for part in _document(rows)]


def matches(store: Store, request: pb.MatchesRequest) -> Sequence[pb.MatchesResponse]:
    names = store.archive.names(store.tournaments.find(request.tournament).id)
    steps = range(0, len(names), NAMES_IN_A_MESSAGE)
    return [pb.MatchesResponse(names=names[step : step + NAMES_IN_A_MESSAGE]) for step in steps]


def replays(store: Store, request: pb.ReplaysRequest) -> Sequence[pb.ReplaysResponse]:
    if len(request.matches) > MOST_REPLAYS:
        raise ArenaError(f"at most {MOST_REPLAYS} replays are sent at once.")
    answer = []
    for name in request.matches:
        try:
            written = store.matches.replay(name).encode()
        except NotFound as error:
            answer.append(pb.ReplaysResponse(match=name, missing=str(error)))
            continue
        first, *others = _parts(written)
        answer.append(pb.ReplaysResponse(match=name, data=first))
        answer += [pb.ReplaysResponse(data=part) for part in others]
    return answer


def _document(content: object) -> list[bytes]:
    return _parts(json.dumps(content).encode())


def _parts(written: bytes) -> list[bytes]:
    return [written[step : step + PART] for step in range(0, len(written) or 1, PART)]
