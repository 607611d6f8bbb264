"""Leaderboards: across brackets and of each bracket, with filters, live updates and downloads."""

from __future__ import annotations

import json
import math
import time
from dataclasses import replace

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import NotFound, UserError, unknown
from arena.games.brackets import Bracket
from arena.reports import words
from arena.reports.board import Board, Leaderboard, OverallBoard
from arena.reports.build import BoardFilter, build_board, load_overall
from arena.reports.exports import as_csv, as_json
from arena.store.store import Store
from arena.store.tournaments import TournamentRecord
from arena.web.config import CONFIG
from arena.web.drawing import plots
from arena.web.events import Messages, Topic
from arena.web.pages.progress import status_of
from arena.web.site import number, site_of
from arena.web.templating import render


def filter_in(request: Request) -> BoardFilter:
    """Return the filter in the address."""
    given = request.query_params
    versions = given.get("versions") or "all"
    if versions not in ("all", "latest"):
        raise UserError(unknown("choice of versions", versions, ["all", "latest"]))
    return BoardFilter(
        number(given.get("tournament"), "tournament"),
        versions == "latest",
        number(given.get("seats"), "number of seats"),
        max(1, number(given.get("first"), "rank") or 1),
    )


def other_pages(first: int, bots: int) -> list[int]:
    """Return the first ranks of the previous and the next page of a long board."""
    size = CONFIG.board_rows
    previous = [max(1, first - size)] if first > 1 else []
    return [*previous, first + size] if first + size <= bots else previous


def home(request: Request) -> Response:
    """The first page: the board across brackets, and the latest tournaments."""
    site = site_of(request)
    chosen = filter_in(request)
    overall = load_overall(site.store, chosen)
    running = site.running()
    latest = site.store.tournaments.latest(CONFIG.recent_tournaments)
    return site.page(
        request,
        "home.html",
        brackets=overall.brackets,
        filter=chosen,
        parts=_across_parts(chosen, overall),
        other_pages=other_pages(chosen.first, len(overall.rows)),
        tournaments=_choosable(site.store),
        recent=[(each, status_of(each, running)) for each in latest],
    )


def follow_home(request: Request) -> Response:
    site = site_of(request)
    chosen = filter_in(request)
    return site.hub.response(("boards", chosen), Topic(lambda: _across_parts(chosen, load_overall(site.store, chosen))))


def _across_parts(chosen: BoardFilter, overall: OverallBoard) -> Messages:
    """Render what changes on the first page while a tournament runs."""
    if not overall.rows:
        return {"overall": ""}
    shown = replace(overall, rows=overall.rows[chosen.first - 1 :][: CONFIG.board_rows])
    return {"overall": render("parts/overall.html", overall=shown, bots=len(overall.rows))}


def _choosable(store: Store) -> list[TournamentRecord]:
    return [each for each in store.tournaments.latest(CONFIG.tournament_choices) if each.rated]


def board(request: Request) -> Response:
    """The board of one bracket."""
    site = site_of(request)
    chosen = filter_in(request)
    name = _bracket_in(request, site.store, chosen)
    shown = build_board(site.store, name, chosen, limit=CONFIG.board_rows)
    return site.page(
        request,
        "board.html",
        board=shown,
        brackets=site.store.standings.brackets(chosen.scope),
        filter=chosen,
        other_pages=other_pages(chosen.first, shown.bots or 0),
        sizes=site.store.standings.table_sizes(chosen.scope, name),
        tournaments=_choosable(site.store),
        parts={**_parts(shown), "figures": _figures(shown)},
        plots=plots,
    )


def follow_board(request: Request) -> Response:
    site = site_of(request)
    chosen = filter_in(request)
    name = _bracket_in(request, site.store, chosen)
    figures, made = Markup(""), -math.inf

    def parts() -> Messages:
        nonlocal figures, made
        board = build_board(site.store, name, chosen, limit=CONFIG.board_rows)
        if time.monotonic() - made > CONFIG.plot_interval:  # plots are large and change slowly
            figures, made = _figures(board), time.monotonic()
        return {**_parts(board), "figures": figures}

    return site.hub.response(("board", name, chosen), Topic(parts))


def _parts(board: Board) -> dict[str, str]:
    """Render what changes on the page while a tournament runs, except the plots."""
    return {
        "facts": render("parts/facts.html", board=board),
        "standings": render("parts/standings.html", board=board),
    }


def _figures(board: Board) -> Markup:
    return render("parts/figures.html", board=board, plots=plots)


def download(request: Request) -> Response:
    """A board, or all boards, as CSV or JSON."""
    store = site_of(request).store
    chosen = filter_in(request)
    is_one = "bracket" in request.path_params
    names = [_bracket_in(request, store, chosen)] if is_one else store.standings.brackets(chosen.scope)
    if request.url.path.endswith(".csv"):
        boards = [build_board(store, name, chosen, with_history=False) for name in names]
        return Response(as_csv(boards), media_type="text/csv")
    boards = [_with_short_histories(build_board(store, name, chosen)) for name in names]
    overall = Leaderboard(tuple(boards)).overall
    return Response(json.dumps(as_json(boards, overall), ensure_ascii=False), media_type="application/json")


def _with_short_histories(board: Board) -> Board:
    """Return the board with as many history points as a plot needs; `arena leaderboard --json` has all."""
    points = CONFIG.exported_history_points
    return replace(board, rows=[replace(row, history=words.sampled(row.history, points)) for row in board.rows])


def _bracket_in(request: Request, store: Store, chosen: BoardFilter) -> str:
    """Return the bracket in the address. Raise `NotFound` if it has no matches."""
    name = Bracket.parse(request.path_params["bracket"]).name
    if name not in store.standings.brackets(chosen.scope):
        raise NotFound(f"No `{name}` matches on record{' in this tournament' if chosen.tournament else ''}.")
    return name


ROUTES = [
    Route("/", home),
    Route("/boards.csv", download),
    Route("/boards.json", download),
    Route("/boards/{bracket:path}.csv", download),
    Route("/boards/{bracket:path}.json", download),
    Route("/events/boards", follow_home),
    Route("/events/boards/{bracket:path}", follow_board),
    Route("/boards/{bracket:path}", board),
]
