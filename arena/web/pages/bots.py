"""Bots: the list, and a page for each with its results by opponent and seat, its faults and its log."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import NotFound
from arena.referee.launch import log_stem
from arena.reports.build import build_board
from arena.store.bots import BotVersion
from arena.store.history import MatchFilter
from arena.store.home import Home
from arena.store.schema import ALL
from arena.store.store import Store
from arena.web.config import CONFIG
from arena.web.drawing import plots
from arena.web.site import number, site_of


def bot_list(request: Request) -> Response:
    """All bots, with their ranks."""
    site = site_of(request)
    by_name: dict[str, list[BotVersion]] = {}
    for version in site.store.bots.all_versions():
        by_name.setdefault(version.bot, []).append(version)
    ranks: dict[int, list[tuple[str, int, float]]] = {}
    for bracket in site.store.standings.brackets(ALL):
        for rank, (version_id, rating, *_) in enumerate(site.store.standings.leaders(ALL, bracket), start=1):
            ranks.setdefault(version_id, []).append((bracket, rank, rating.conservative))
    first = number(request.query_params.get("first"), "number") or 1
    names = list(by_name)[first - 1 :][: CONFIG.bot_rows]
    return site.page(
        request,
        "bots.html",
        bots={name: by_name[name] for name in names},
        count=len(by_name),
        ranks=ranks,
        before=max(1, first - CONFIG.bot_rows) if first > 1 else None,
        after=first + CONFIG.bot_rows if first + CONFIG.bot_rows <= len(by_name) else None,
    )


def bot(request: Request) -> Response:
    """One version of a bot, the latest by default."""
    site = site_of(request)
    name = request.path_params["name"]
    versions = site.store.bots.versions_of(name)
    if not versions:
        raise NotFound(f"There is no bot `{name[:100]}`.")
    wanted = request.query_params.get("version")
    chosen = next((version for version in versions if version.version == wanted), None) if wanted else versions[-1]
    if chosen is None:
        raise NotFound(f"The bot `{name}` has no version `{(wanted or '')[:100]}`.")
    may_see_log = site.private or site.gate.is_known(request)
    return site.page(
        request,
        "bot.html",
        bot=chosen,
        versions=versions[::-1],
        records=records(site.store, chosen, versions),
        plots=plots,
        latest=site.store.history.page(MatchFilter(version_ids=(chosen.id,)), limit=CONFIG.bot_matches),
        faults=site.store.history.faults(version_ids=(chosen.id,), limit=CONFIG.bot_matches),
        log=log_tail(site.home, chosen) if may_see_log else None,
        may_see_log=may_see_log,
    )


def records(store: Store, version: BotVersion, versions: Sequence[BotVersion]) -> list[dict[str, object]]:
    """Return the results of the version for the template, by bracket."""
    named = {each.id: each for each in store.bots.all_versions()}
    own = {each.id for each in versions}
    found: list[dict[str, object]] = []
    for bracket in store.standings.brackets(ALL):
        board = build_board(store, bracket, versions=own)
        row = next((row for row in board.rows if row.version == version.version), None)
        if row is None:
            continue
        met = store.standings.opponents(ALL, bracket, version.id)
        opponents = [(named[other], meetings) for other, meetings in met.items()]
        opponents.sort(key=lambda each: (-(each[1].share or 0.0), each[0].bot, each[0].version))
        omitted = max(0, len(opponents) - CONFIG.bot_opponents)
        if omitted:
            half = CONFIG.bot_opponents // 2
            opponents = opponents[:half] + opponents[-half:]
        upsets = store.standings.upsets(ALL, bracket, [version.id])
        sizes = store.standings.by_seat(ALL, bracket, [version.id]).get(version.id, {})
        seats = [(seat, size, tally) for size in sorted(sizes) for seat, tally in enumerate(sizes[size])]
        found.append(
            {
                "bracket": bracket,
                "row": row,
                "rows": board.rows,  # all versions of the bot
                "of": board.bots,
                "opponents": opponents,  # the best results first
                "omitted": omitted,  # between the best and the worst
                "seats": seats,
                "wins": upsets.wins.get(version.id, []),
                "losses": upsets.losses.get(version.id, []),
            }
        )
    return found


def log_tail(home: Home, version: BotVersion) -> list[str]:
    """Return the last lines of the bot's log."""
    path = home.logs / f"{log_stem(version.label)}.log"
    try:
        with path.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - CONFIG.log_bytes))
            text = file.read(CONFIG.log_bytes)
    except OSError:
        return []
    return text.decode("utf-8", errors="replace").splitlines()[-CONFIG.log_lines :]


ROUTES = [Route("/bots", bot_list), Route("/bots/{name:path}", bot)]
