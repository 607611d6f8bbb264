"""The live pages: one that follows the event, and one for each match that is shown."""

from __future__ import annotations

from contextlib import suppress

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from arena.errors import NotFound
from arena.tournament.live import MATCH_NAME
from arena.web.events import Messages
from arena.web.live.watcher import FilmTopic
from arena.web.pages.faults import ticker
from arena.web.site import Site, site_of


def event_parts(site: Site) -> Messages:
    """What of the page that follows the event changes, besides the film."""
    live = site.live
    conducted = site.home.conducted()
    record = None
    with suppress(NotFound):  # one that has ended, and is gone, between two looks
        record = site.store.tournaments.load(conducted) if conducted else None
    part = site.pages.part
    return {
        "state": part("parts/live_state.html", record=record, trouble=live.trouble),
        "cards": part("parts/live_cards.html", running=live.running(), over=live.over()[:6], featured=live.featured),
        "faults": ticker(site, conducted),
    }


def match_parts(site: Site, name: str) -> Messages:
    """What of a match's page changes, besides the film."""
    screening = site.live.screenings.get(name)
    state = "waiting"
    if screening is not None:
        state = "over" if screening.is_over else "broken off" if screening.is_broken else "running"
    stored = name in site.store.history.named([name])
    return {"state": site.pages.part("parts/live_match.html", name=name, state=state, stored=stored)}


def event_page(request: Request) -> Response:
    site = site_of(request)
    return site.pages.page(request, "live.html", parts=event_parts(site), match=None)


def match_page(request: Request) -> Response:
    """A match that is being played. Once it is on record and no longer shown, its own page has it."""
    site = site_of(request)
    name = request.path_params["match"]
    if not MATCH_NAME.fullmatch(name):
        raise NotFound("there is no such match.")
    if name not in site.live.screenings and not site.live.folder.file(name).exists():
        if site.store.history.named([name]):
            return RedirectResponse(f"/matches/{name}", 303)
        raise NotFound(f"the match {name} is not shown live, and not on record.")
    return site.pages.page(request, "live.html", parts=match_parts(site, name), match=name)


def follow_event(request: Request) -> Response:
    site = site_of(request)
    return _follow(site, None)


def follow_match(request: Request) -> Response:
    site = site_of(request)
    name = request.path_params["match"]
    if not MATCH_NAME.fullmatch(name):
        raise NotFound("there is no such match.")
    return _follow(site, name)


def _follow(site: Site, match: str | None) -> Response:
    make = (lambda: event_parts(site)) if match is None else (lambda: match_parts(site, match))
    return site.hub.response(("live", match), make, lambda maker: FilmTopic(maker, site.live, match))


ROUTES = [
    Route("/live", event_page),
    Route("/live/{match}", match_page),
    Route("/events/live", follow_event),
    Route("/events/live/{match}", follow_match),
]
