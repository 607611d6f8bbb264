"""Leaderboards: across brackets and of each bracket, with filters, live updates and downloads."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import NotFound
from arena.games.brackets import Bracket
from arena.reports import words
from arena.reports.board import Board, OverallBoard
from arena.reports.build import build_overall
from arena.reports.exports import as_csv, as_json
from arena.store.store import Store
from arena.store.tournaments import TournamentRecord
from arena.web.config import CONFIG
from arena.web.drawing import board_page
from arena.web.events import Messages
from arena.web.pages.board_filter import BoardFilter
from arena.web.pages.progress import status_of
from arena.web.site import Site, site_of


def home(request: Request) -> Response:
    """The first page: the board across brackets, and the latest tournaments."""
    site = site_of(request)
    chosen = BoardFilter.of(request)
    overall = chosen.load_across(site.store)
    running = site.running()
    latest = site.store.tournaments.latest(CONFIG.recent_tournaments)
    return site.renderer.page(
        request,
        "home.html",
        brackets=overall.brackets,
        filter=chosen,
        parts=across_parts(site, chosen, overall),
        other_pages=chosen.other_pages(len(overall.rows)),
        tournaments=_choosable(site.store),
        recent=[(each, status_of(each, running).value) for each in latest],
    )


def follow_home(request: Request) -> Response:
    site = site_of(request)
    chosen = BoardFilter.of(request)
    return site.hub.response(("boards", chosen), lambda: across_parts(site, chosen, chosen.load_across(site.store)))


def across_parts(site: Site, chosen: BoardFilter, overall: OverallBoard) -> dict[str, str]:
    """Render what changes on the first page while a tournament runs."""
    if not overall.rows:
        return {"overall": ""}
    shown = replace(overall, rows=overall.rows[chosen.first - 1 :][: CONFIG.board_rows])
    return {"overall": site.renderer.part("parts/overall.html", overall=shown, bots=len(overall.rows))}


def _choosable(store: Store) -> list[TournamentRecord]:
    return [each for each in store.tournaments.latest(CONFIG.tournament_choices) if each.rated]


def board(request: Request) -> Response:
    """The board of one bracket."""
    site = site_of(request)
    chosen = BoardFilter.of(request)
    name = _bracket_in(request, site.store, chosen)
    shown = chosen.load_board(site.store, name, CONFIG.board_rows)
    return site.renderer.page(
        request,
        "board.html",
        board=shown,
        brackets=site.store.standings.brackets(chosen.scope),
        filter=chosen,
        other_pages=chosen.other_pages(shown.bots or 0),
        sizes=site.store.standings.table_sizes(chosen.scope, name),
        tournaments=_choosable(site.store),
        parts={**parts(site, shown), "figures": _figures(site, shown)},
        notes=board_page.notes(shown),
    )


def follow_board(request: Request) -> Response:
    site = site_of(request)
    chosen = BoardFilter.of(request)
    name = _bracket_in(request, site.store, chosen)
    plots = Throttled(CONFIG.plot_interval)

    def render() -> Messages:
        board = chosen.load_board(site.store, name, CONFIG.board_rows)
        return {**parts(site, board), "figures": plots.get(lambda: _figures(site, board))}

    return site.hub.response(("board", name, chosen), render)


def parts(site: Site, board: Board) -> dict[str, str]:
    """Render what changes on the page while a tournament runs, except the plots."""
    return {
        "facts": site.renderer.part("parts/facts.html", board=board),
        "standings": site.renderer.part("parts/standings.html", board=board),
    }


def _figures(site: Site, board: Board) -> Markup:
    return site.renderer.part("parts/figures.html", figures=board_page.figures(board) if board.rows else [])


class Throttled:
    """A value that is made again only after some seconds: plots are large and change slowly."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._value = ""
        self._next = 0.0

    def get(self, make: Callable[[], str]) -> str:
        if time.monotonic() > self._next:
            self._value = make()
            self._next = time.monotonic() + self._seconds
        return self._value


def download(request: Request) -> Response:
    """A board, or all boards, as CSV or JSON."""
    store = site_of(request).store
    chosen = BoardFilter.of(request)
    is_one = "bracket" in request.path_params
    names = [_bracket_in(request, store, chosen)] if is_one else store.standings.brackets(chosen.scope)
    if request.url.path.endswith(".csv"):
        boards = [chosen.load_board(store, name, with_history=False) for name in names]
        return Response(as_csv(boards), media_type="text/csv")
    boards = [_with_short_histories(chosen.load_board(store, name)) for name in names]
    overall = build_overall(boards) if len(boards) > 1 else None
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
