"""The web application: its addresses, and the one place where an error becomes a page."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, closing

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from arena.errors import ArenaError, BadStore, NotFound
from arena.sandbox import Sandbox
from arena.store.home import Home
from arena.store.store import Store
from arena.web.chances_worker import ChancesWorker
from arena.web.events import EventHub, TooMany
from arena.web.live import pages as live
from arena.web.live.watcher import LiveWatcher
from arena.web.pages import boards, bots, matches, tournaments
from arena.web.pages.progress import ProgressCache
from arena.web.play import routes as play
from arena.web.play.lobby import Lobby
from arena.web.rendering import Pages
from arena.web.security import NotAllowed, SecurityMiddleware, TokenGate
from arena.web.site import Site, site_of

STATUS: dict[type[ArenaError], int] = {NotFound: 404, NotAllowed: 403, TooMany: 503}
"""How errors are called in HTTP; all others are bad requests."""

log = logging.getLogger("arena.web")


def create_app(
    home: Home,
    store: Store,
    gate: TokenGate,
    sandbox: Callable[[], Sandbox] = Sandbox,
    *,
    private: bool,
    hosts: Iterable[str] | None,
    besides: Sequence[BaseRoute] = (),
) -> tuple[ASGIApp, Site]:
    """The application, and what its pages share.

    `sandbox`: where bots run that people play against. `private`: only this machine reaches it. `hosts`: the names by
    which it is reached; None: whatever they are. `besides`: addresses that are not part of the pages.
    """
    pages = Pages(gate, home.conducted)
    watch = store.change_counter()
    hub = EventHub(lambda: hash((watch.count(), home.conducted(), store.leased_tournaments())))
    oracle = ChancesWorker()
    screen = LiveWatcher(home, hub)
    lobby = Lobby(home, store, sandbox)
    site = Site(home, store, gate, pages, hub, oracle, private, ProgressCache(store), screen, lobby)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        with watch, closing(oracle):
            async with hub, screen, lobby:
                yield

    app = Starlette(
        routes=[
            Route("/static/{digest}/{name:path}", pages.assets.serve),
            *boards.ROUTES,
            *bots.ROUTES,
            *matches.ROUTES,
            *tournaments.ROUTES,
            *live.ROUTES,
            *play.ROUTES,
            *besides,
        ],
        middleware=[Middleware(GZipMiddleware, minimum_size=1000)],
        exception_handlers={
            BadStore: _no_store,
            ArenaError: _mistake,
            HTTPException: _no_page,
            Exception: _failure,
        },
        lifespan=lifespan,
    )
    app.state.site = site
    return SecurityMiddleware(app, gate, hosts), site


def _mistake(request: Request, error: Exception) -> Response:
    status = next((status for kind, status in STATUS.items() if isinstance(error, kind)), 400)
    sentence = str(error)
    return site_of(request).pages.sorry(request, status, sentence[:1].upper() + sentence[1:])


def _no_store(request: Request, error: Exception) -> Response:
    """Where the store is and what is wrong with it is the organiser's business."""
    log.error("%s", error)
    sentence = "The arena's store cannot be used at the moment. The server's own output says why."
    return site_of(request).pages.sorry(request, 503, sentence)


def _no_page(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    said = {404: "There is no such page.", 405: "This address does not take such requests."}
    return site_of(request).pages.sorry(request, error.status_code, said.get(error.status_code, error.detail))


def _failure(request: Request, _: Exception) -> Response:
    """What went wrong is printed where the server runs; the visitor need not know more."""
    return site_of(request).pages.sorry(request, 500, "Something went wrong here. The server's own output says what.")
