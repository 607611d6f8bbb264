"""Matches: the list of them, and each in the viewer."""

from __future__ import annotations

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from arena import replay
from arena.errors import NotFound
from arena.store.history import MatchFilter
from arena.web.site import site_of
from arena.web.viewer.film import film_of

ON_A_PAGE = 50
LARGEST = 2**31 - 1
"""No number in the store is greater, and PostgreSQL refuses to look for one."""
KEPT = {"cache-control": "private, max-age=86400"}
"""A match never changes, so browsers may keep what they know of it, under an address that says when it was played: in
another arena another match has the same name."""


def match_list(request: Request) -> Response:
    """A page of matches, the newest first."""
    site = site_of(request)
    given = request.query_params
    tournament = number(given.get("tournament"), "tournament")
    bot = given.get("bot") or None
    versions = site.store.bots.versions_of(bot) if bot else []
    if bot and not versions:
        raise NotFound(f"there is no bot {bot!r} here.")
    wanted = MatchFilter(
        tournament_id=tournament,
        bracket=given.get("bracket") or None,
        version_ids=tuple(version.id for version in versions) if bot else None,
        only_faults=given.get("faults") == "1",
    )
    found = site.store.history.page(wanted, before=number(given.get("before"), "match"), limit=ON_A_PAGE + 1)
    more = found[ON_A_PAGE - 1].id if len(found) > ON_A_PAGE else None
    return site.pages.page(
        request,
        "matches.html",
        matches=found[:ON_A_PAGE],
        more=more,
        given=given,
        brackets=site.store.tournaments.bracket_names(),
        tournaments=site.store.tournaments.latest(100),
    )


def number(text: str | None, what: str) -> int | None:
    """The number in an address. Raises where it is none."""
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 16):
        raise NotFound(f"there is no {what} {text[:40]!r} here.")
    return min(int(text), LARGEST)


def match(request: Request) -> Response:
    """A match in the viewer."""
    site = site_of(request)
    found = site.store.history.find(request.path_params["name"])
    earlier, later = site.store.history.neighbours(found.id, MatchFilter(found.tournament_id))
    return site.pages.page(
        request,
        "match.html",
        match=found,
        earlier=earlier,
        later=later,
        versions=site.store.bots.by_id([seat.version_id for seat in found.seats if seat.version_id is not None]),
        tournament=site.store.tournaments.load(found.tournament_id),
    )


def film(request: Request) -> Response:
    """All that the viewer needs to know of a match."""
    record = replay.loads(site_of(request).store.matches.replay(request.path_params["name"]).encode())
    return JSONResponse(film_of(record), headers=KEPT)


async def chances(request: Request) -> Response:
    """How likely each seat was to win at each step."""
    site = site_of(request)
    name = request.path_params["name"]
    seat = number(request.query_params.get("seat"), "seat")
    text = await to_thread.run_sync(site.store.matches.replay, name)
    return JSONResponse(await site.oracle.chances(text, seat), headers=KEPT)


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
