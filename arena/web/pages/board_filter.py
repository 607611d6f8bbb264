"""Which rows of a leaderboard a page shows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from starlette.requests import Request

from arena.errors import UserError, unknown
from arena.reports.board import Board, OverallBoard
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

    def load_across(self, store: Store) -> OverallBoard:
        """Return the board across brackets."""
        return load_overall(store, self.tournament, latest_only=self.latest_only)

    def load_board(self, store: Store, bracket: str, limit: int | None = None, *, with_history: bool = True) -> Board:
        """Return the board with at most `limit` rows."""
        return build_board(
            store,
            bracket,
            self.tournament,
            latest_only=self.latest_only,
            seats=self.seats,
            first=self.first,
            limit=limit,
            with_history=with_history,
        )
