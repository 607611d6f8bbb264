"""Bots: the list of them, and a page about each: how it fares, against whom, on which seat, and what went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import NothingThere
from arena.leaderboard import distributions, plots, words
from arena.leaderboard.board import Board, HeadToHead, Row
from arena.leaderboard.build import build_board
from arena.leaderboard.html import FULL, drawn
from arena.leaderboard.markup import Markup
from arena.referee.programs import log_stem
from arena.standings import SeatTally
from arena.store.archive import Choice
from arena.store.bots import BotVersion
from arena.store.home import Home
from arena.store.schema import ALL
from arena.store.store import Store
from arena.surprises import Surprise
from arena.web.site import site_of

LATEST = 10
"""So many matches and faults are listed."""
TAIL = 40
"""Lines of the log."""
MOST_TAIL = 64 * 1024


@dataclass(frozen=True, slots=True)
class Opponent:
    """How the bot fared against another one."""

    bot: str
    version: str
    meetings: HeadToHead


@dataclass(frozen=True, slots=True)
class Record:
    """What a version has done in one bracket."""

    bracket: str
    row: Row
    of: int
    """How many bots are on the board."""
    opponents: Sequence[Opponent]
    """Those it fares best against first."""
    seats: Sequence[tuple[int, int, SeatTally]]
    """Seat, size of the table, and what it has reached there."""
    wins: Sequence[Surprise]
    """Those that were least expected."""
    losses: Sequence[Surprise]
    history: Markup
    think_times: Markup
    places: Markup


def bot_list(request: Request) -> Response:
    """All bots with what is known of each."""
    site = site_of(request)
    by_name: dict[str, list[BotVersion]] = {}
    for version in site.store.bots.all_versions():
        by_name.setdefault(version.bot, []).append(version)
    boards = [build_board(site.store, name) for name in site.store.standings.brackets(ALL)]
    ranks: dict[tuple[str, str], list[tuple[str, Row]]] = {}
    for board in boards:
        for row in board.rows:
            ranks.setdefault((row.bot, row.version), []).append((board.bracket, row))
    return site.pages.page(request, "bots.html", bots=by_name, ranks=ranks)


def bot(request: Request) -> Response:
    """All about one bot, or about one version of it."""
    site = site_of(request)
    name = request.path_params["name"]
    versions = site.store.bots.versions_of(name)
    if not versions:
        raise NothingThere(f"there is no bot {name[:100]!r} here.")
    wanted = request.query_params.get("version")
    chosen = next((version for version in versions if version.version == wanted), None) if wanted else versions[-1]
    if chosen is None:
        raise NothingThere(f"{name} has no version {(wanted or '')[:100]!r}.")
    may_see_log = site.private or site.gate.is_known(request)
    return site.pages.page(
        request,
        "bot.html",
        bot=chosen,
        versions=versions[::-1],
        records=records(site.store, chosen, {version.version for version in versions}),
        latest=site.store.archive.page(Choice(version_ids=(chosen.id,)), limit=LATEST),
        faults=site.store.archive.faults(version_ids=(chosen.id,), limit=LATEST),
        log=log_tail(site.home, chosen) if may_see_log else None,
        may_see_log=may_see_log,
        words=words,
    )


def records(store: Store, version: BotVersion, versions: set[str]) -> list[Record]:
    """What the version has done, bracket by bracket."""
    found = []
    for bracket in store.standings.brackets(ALL):
        board = build_board(store, bracket)
        place = next((place for place, row in enumerate(board.rows) if _is(row, version)), None)
        if place is not None:
            found.append(_record(store, board, place, version, versions))
    return found


def _is(row: Row, version: BotVersion) -> bool:
    return (row.bot, row.version) == (version.bot, version.version)


def _record(store: Store, board: Board, place: int, version: BotVersion, versions: set[str]) -> Record:
    row = board.rows[place]
    opponents = [
        Opponent(other.bot, other.version, meetings)
        for other, meetings in zip(board.rows, board.head_to_head[place], strict=True)
        if meetings is not None and meetings.matches
    ]
    opponents.sort(key=lambda each: (-(each.meetings.share or 0.0), each.bot, each.version))
    own = [other for other in board.rows if other.bot == row.bot and other.version in versions]
    surprises = store.standings.surprises(ALL, board.bracket, version.id)
    tables = store.standings.by_seat(ALL, board.bracket, version.id).get(version.id, {})
    return Record(
        bracket=board.bracket,
        row=row,
        of=len(board.rows),
        opponents=opponents,
        seats=[
            (seat, size, tally)
            for size, tallies in sorted(tables.items())
            for seat, tally in enumerate(tallies)
            if tally.matches
        ],
        wins=surprises.kept(version.id, won=True),
        losses=surprises.kept(version.id, won=False),
        history=drawn(plots.ratings, own, FULL) if any(each.history for each in own) else Markup(""),
        think_times=distributions.think_times([row]),
        places=distributions.placements([row], 560.0),
    )


def log_tail(home: Home, version: BotVersion) -> list[str]:
    """The last lines that the bot has printed."""
    path = home.logs / f"{log_stem(version.label)}.log"
    try:
        with path.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - MOST_TAIL))
            text = file.read(MOST_TAIL)
    except OSError:
        return []
    return text.decode("utf-8", errors="replace").splitlines()[-TAIL:]


ROUTES = [Route("/bots", bot_list), Route("/bots/{name:path}", bot)]
