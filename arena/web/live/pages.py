"""The live pages: one that follows the event, and one for each running match."""

from __future__ import annotations

from contextlib import suppress

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from arena.errors import NotFound
from arena.tournament.live import LIVE_NAME
from arena.web.events import Messages
from arena.web.live.watcher import FilmTopic
from arena.web.pages.tournaments import fault_ticker
from arena.web.site import Site, site_of
from arena.web.templating import render


def event_parts(site: Site) -> Messages:
    """Render what changes on the page of the event, except the film."""
    live = site.live
    running = site.home.conducted()
    record = None
    with suppress(NotFound):  # removed in the meantime
        record = site.store.tournaments.load(running) if running else None
    latest = live.latest()
    matches = [each for each in latest if each.is_running] + [each for each in latest if each.is_over][:6]
    return {
        "state": render("parts/live_state.html", record=record, problem=live.problem),
        "cards": render("parts/live_cards.html", matches=matches, featured=live.featured),
        "faults": fault_ticker(site.store, running),
    }


def match_parts(site: Site, name: str) -> Messages:
    """Render what changes on the page of a match, except the film."""
    shown = site.live.matches.get(name)
    state = "waiting"
    if shown is not None:
        state = "finished" if shown.is_over else "stopped" if shown.is_broken else "running"
    stored = name in site.store.history.named([name])
    return {"state": render("parts/live_match.html", name=name, state=state, stored=stored)}


def event_page(request: Request) -> Response:
    site = site_of(request)
    return site.page(request, "live.html", parts=event_parts(site), match=None)


def match_page(request: Request) -> Response:
    """Show a running match; redirect to the stored match once it is no longer shown live."""
    site = site_of(request)
    name = _match_name(request)
    if name not in site.live.matches and not site.live.folder.file(name).exists():
        if site.store.history.named([name]):
            return RedirectResponse(f"/matches/{name}", 303)
        raise NotFound(f"The match `{name}` is neither shown live nor on record.")
    return site.page(request, "live.html", parts=match_parts(site, name), match=name)


def follow_event(request: Request) -> Response:
    site = site_of(request)
    return site.hub.response(("live", None), FilmTopic(lambda: event_parts(site), site.live, None))


def follow_match(request: Request) -> Response:
    site = site_of(request)
    name = _match_name(request)
    return site.hub.response(("live", name), FilmTopic(lambda: match_parts(site, name), site.live, name))


def _match_name(request: Request) -> str:
    name: str = request.path_params["match"]
    if not LIVE_NAME.fullmatch(name):
        raise NotFound("There is no such match.")
    return name


ROUTES = [
    Route("/live", event_page),
    Route("/live/{match}", match_page),
    Route("/events/live", follow_event),
    Route("/events/live/{match}", follow_match),
]
