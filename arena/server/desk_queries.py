"""The desk's requests that only read. They wait for the disk: call them in threads."""

from __future__ import annotations

from types import SimpleNamespace

from arena.api import Arena
from arena.client.messages import to_message
from arena.errors import NotFound, UserError
from arena.v1 import desk_pb2 as pb

MAX_ROWS = 10_000
MAX_REPLAYS = 100


def bots(arena: Arena, request: pb.ListBotsRequest) -> pb.ListBotsResponse:
    return to_message(SimpleNamespace(bots=arena.bots(every=request.every)), pb.ListBotsResponse())


def leaderboard(arena: Arena, request: pb.GetLeaderboardRequest) -> pb.GetLeaderboardResponse:
    found = arena.leaderboard(request.brackets, tournament=request.tournament or None, highlights=True)
    return to_message(found, pb.GetLeaderboardResponse())


def tournaments(arena: Arena, request: pb.ListTournamentsRequest) -> pb.ListTournamentsResponse:
    found = arena.tournaments(_limit(request.limit))
    return to_message(SimpleNamespace(tournaments=found), pb.ListTournamentsResponse())


def matches(arena: Arena, request: pb.ListMatchesRequest) -> pb.ListMatchesResponse:
    found = arena.matches(
        tournament=request.tournament or None,
        bot=request.bot or None,
        bracket=request.bracket or None,
        only_faults=request.only_faults,
        limit=_limit(request.limit),
    )
    return to_message(SimpleNamespace(matches=found), pb.ListMatchesResponse())


def match_names(arena: Arena, request: pb.ListMatchNamesRequest) -> pb.ListMatchNamesResponse:
    return pb.ListMatchNamesResponse(names=arena.match_names(request.tournament))


def replays(arena: Arena, request: pb.GetReplaysRequest) -> pb.GetReplaysResponse:
    if len(request.matches) > MAX_REPLAYS:
        raise UserError(f"Too many replays: {len(request.matches)} in one request, expected at most {MAX_REPLAYS}.")
    response = pb.GetReplaysResponse()
    for name, found in zip(request.matches, arena.replays(request.matches), strict=True):
        if isinstance(found, NotFound):
            response.replays.add(match=name, missing=str(found))
        else:
            response.replays.add(match=name, data=found)
    return response


def _limit(limit: int) -> int:
    if not 1 <= limit <= MAX_ROWS:
        raise UserError(f"Invalid limit `{limit}`: expected 1 to {MAX_ROWS:,} rows.")
    return limit
