"""Matches: the list, and each match in the viewer."""

from __future__ import annotations

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from arena import replay
from arena.errors import NotFound
from arena.store.history import MatchFilter
from arena.web.config import CONFIG
from arena.web.site import number, site_of
from arena.web.viewer.film import film_of

CACHEABLE = {"cache-control": "private, max-age=86400"}
"""A match never changes. Its address contains the time it was played: another arena has other matches of that name."""


def match_list(request: Request) -> Response:
    """A page of matches, the newest first."""
    site = site_of(request)
    given = request.query_params
    bot = given.get("bot") or None
    versions = site.store.bots.versions_of(bot) if bot else []
    if bot and not versions:
        raise NotFound(f"There is no bot `{bot[:100]}`.")
    wanted = MatchFilter(
        tournament_id=number(given.get("tournament"), "tournament"),
        bracket=given.get("bracket") or None,
        version_ids=tuple(version.id for version in versions) if bot else None,
        only_faults=given.get("faults") == "1",
    )
    size = CONFIG.match_rows
    found = site.store.history.page(wanted, before=number(given.get("before"), "match"), limit=size + 1)
    return site.page(
        request,
        "matches.html",
        matches=found[:size],
        more=found[size - 1].id if len(found) > size else None,
        brackets=site.store.tournaments.bracket_names(),
        tournaments=site.store.tournaments.latest(CONFIG.tournament_choices),
    )


def match(request: Request) -> Response:
    """A match in the viewer."""
    site = site_of(request)
    found = site.store.history.find(request.path_params["name"])
    earlier, later = site.store.history.neighbours(found)
    return site.page(
        request,
        "match.html",
        match=found,
        earlier=earlier,
        later=later,
        versions=site.store.bots.by_id([seat.version_id for seat in found.seats if seat.version_id is not None]),
        tournament=site.store.tournaments.load(found.tournament_id),
    )


def film(request: Request) -> Response:
    """The film of a match, for the viewer."""
    record = replay.loads(site_of(request).store.matches.replay(request.path_params["name"]).encode())
    return JSONResponse(film_of(record), headers=CACHEABLE)


async def chances(request: Request) -> Response:
    """Each seat's chance to win at each step."""
    site = site_of(request)
    seat = number(request.query_params.get("seat"), "seat")
    text = await to_thread.run_sync(site.store.matches.replay, request.path_params["name"])
    return JSONResponse(await site.chances.chances(text, seat), headers=CACHEABLE)


def download(request: Request) -> Response:
    """The replay as a file."""
    name = request.path_params["name"]
    text = site_of(request).store.matches.replay(name)
    disposition = f'attachment; filename="{name}.jsonl"'  # names on record have no quotes
    return Response(text, media_type="application/jsonl", headers={"content-disposition": disposition})


ROUTES = [
    Route("/matches", match_list),
    Route("/matches/{name}", match),
    Route("/matches/{name}/film.json", film),
    Route("/matches/{name}/chances.json", chances),
    Route("/matches/{name}/replay", download),
]
