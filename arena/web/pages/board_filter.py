"""Which rows of a leaderboard a page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from starlette.requests import Request

from arena.errors import UserError, unknown
from arena.rating.standings import SeatTally
from arena.reports.board import Board, BoardRow, OverallBoard
from arena.reports.build import build_board, load_overall
from arena.store.schema import ALL
from arena.store.store import Store
from arena.web.config import CONFIG
from arena.web.pages.query import number


@dataclass(frozen=True, slots=True)
class BoardFilter:
    """The filters of a leaderboard, as they are in the address."""

    tournament: int | None = None
    latest_only: bool = False
    """Only the latest version of each bot."""
    seats: int | None = None
    """Only matches with this many seats."""
    first: int = 1
    """The first rank on the page."""

    @classmethod
    def of(cls, request: Request) -> BoardFilter:
        given = request.query_params
        versions = given.get("versions") or "all"
        if versions not in ("all", "latest"):
            raise UserError(unknown("choice of versions", versions, ["all", "latest"]))
        return cls(
            number(given.get("tournament"), "tournament"),
            versions == "latest",
            number(given.get("seats"), "number of seats"),
            max(1, number(given.get("first"), "rank") or 1),
        )

    @property
    def scope(self) -> int:
        return ALL if self.tournament is None else self.tournament

    @property
    def query(self) -> str:
        """The filters as the query of an address."""
        given = {
            "tournament": self.tournament,
            "versions": "latest" if self.latest_only else None,
            "seats": self.seats,
            "first": self.first if self.first > 1 else None,
        }
        wanted = {name: value for name, value in given.items() if value is not None}
        return f"?{urlencode(wanted)}" if wanted else ""

    @property
    def other_board_query(self) -> str:
        """The filters that also apply to another board."""
        return replace(self, first=1, seats=None).query

    def other_pages(self, bots: int) -> list[tuple[str, str]]:
        """Return the titles and queries of the previous and the next page of a long board."""
        size = CONFIG.board_rows
        pages = []
        if self.first > 1:
            pages.append(replace(self, first=max(1, self.first - size)))
        if self.first + size <= bots:
            pages.append(replace(self, first=self.first + size))
        return [(f"Ranks from {page.first}", page.query or "?") for page in pages]


def load_across(store: Store, chosen: BoardFilter) -> OverallBoard:
    """Return the filtered board across brackets."""
    overall = load_overall(store, chosen.tournament)
    if not chosen.latest_only:
        return overall
    latest = {version.bot: version.version for version in store.bots.all_versions()}
    return replace(overall, rows=[row for row in overall.rows if latest.get(row.bot) == row.version])


def load_board(
    store: Store, bracket: str, chosen: BoardFilter, limit: int | None = None, *, with_history: bool = True
) -> Board:
    """Return the filtered board with at most `limit` rows. The rows keep their ranks."""
    order = [version for version, *_ in store.standings.leaders(chosen.scope, bracket)]
    by_seat: Mapping[int, Mapping[int, Sequence[SeatTally]]] = {}
    if chosen.latest_only:
        latest = set({version.bot: version.id for version in store.bots.all_versions()}.values())
        order = [version for version in order if version in latest]
    if chosen.seats:
        by_seat = store.standings.by_seat(chosen.scope, bracket)
        order = [version for version in order if chosen.seats in by_seat.get(version, {})]
    shown = order if limit is None else order[chosen.first - 1 :][:limit]
    wanted = None if chosen == BoardFilter() and limit is None else shown
    board = build_board(store, bracket, chosen.tournament, wanted, with_history=with_history)
    if chosen.seats:
        rows = [
            _with_seats(row, by_seat[version][chosen.seats]) for version, row in zip(shown, board.rows, strict=True)
        ]
        board = replace(board, rows=rows)
    return replace(board, bots=len(order))


def _with_seats(row: BoardRow, tallies: Sequence[SeatTally]) -> BoardRow:
    """Return the row with the results of these tallies only; ratings and plots still use all matches."""
    matches = sum(tally.matches for tally in tallies)
    return replace(
        row,
        matches=matches,
        wins=sum(tally.wins for tally in tallies),
        mean_placement=sum(tally.placements for tally in tallies) / max(matches, 1),
    )
