"""The addresses of playing: the page where a table is chosen, the table, and what its page sends."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from arena.errors import ArenaError, NotFound
from arena.games.base import Json
from arena.games.brackets import Bracket
from arena.games.registry import GAMES, words_of
from arena.replay import strict_json
from arena.web.events import stream
from arena.web.play.lobby import Full
from arena.web.play.match import PersonMatch
from arena.web.play.opponents import Kind, Opponent, all_opponents, default_table
from arena.web.play.person import OutOfTurn
from arena.web.play.request import LONGEST_NAME, LONGEST_SEED, PlayRequest
from arena.web.security import NotAllowed
from arena.web.site import Site, site_of

USUAL_OPPONENTS = 3
CLOCKS = (("", "No clock"), ("60", "1 minute a turn"), ("20", "20 seconds a turn"), ("8", "8 seconds a turn"))
STATUS: dict[type[ArenaError], int] = {NotFound: 404, NotAllowed: 403, OutOfTurn: 409, Full: 503}

LONGEST_ACTION = 40
KINDS = {int: "number", str: "text", bool: "true or false"}

Field = TypeVar("Field", int, str, bool)
Handler = Callable[[Request, object], Awaitable[Response]]


# Pages


def choose_table(request: Request) -> Response:
    """The page where somebody chooses a table."""
    site = site_of(request)
    opponents = all_opponents(site.store) if site.gate.is_known(request) else []
    return site.pages.page(
        request,
        "play.html",
        offers=[_offer(name, opponents) for name in GAMES],
        clocks=CLOCKS,
        longest_name=LONGEST_NAME,
        longest_seed=LONGEST_SEED,
        under_way=[each for each in list(site.lobby.matches.values()) if each.is_on],
    )


def _offer(name: str, opponents: list[Opponent]) -> dict[str, Json]:
    """What there is to choose from in a game."""
    game = GAMES[name]
    able = [each for each in opponents if name in each.games]
    return {
        "name": name,
        "title": game.title,
        "summary": game.summary,
        "option": " and ".join(option.name for option in game.options) or "rules",
        "variants": [_variant(bracket) for bracket in Bracket.all_of(game)],
        "bots": [
            {"kind": kind.value, "bots": [{"key": each.key, "label": each.label} for each in able if each.kind is kind]}
            for kind in Kind
            if any(each.kind is kind for each in able)
        ],
        "usual": default_table(opponents, name, USUAL_OPPONENTS),
    }


def _variant(bracket: Bracket) -> dict[str, Json]:
    """Return one combination of a game's options, with the fewest and the most seats."""
    options = dict(bracket.options)
    meanings = [
        value.meaning
        for option in bracket.rules.options
        for value in option.values
        if value.name == options[option.name]
    ]
    return {
        "name": " ".join(options.values()) or "standard",
        "meaning": "; ".join(meanings),
        "options": options,
        "seats": [bracket.seat_range[0], bracket.seat_range[-1]],
    }


def table(request: Request) -> Response:
    """The page of a game."""
    site = site_of(request)
    sitting = _sitting(request)
    return site.pages.page(
        request,
        "table.html",
        sitting=sitting,
        how_to_play=words_of(sitting.wish.game).how_to_play(len(sitting.others) + 1, sitting.wish.options),
        title=" ".join([GAMES[sitting.wish.game].title, *sitting.wish.options.values()]),
        others=[each.opponent.label for each in sitting.others],
    )


def follow_table(request: Request) -> Response:
    """The events of a game, for who plays it."""
    return stream(_sitting(request).follow(site_of(request).hub))


def _sitting(request: Request) -> PersonMatch:
    """The game that the address names, for somebody who may play it: it shows a hand."""
    site = site_of(request)
    if not site.gate.is_known(request):
        raise NotAllowed("only who opened the address that arena web has printed, with its token, may see this game.")
    return site.lobby.find(request.path_params["game"])


# What pages send


def changes(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """Makes an address of a function that changes something: JSON comes in, JSON goes out, mistakes are told in it."""

    @wraps(handler)
    async def checked(request: Request) -> Response:
        try:
            site_of(request).gate.check_change(request)
            return await handler(request, await _document(request))
        except ArenaError as error:
            sentence = str(error)
            return JSONResponse({"error": sentence[:1].upper() + sentence[1:]}, STATUS.get(type(error), 400))

    return checked


async def _document(request: Request) -> object:
    try:
        return strict_json.loads(await request.body())
    except ClientDisconnect:
        raise ArenaError("that is too much.") from None
    except ValueError:  # not text, or not JSON
        raise ArenaError("that is not JSON.") from None


def _field(document: object, name: str, kind: type[Field]) -> Field:
    value = document.get(name) if isinstance(document, dict) else None
    if not isinstance(value, kind) or type(value) is not kind:  # True is no number
        raise ArenaError(f"{name!r} is missing, or is no {KINDS[kind]}.")
    return value


@changes
async def begin(request: Request, document: object) -> Response:
    return await _opened(site_of(request), PlayRequest.read(document))


@changes
async def choose(request: Request, document: object) -> Response:
    """The person plays."""
    decision, action = _field(document, "decision", int), _field(document, "action", str)
    _sitting(request).person.choose(decision, action[:LONGEST_ACTION])
    return JSONResponse({})


@changes
async def resign(request: Request, document: object) -> Response:
    del document
    _sitting(request).person.resign()
    return JSONResponse({})


@changes
async def again(request: Request, document: object) -> Response:
    """Another game at the same table."""
    rotate = _field(document, "rotate", bool)
    sitting = _sitting(request)
    return await _opened(site_of(request), sitting.wish.again(sitting.seat, rotate=rotate))


async def _opened(site: Site, wish: PlayRequest) -> Response:
    sitting = await site.lobby.open(wish)
    return JSONResponse({"address": f"/play/{sitting.id}"}, 201)


ROUTES = [
    Route("/play", choose_table),
    Route("/play", begin, methods=["POST"]),
    Route("/play/{game}", table),
    Route("/play/{game}/choose", choose, methods=["POST"]),
    Route("/play/{game}/resign", resign, methods=["POST"]),
    Route("/play/{game}/again", again, methods=["POST"]),
    Route("/events/play/{game}", follow_table),
]
