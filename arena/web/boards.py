"""Leaderboards: across brackets, and of each bracket, with filters and as files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import ArenaError, NothingThere, unknown
from arena.leaderboard import html, words
from arena.leaderboard.board import Board
from arena.leaderboard.build import build_board, build_overall
from arena.leaderboard.tables import as_csv, as_json
from arena.store.schema import ALL
from arena.store.store import Store
from arena.tournament.brackets import Bracket
from arena.web.events import Messages
from arena.web.site import Site, site_of


@dataclass(frozen=True, slots=True)
class Filter:
    """What of a board is shown."""

    tournament: int | None = None
    latest_only: bool = False

    @classmethod
    def of(cls, request: Request) -> Filter:
        given = request.query_params
        tournament = given.get("tournament") or None
        if tournament is not None and not (tournament.isdecimal() and len(tournament) < 10):
            raise NothingThere(f"there is no tournament {tournament!r} here.")
        versions = given.get("versions", "all") or "all"
        if versions not in ("all", "latest"):
            raise ArenaError(unknown("choice of versions", versions, ["all", "latest"]))
        return cls(int(tournament) if tournament else None, versions == "latest")

    @property
    def query(self) -> str:
        """The same as the end of an address."""
        given = {
            "tournament": self.tournament,
            "versions": "latest" if self.latest_only else None,
        }
        wanted = {name: value for name, value in given.items() if value is not None}
        return f"?{urlencode(wanted)}" if wanted else ""


def home(request: Request) -> Response:
    """The first page: everybody across brackets, and the way to each bracket."""
    site = site_of(request)
    filter_ = Filter.of(request)
    boards = [load(site.store, name, filter_) for name in _brackets(site.store, filter_)]
    return site.pages.page(
        request,
        "home.html",
        boards=boards,
        overall=build_overall(boards) if boards else None,
        filter=filter_,
        across_brackets=html.across_brackets,
        recent=site.store.tournaments.all()[:-6:-1],
    )


def board(request: Request) -> Response:
    """The board of one bracket."""
    site = site_of(request)
    filter_ = Filter.of(request)
    name = _bracket_in(request, site.store, filter_)
    shown = load(site.store, name, filter_)
    return site.pages.page(
        request,
        "board.html",
        board=shown,
        brackets=_brackets(site.store, filter_),
        filter=filter_,
        tournaments=[each for each in site.store.tournaments.all()[::-1] if each.rated],
        parts=parts(site, shown),
        figures=html.figures(shown) if shown.rows else [],
        notes=html.notes(shown),
    )


def follow_board(request: Request) -> Response:
    """The events of a board while a tournament is played."""
    site = site_of(request)
    filter_ = Filter.of(request)
    name = _bracket_in(request, site.store, filter_)
    return site.hub.response(("board", name, filter_), lambda: parts(site, load(site.store, name, filter_)))


def parts(site: Site, board: Board) -> Messages:
    """What of the page changes while a tournament is played, by the id of its element."""
    return {
        "facts": site.pages.part("parts/facts.html", board=board, words=words),
        "standings": site.pages.part("parts/standings.html", board=board, words=words),
    }


def as_file(request: Request) -> Response:
    """A board, or all of them, as CSV or JSON."""
    site = site_of(request)
    filter_ = Filter.of(request)
    bracket = request.path_params.get("bracket")
    names = [_bracket_in(request, site.store, filter_)] if bracket else _brackets(site.store, filter_)
    boards = [load(site.store, name, filter_) for name in names]
    if request.url.path.endswith(".csv"):
        return Response(as_csv(boards), media_type="text/csv")
    overall = build_overall(boards) if len(boards) > 1 else None
    return Response(json.dumps(as_json(boards, overall), ensure_ascii=False), media_type="application/json")


def _brackets(store: Store, filter_: Filter) -> list[str]:
    return store.standings.brackets(ALL if filter_.tournament is None else filter_.tournament)


def _bracket_in(request: Request, store: Store, filter_: Filter) -> str:
    """The bracket that the address names. Raises where nobody has played there."""
    named = request.path_params["bracket"]
    played = _brackets(store, filter_)
    name = Bracket.parse(named).name
    if name not in played:
        raise NothingThere(f"nobody has played {name} {'in this tournament' if filter_.tournament else 'yet'}.")
    return name


def load(store: Store, bracket: str, filter_: Filter) -> Board:
    """The board, without the rows that the filter leaves out. Who is left keeps the rank among all."""
    board = build_board(store, bracket, filter_.tournament)
    if filter_.latest_only:
        latest = {version.bot: version.version for version in store.bots.all_versions()}
        board = narrowed(board, [latest.get(row.bot) == row.version for row in board.rows])
    return board


def narrowed(board: Board, kept: Sequence[bool]) -> Board:
    """The board with only the rows that are kept."""
    places = [place for place, keep in enumerate(kept) if keep]
    rows = [board.rows[place] for place in places]
    # Whether a row is told apart from the next one was said of a neighbour that may be gone.
    rows = [
        row if place + 1 in places else replace(row, separated=None) for place, row in zip(places, rows, strict=True)
    ]
    return replace(
        board, rows=rows, head_to_head=[[board.head_to_head[one][other] for other in places] for one in places]
    )


ROUTES = [
    Route("/", home),
    Route("/boards.csv", as_file),
    Route("/boards.json", as_file),
    Route("/boards/{bracket:path}.csv", as_file),
    Route("/boards/{bracket:path}.json", as_file),
    Route("/events/boards/{bracket:path}", follow_board),
    Route("/boards/{bracket:path}", board),
]
