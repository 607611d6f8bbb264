"""Leaderboards: across brackets, and of each bracket, with filters and as files."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import ArenaError, NotFound, unknown
from arena.games.brackets import Bracket
from arena.rating.standings import SeatTally
from arena.reports import words
from arena.reports.board import Board, BoardRow, OverallBoard, OverallRow
from arena.reports.build import build_board, build_overall, load_overall
from arena.reports.exports import as_csv, as_json
from arena.store.schema import ALL
from arena.store.store import Store
from arena.store.tournaments import TournamentRecord
from arena.web.drawing import board_page as html
from arena.web.drawing.svg import joined
from arena.web.events import Messages
from arena.web.pages.tournaments import status_of
from arena.web.site import Site, site_of

POINTS = 64
FIGURES_EVERY = 10.0
"""Seconds between two drawings of the plots while a tournament is played."""
ON_A_PAGE = 100
"""Rows of a board."""
RECENT = 6
MOST_TOURNAMENTS = 100
"""So many, the newest, can be chosen in a list; an address can name any."""


@dataclass(frozen=True, slots=True)
class Filter:
    """What of a board is shown."""

    tournament: int | None = None
    latest_only: bool = False
    seats: int | None = None
    """Only tables of this size."""
    first: int = 1
    """The rank with which the page begins."""

    @classmethod
    def of(cls, request: Request) -> Filter:
        given = request.query_params
        tournament = given.get("tournament") or None
        if tournament is not None and not (tournament.isascii() and tournament.isdecimal() and len(tournament) < 10):
            raise NotFound(f"there is no tournament {tournament[:40]!r} here.")
        versions = given.get("versions", "all") or "all"
        if versions not in ("all", "latest"):
            raise ArenaError(unknown("choice of versions", versions, ["all", "latest"]))
        seats = given.get("seats") or None
        if seats is not None and not (seats.isascii() and seats.isdecimal() and len(seats) < 3):
            raise NotFound(f"no game is played by {seats[:40]!r} seats.")
        first = given.get("first") or "1"
        if not (first.isascii() and first.isdecimal() and len(first) < 8):
            raise NotFound(f"there is no rank {first[:40]!r}.")
        return cls(
            int(tournament) if tournament else None,
            versions == "latest",
            int(seats) if seats else None,
            max(1, int(first)),
        )

    @property
    def scope(self) -> int:
        return ALL if self.tournament is None else self.tournament

    @property
    def elsewhere(self) -> str:
        """The end of the address of another board: the same choice from its first rank."""
        return replace(self, first=1, seats=None).query

    @property
    def query(self) -> str:
        """The same as the end of an address."""
        given = {
            "tournament": self.tournament,
            "versions": "latest" if self.latest_only else None,
            "seats": self.seats,
            "first": self.first if self.first > 1 else None,
        }
        wanted = {name: value for name, value in given.items() if value is not None}
        return f"?{urlencode(wanted)}" if wanted else ""


def home(request: Request) -> Response:
    """The first page: everybody across brackets, and the way to each bracket."""
    site = site_of(request)
    filter_ = Filter.of(request)
    overall = load_across(site.store, filter_)
    conducted = site.conducted()
    return site.pages.page(
        request,
        "home.html",
        brackets=overall.brackets,
        filter=filter_,
        parts=across_parts(filter_, overall),
        steps=steps(filter_, len(overall.rows)),
        tournaments=_choosable(site.store),
        recent=[(each, status_of(each, conducted).value) for each in site.store.tournaments.latest(RECENT)],
    )


def follow_home(request: Request) -> Response:
    """The events of the board across brackets."""
    site = site_of(request)
    filter_ = Filter.of(request)
    return site.hub.response(("boards", filter_), lambda: across_parts(filter_, load_across(site.store, filter_)))


def load_across(store: Store, filter_: Filter) -> OverallBoard:
    """The board across brackets, as far as the filter lets it through."""
    overall = load_overall(store, filter_.tournament)
    if not filter_.latest_only:
        return overall
    latest = {version.bot: version.version for version in store.bots.all_versions()}
    return replace(overall, rows=[row for row in overall.rows if latest.get(row.bot) == row.version])


def across_parts(filter_: Filter, overall: OverallBoard) -> dict[str, str]:
    """What of the first page changes while a tournament is played."""
    shown = replace(overall, rows=overall.rows[filter_.first - 1 :][:ON_A_PAGE])
    return {"overall": html.across_brackets(shown, _address) if overall.rows else ""}


def _address(row: OverallRow) -> str:
    return f"/bots/{quote(row.bot, safe='')}?version={quote(row.version, safe='')}"


def _choosable(store: Store) -> list[TournamentRecord]:
    return [each for each in store.tournaments.latest(MOST_TOURNAMENTS) if each.rated]


def board(request: Request) -> Response:
    """The board of one bracket."""
    site = site_of(request)
    filter_ = Filter.of(request)
    name = _bracket_in(request, site.store, filter_)
    shown = load(site.store, name, filter_, ON_A_PAGE)
    return site.pages.page(
        request,
        "board.html",
        board=shown,
        brackets=_brackets(site.store, filter_),
        filter=filter_,
        steps=steps(filter_, shown.bots or 0),
        sizes=site.store.standings.table_sizes(filter_.scope, name),
        tournaments=_choosable(site.store),
        parts=parts(site, shown),
        figures=html.figures(shown) if shown.rows else [],
        notes=html.notes(shown),
    )


def follow_board(request: Request) -> Response:
    """The events of a board while a tournament is played."""
    site = site_of(request)
    filter_ = Filter.of(request)
    name = _bracket_in(request, site.store, filter_)
    plots = Seldom(FIGURES_EVERY)

    def make() -> Messages:
        board = load(site.store, name, filter_, ON_A_PAGE)
        return {**parts(site, board), "figures": plots.made(lambda: joined(*html.figures(board)))}

    return site.hub.response(("board", name, filter_), make)


def parts(site: Site, board: Board) -> dict[str, str]:
    """What of the page changes while a tournament is played, by the name of its part."""
    return {
        "facts": site.pages.part("parts/facts.html", board=board, words=words),
        "standings": site.pages.part("parts/standings.html", board=board, words=words),
    }


class Seldom:
    """Something that is not made anew each time it is asked for: plots are large, and hardly change in a second."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._made = ""
        self._next = 0.0

    def made(self, make: Callable[[], str]) -> str:
        if time.monotonic() > self._next:
            self._made = make()
            self._next = time.monotonic() + self._seconds
        return self._made


def as_file(request: Request) -> Response:
    """A board, or all of them, as CSV or JSON."""
    site = site_of(request)
    filter_ = Filter.of(request)
    bracket = request.path_params.get("bracket")
    names = [_bracket_in(request, site.store, filter_)] if bracket else _brackets(site.store, filter_)
    if request.url.path.endswith(".csv"):
        boards = [load(site.store, name, filter_, with_history=False) for name in names]
        return Response(as_csv(boards), media_type="text/csv")
    boards = [_with_short_histories(load(site.store, name, filter_)) for name in names]
    overall = build_overall(boards) if len(boards) > 1 else None
    return Response(json.dumps(as_json(boards, overall), ensure_ascii=False), media_type="application/json")


def _with_short_histories(board: Board) -> Board:
    """The board with as many points of each history as a plot needs: `arena leaderboard --json` has all of them."""
    return replace(board, rows=[replace(row, history=words.sampled(row.history, POINTS)) for row in board.rows])


def _brackets(store: Store, filter_: Filter) -> list[str]:
    return store.standings.brackets(filter_.scope)


def _bracket_in(request: Request, store: Store, filter_: Filter) -> str:
    """The bracket that the address names. Raises where nobody has played there."""
    named = request.path_params["bracket"]
    played = _brackets(store, filter_)
    name = Bracket.parse(named).name
    if name not in played:
        raise NotFound(f"nobody has played {name} {'in this tournament' if filter_.tournament else 'yet'}.")
    return name


def load(store: Store, bracket: str, filter_: Filter, most: int | None = None, *, with_history: bool = True) -> Board:
    """The board as far as the filter lets it through, and no more rows than wanted. Who is left keeps the rank."""
    order = [version for version, *_ in store.standings.leaders(filter_.scope, bracket)]
    by_seat: Mapping[int, Mapping[int, Sequence[SeatTally]]] = {}
    if filter_.latest_only:
        latest = set({version.bot: version.id for version in store.bots.all_versions()}.values())
        order = [version for version in order if version in latest]
    if filter_.seats:
        by_seat = store.standings.by_seat(filter_.scope, bracket)
        order = [version for version in order if filter_.seats in by_seat.get(version, {})]
    shown = order if most is None else order[filter_.first - 1 :][:most]
    wanted = None if filter_ == Filter() and most is None else shown
    board = build_board(store, bracket, filter_.tournament, wanted, with_history=with_history)
    if filter_.seats:
        rows = [
            _at_tables_of(row, by_seat[version][filter_.seats]) for version, row in zip(shown, board.rows, strict=True)
        ]
        board = replace(board, rows=rows)
    return replace(board, bots=len(order))


def steps(filter_: Filter, bots: int) -> list[tuple[str, str]]:
    """The other pages of a long board: what to call them, and the ends of their addresses."""
    others = []
    if filter_.first > 1:
        before = replace(filter_, first=max(1, filter_.first - ON_A_PAGE))
        others.append((f"Ranks from {before.first}", before.query or "?"))
    if filter_.first + ON_A_PAGE <= bots:
        after = replace(filter_, first=filter_.first + ON_A_PAGE)
        others.append((f"Ranks from {after.first}", after.query))
    return others


def _at_tables_of(row: BoardRow, tallies: Sequence[SeatTally]) -> BoardRow:
    """The row with what was reached on these seats alone; ratings and plots are still about all matches."""
    matches = sum(tally.matches for tally in tallies)
    return replace(
        row,
        matches=matches,
        wins=sum(tally.wins for tally in tallies),
        mean_placement=sum(tally.placements for tally in tallies) / max(matches, 1),
    )


ROUTES = [
    Route("/", home),
    Route("/boards.csv", as_file),
    Route("/boards.json", as_file),
    Route("/boards/{bracket:path}.csv", as_file),
    Route("/boards/{bracket:path}.json", as_file),
    Route("/events/boards", follow_home),
    Route("/events/boards/{bracket:path}", follow_board),
    Route("/boards/{bracket:path}", board),
]
