"""Bots: the list of them, and a page about each: how it fares, against whom, on which seat, and what went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import NotFound
from arena.rating.standings import SeatTally
from arena.rating.upsets import Upset
from arena.referee.launch import log_stem
from arena.reports import words
from arena.reports.board import BoardRow, HeadToHead
from arena.reports.build import build_board
from arena.store.bots import BotVersion
from arena.store.history import MatchFilter
from arena.store.home import Home
from arena.store.schema import ALL
from arena.store.store import Store
from arena.web.drawing import distributions, plots
from arena.web.drawing.board_page import FULL, drawn
from arena.web.drawing.svg import Markup
from arena.web.pages.matches import number
from arena.web.site import site_of

LATEST = 10
"""So many matches and faults are listed."""
MOST_OPPONENTS = 60
ON_A_PAGE = 200
"""Bots in the list."""
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
    row: BoardRow
    of: int
    """How many bots are on the board."""
    opponents: Sequence[Opponent]
    """Those it fares best against first."""
    left_out: int
    """So many opponents between the best and the worst."""
    seats: Sequence[tuple[int, int, SeatTally]]
    """Seat, size of the table, and what it has reached there."""
    wins: Sequence[Upset]
    """Those that were least expected."""
    losses: Sequence[Upset]
    history: Markup
    think_times: Markup
    places: Markup


def bot_list(request: Request) -> Response:
    """All bots with what is known of each."""
    site = site_of(request)
    by_name: dict[str, list[BotVersion]] = {}
    for version in site.store.bots.all_versions():
        by_name.setdefault(version.bot, []).append(version)
    ranks: dict[int, list[tuple[str, int, float]]] = {}
    for bracket in site.store.standings.brackets(ALL):
        for rank, (version_id, rating, *_) in enumerate(site.store.standings.leaders(ALL, bracket), start=1):
            ranks.setdefault(version_id, []).append((bracket, rank, rating.conservative))
    first = number(request.query_params.get("first"), "number") or 1
    names = list(by_name)[first - 1 :][:ON_A_PAGE]
    return site.pages.page(
        request,
        "bots.html",
        bots={name: by_name[name] for name in names},
        count=len(by_name),
        ranks=ranks,
        before=max(1, first - ON_A_PAGE) if first > 1 else None,
        after=first + ON_A_PAGE if first + ON_A_PAGE <= len(by_name) else None,
    )


def bot(request: Request) -> Response:
    """All about one bot, or about one version of it."""
    site = site_of(request)
    name = request.path_params["name"]
    versions = site.store.bots.versions_of(name)
    if not versions:
        raise NotFound(f"there is no bot {name[:100]!r} here.")
    wanted = request.query_params.get("version")
    chosen = next((version for version in versions if version.version == wanted), None) if wanted else versions[-1]
    if chosen is None:
        raise NotFound(f"{name} has no version {(wanted or '')[:100]!r}.")
    may_see_log = site.private or site.gate.is_known(request)
    return site.pages.page(
        request,
        "bot.html",
        bot=chosen,
        versions=versions[::-1],
        records=records(site.store, chosen, versions),
        latest=site.store.history.page(MatchFilter(version_ids=(chosen.id,)), limit=LATEST),
        faults=site.store.history.faults(version_ids=(chosen.id,), limit=LATEST),
        log=log_tail(site.home, chosen) if may_see_log else None,
        may_see_log=may_see_log,
        words=words,
    )


def records(store: Store, version: BotVersion, versions: Sequence[BotVersion]) -> list[Record]:
    """What the version has done, bracket by bracket. Its history is shown beside that of the bot's other versions."""
    named = {each.id: each for each in store.bots.all_versions()}
    own = {each.id for each in versions}
    found = []
    for bracket in store.standings.brackets(ALL):
        board = build_board(store, bracket, versions=own)
        row = next((row for row in board.rows if row.version == version.version), None)
        if row is None:
            continue
        opponents = [
            Opponent(named[other].bot, named[other].version, HeadToHead(meetings.points, meetings.matches))
            for other, meetings in store.standings.opponents(ALL, bracket, version.id).items()
        ]
        opponents.sort(key=lambda each: (-(each.meetings.share or 0.0), each.bot, each.version))
        left_out = max(0, len(opponents) - MOST_OPPONENTS)
        if left_out:
            opponents = opponents[: MOST_OPPONENTS // 2] + opponents[-MOST_OPPONENTS // 2 :]
        upsets = store.standings.upsets(ALL, bracket, version.id)
        tables = store.standings.by_seat(ALL, bracket, version.id).get(version.id, {})
        found.append(
            Record(
                bracket=bracket,
                row=row,
                of=board.bots or 0,
                opponents=opponents,
                left_out=left_out,
                seats=[
                    (seat, size, tally)
                    for size, tallies in sorted(tables.items())
                    for seat, tally in enumerate(tallies)
                    if tally.matches
                ],
                wins=upsets.wins.get(version.id, []),
                losses=upsets.losses.get(version.id, []),
                history=drawn(plots.ratings, board.rows, FULL) if any(r.history for r in board.rows) else Markup(""),
                think_times=distributions.think_times([row]),
                places=distributions.placements([row], 560.0),
            )
        )
    return found


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
