"""The web application: its routes, and the one place where an error becomes a page."""

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

from arena.errors import ArenaError, BadStore
from arena.sandbox import Sandbox
from arena.store.home import Home
from arena.store.store import Store
from arena.web.chances_worker import ChancesWorker
from arena.web.errors import sentence, status_code
from arena.web.events import EventHub
from arena.web.live import pages as live
from arena.web.live.watcher import LiveWatcher
from arena.web.pages import boards, bots, matches, tournaments
from arena.web.pages.progress import ProgressCache
from arena.web.play import routes as play
from arena.web.play.lobby import Lobby
from arena.web.rendering import Renderer
from arena.web.security import TokenGate, secured
from arena.web.site import Site, site_of

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
    """Return the application, and what its pages share.

    `sandbox`: where bots run that people play against. `private`: only this machine reaches the server. `hosts`: the
    accepted host names; None: any. `besides`: additional routes.
    """
    renderer = Renderer(gate, home.conducted)
    watch = store.change_counter()
    # The ids of running tournaments are part of the state, so that pages also show starts and interruptions.
    hub = EventHub(lambda: hash((watch.count(), home.conducted(), store.leased_tournaments())))
    chances = ChancesWorker()
    watcher = LiveWatcher(home, hub)
    lobby = Lobby(home, store, sandbox)
    site = Site(home, store, gate, renderer, hub, chances, private, ProgressCache(store), watcher, lobby)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        with watch, closing(chances):
            async with hub, watcher, lobby:
                yield

    app = Starlette(
        routes=[
            Route("/static/{digest}/{name:path}", renderer.assets.serve),
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
            BadStore: _bad_store,
            ArenaError: _arena_error,
            HTTPException: _http_error,
            Exception: _unexpected_error,
        },
        lifespan=lifespan,
    )
    app.state.site = site
    return secured(app, gate, hosts), site


def _arena_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ArenaError)
    return site_of(request).renderer.error(request, status_code(error), sentence(error))


def _bad_store(request: Request, error: Exception) -> Response:
    """Log the details: where the store is and what is wrong with it concerns the organiser only."""
    log.error("%s", error)
    return site_of(request).renderer.error(request, 503, "The store is not available. The server's output says why.")


def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    sentences = {404: "Page not found.", 405: "This address does not accept such requests."}
    text = sentences.get(error.status_code, error.detail)
    return site_of(request).renderer.error(request, error.status_code, text)


def _unexpected_error(request: Request, _: Exception) -> Response:
    return site_of(request).renderer.error(request, 500, "Internal error. The server's output has the details.")
