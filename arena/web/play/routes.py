"""The addresses of playing: the form, the page of a match, and the requests that they send."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from arena.errors import ArenaError
from arena.games.base import Json
from arena.games.brackets import Bracket
from arena.games.registry import GAMES, words_of
from arena.web.config import CONFIG
from arena.web.errors import status_code
from arena.web.events import event_stream
from arena.web.play.match import PersonMatch
from arena.web.play.opponents import Opponent, Origin, all_opponents, default_opponents
from arena.web.play.request import ChoiceRequest, PlayRequest, RematchRequest, decode
from arena.web.site import site_of

Handler = Callable[[Request], Awaitable[Response]]


# Pages


def play_form(request: Request) -> Response:
    """The form for a new match."""
    site = site_of(request)
    opponents = all_opponents(site.store) if site.gate.is_known(request) else []
    return site.page(
        request,
        "play.html",
        offers=[_offer(name, opponents) for name in GAMES],
        limits=[("", "none"), *((str(each), f"{each} seconds per turn") for each in (60, 20, 8))],
        config=CONFIG,
        running=[each for each in site.lobby.matches.values() if each.is_running],
    )


def _offer(name: str, opponents: list[Opponent]) -> dict[str, Json]:
    """Return what can be chosen for a game."""
    game = GAMES[name]
    able = [each for each in opponents if name in each.games]
    seats = {}
    for bracket in Bracket.all_of(game):
        counts = bracket.seat_range
        seats[",".join(value for _, value in bracket.options)] = [counts[0], counts[-1]]
    return {
        "name": name,
        "title": game.title,
        "summary": game.summary,
        "options": [
            {"name": option, "values": [{"name": value, "meaning": meaning} for value, meaning in values.items()]}
            for option, values in game.options.items()
        ],
        "seats": seats,
        "bots": [
            {"origin": origin.value, "bots": [{"key": each.key, "label": each.label} for each in group]}
            for origin in Origin
            if (group := [each for each in able if each.origin is origin])
        ],
        "defaults": default_opponents(opponents, name, CONFIG.default_opponents),
    }


def match_page(request: Request) -> Response:
    """The page of a match."""
    match = _match(request)
    asked = match.request
    return site_of(request).page(
        request,
        "play_match.html",
        match=match,
        how_to_play=words_of(asked.game).how_to_play(len(match.opponents) + 1, asked.options),
        title=" ".join([GAMES[asked.game].title, *asked.options.values()]),
    )


def follow_match(request: Request) -> Response:
    match = _match(request)
    return event_stream(site_of(request).hub.follow(("play", match.key), match))


def _match(request: Request) -> PersonMatch:
    """Return the match in the address. It shows the person's cards, so the token is required."""
    site = site_of(request)
    site.gate.check_known(request)
    return site.lobby.find(request.path_params["match"])


# Requests of these pages


def changing(handler: Handler) -> Handler:
    """Check that the request may change something, and answer errors as JSON."""

    @wraps(handler)
    async def checked(request: Request) -> Response:
        try:
            site_of(request).gate.check_change(request)
            return await handler(request)
        except ArenaError as error:
            return JSONResponse({"error": str(error)}, status_code(error))

    return checked


@changing
async def start(request: Request) -> Response:
    return await _started(request, decode(await request.body(), PlayRequest).checked())


@changing
async def choose(request: Request) -> Response:
    chosen = decode(await request.body(), ChoiceRequest)
    _match(request).choose(chosen.decision, chosen.action)
    return JSONResponse({})


@changing
async def resign(request: Request) -> Response:
    _match(request).resign()
    return JSONResponse({})


@changing
async def rematch(request: Request) -> Response:
    asked = decode(await request.body(), RematchRequest)
    match = _match(request)
    return await _started(request, match.request.again(match.seat, rotate=asked.rotate))


async def _started(request: Request, asked: PlayRequest) -> Response:
    match = await site_of(request).lobby.start(asked)
    return JSONResponse({"address": f"/play/{match.key}"}, 201)


ROUTES = [
    Route("/play", play_form),
    Route("/play", start, methods=["POST"]),
    Route("/play/{match}", match_page),
    Route("/play/{match}/choose", choose, methods=["POST"]),
    Route("/play/{match}/resign", resign, methods=["POST"]),
    Route("/play/{match}/again", rematch, methods=["POST"]),
    Route("/events/play/{match}", follow_match),
]
