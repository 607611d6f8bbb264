"""The desk's requests that only read. They wait for the disk: call them in threads."""

from __future__ import annotations

from arena.client.messages import to_message
from arena.errors import NotFound, UserError
from arena.games.brackets import Bracket
from arena.reports.build import build_boards
from arena.reports.highlights import find_highlights
from arena.reports.listings import list_bots, list_matches, list_tournaments
from arena.store.schema import ALL
from arena.store.store import Store
from arena.v1 import desk_pb2 as pb

MAX_ROWS = 10_000
MAX_REPLAYS = 100


def bots(store: Store, request: pb.ListBotsRequest) -> pb.ListBotsResponse:
    rows = list_bots(store, every=request.every)
    return pb.ListBotsResponse(bots=[to_message(row, pb.BotSummary()) for row in rows])


def leaderboard(store: Store, request: pb.GetLeaderboardRequest) -> pb.GetLeaderboardResponse:
    number = store.tournaments.find(request.tournament).id if request.tournament else None
    boards = build_boards(store, [Bracket.parse(name).name for name in request.brackets], number)
    highlights = find_highlights(store, boards, ALL if number is None else number)
    return pb.GetLeaderboardResponse(
        boards=[to_message(board, pb.Board()) for board in boards],
        highlights=[pb.Highlight(match=name, why=why) for name, why in highlights.items()],
    )


def tournaments(store: Store, request: pb.ListTournamentsRequest) -> pb.ListTournamentsResponse:
    rows = list_tournaments(store, _limit(request.limit))
    return pb.ListTournamentsResponse(tournaments=[to_message(row, pb.TournamentSummary()) for row in rows])


def matches(store: Store, request: pb.ListMatchesRequest) -> pb.ListMatchesResponse:
    rows = list_matches(
        store,
        tournament=request.tournament or None,
        bot=request.bot or None,
        bracket=Bracket.parse(request.bracket).name if request.bracket else None,
        only_faults=request.only_faults,
        limit=_limit(request.limit),
    )
    return pb.ListMatchesResponse(matches=[to_message(row, pb.MatchSummary()) for row in rows])


def match_names(store: Store, request: pb.ListMatchNamesRequest) -> pb.ListMatchNamesResponse:
    tournament = store.tournaments.find(request.tournament)
    return pb.ListMatchNamesResponse(names=store.history.names(tournament.id))


def replays(store: Store, request: pb.GetReplaysRequest) -> pb.GetReplaysResponse:
    if len(request.matches) > MAX_REPLAYS:
        raise UserError(f"Too many replays: {len(request.matches)} in one request, expected at most {MAX_REPLAYS}.")
    return pb.GetReplaysResponse(replays=[_replay(store, name) for name in request.matches])


def _replay(store: Store, name: str) -> pb.MatchReplay:
    try:
        return pb.MatchReplay(match=name, data=store.matches.replay(name).encode())
    except NotFound as error:
        return pb.MatchReplay(match=name, missing=str(error))


def _limit(limit: int) -> int:
    if not 1 <= limit <= MAX_ROWS:
        raise UserError(f"Invalid limit `{limit}`: expected 1 to {MAX_ROWS:,} rows.")
    return limit
