"""Tournaments: the list, and each with its progress, leaders, knockout tree, schedule, faults and settings."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import NotFound
from arena.store.history import MatchFilter
from arena.store.schema import PLAY, REMOTE
from arena.store.store import Store
from arena.store.tournaments import TournamentRecord, TournamentState
from arena.web.config import CONFIG
from arena.web.events import Messages
from arena.web.pages.faults import fault_ticker
from arena.web.pages.progress import event_of, status_of
from arena.web.pages.query import number
from arena.web.pages.schedule import load_schedule
from arena.web.pages.tournament_settings import settings
from arena.web.site import Site, site_of


@dataclass(frozen=True, slots=True)
class TournamentView:
    """What a page shows of a tournament, as it is in the address."""

    tournament: int
    bracket: str
    before: int | None = None
    """Show the schedule before this block; None: the latest."""

    @property
    def query(self) -> str:
        given = {"bracket": self.bracket, "before": self.before}
        return f"?{urlencode({name: value for name, value in given.items() if value is not None})}"


@dataclass(frozen=True, slots=True)
class LeaderRow:
    """A row of the short leaderboard."""

    rank: int
    bot: str
    version: str
    rating: float
    matches: int
    wins: float


def tournaments(request: Request) -> Response:
    """All tournaments, the newest first."""
    site = site_of(request)
    before = number(request.query_params.get("before"), "tournament")
    return site.renderer.page(request, "tournaments.html", before=before, parts=list_parts(site, before))


def follow_tournaments(request: Request) -> Response:
    site = site_of(request)
    before = number(request.query_params.get("before"), "tournament")
    return site.hub.response(("tournaments", before), lambda: list_parts(site, before))


def list_parts(site: Site, before: int | None) -> Messages:
    size = CONFIG.tournament_rows
    found = site.store.tournaments.latest(size + 1, before)
    running = site.running()
    rows = [(record, status_of(record, running)) for record in found[:size]]
    older = found[size - 1].id if len(found) > size else None
    return {"tournaments": site.renderer.part("parts/tournaments.html", rows=rows, older=older)}


def tournament(request: Request) -> Response:
    """One tournament."""
    site = site_of(request)
    record, view = _view(request, site.store)
    return site.renderer.page(
        request,
        "tournament.html",
        record=record,
        view=view,
        settings=settings(record, event_of(record)),
        parts=parts(site, view),
    )


def follow_tournament(request: Request) -> Response:
    site = site_of(request)
    _, view = _view(request, site.store)
    return site.hub.response(("tournament", view), lambda: parts(site, view))


def _view(request: Request, store: Store) -> tuple[TournamentRecord, TournamentView]:
    record = store.tournaments.load(number(request.path_params["number"], "tournament") or 0)
    names = [each.bracket for each in record.brackets] or [""]
    wanted = request.query_params.get("bracket")
    if wanted is None:
        running = [each.bracket for each in record.brackets if each.state is TournamentState.RUNNING]
        wanted = (running or names)[0]
    if wanted not in names:
        raise NotFound(f"The tournament `{record.name}` has no bracket `{wanted[:100]}`.")
    return record, TournamentView(record.id, wanted, number(request.query_params.get("before"), "block"))


def parts(site: Site, view: TournamentView) -> Messages:
    """Render what changes on the page while the tournament runs, by the name of the part."""
    record = site.store.tournaments.load(view.tournament)
    status = status_of(record, site.running())
    part = site.renderer.part
    if record.format in (PLAY, REMOTE):
        schedule = _unscheduled(site, view)
    else:
        page = load_schedule(site.store, record, view.bracket, view.before, status)
        schedule = part("parts/schedule.html", view=view, page=page)
    return {
        "state": part("parts/state.html", record=record, status=status.value),
        "progress": part(
            "parts/progress.html",
            record=record,
            bars=[site.progress.bar(record, each, status) for each in record.brackets],
            view=view,
        ),
        "tree": part("parts/tree.html", tree=site.progress.tree(record, view.bracket), bracket=view.bracket),
        "leaders": part("parts/leaders.html", rows=_leaders(site.store, view), view=view, rated=record.rated),
        "schedule": schedule,
        "faults": fault_ticker(site, record.id),
    }


def _leaders(store: Store, view: TournamentView) -> list[LeaderRow]:
    best = store.standings.leaders(view.tournament, view.bracket, CONFIG.leader_rows)
    versions = store.bots.by_id([version for version, *_ in best])
    return [
        LeaderRow(
            rank, versions[version].bot, versions[version].version, rating.conservative, matches, wins / max(1, matches)
        )
        for rank, (version, rating, matches, wins) in enumerate(best, start=1)
    ]


def _unscheduled(site: Site, view: TournamentView) -> Markup:
    """Render matches without a schedule: those with people and of the ladder, the newest first."""
    size = CONFIG.schedule_blocks
    found = site.store.history.page(MatchFilter(view.tournament, view.bracket), limit=size + 1, before=view.before)
    older = found[size - 1].id if len(found) > size else None
    return site.renderer.part("parts/unscheduled.html", view=view, matches=found[:size], older=older)


ROUTES = [
    Route("/tournaments", tournaments),
    Route("/tournaments/{number}", tournament),
    Route("/events/tournaments", follow_tournaments),
    Route("/events/tournaments/{number}", follow_tournament),
]
