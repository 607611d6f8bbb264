"""The web application: its addresses, and the one place where an error becomes a page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import ArenaError, NothingThere
from arena.store.home import Home
from arena.store.store import Store
from arena.web import boards
from arena.web.events import Hub
from arena.web.pages import Pages
from arena.web.security import Gate, Guarded, NotAllowed
from arena.web.site import Site, site_of


def create_app(home: Home, store: Store, gate: Gate, hosts: Iterable[str] | None = None) -> Starlette:
    """The application. `hosts`: the names by which it is reached; None: whatever they are."""
    pages = Pages(gate)
    hub = Hub(store_watch(store))
    site = Site(home, store, gate, pages, hub)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with hub:
            yield

    app = Starlette(
        routes=[
            Route("/static/{digest}/{name:path}", pages.assets.serve),
            *boards.ROUTES,
        ],
        middleware=[Middleware(Guarded, gate=gate, hosts=hosts), Middleware(GZipMiddleware, minimum_size=1000)],
        exception_handlers={ArenaError: _mistake, HTTPException: _no_page, Exception: _failure},
        lifespan=lifespan,
    )
    app.state.site = site
    return app


def store_watch(store: Store) -> Callable[[], bool]:
    """Whether the store has changed since the last call."""
    connection = store.engine.connect()
    before = None

    def has_changed() -> bool:
        nonlocal before
        now = connection.exec_driver_sql("PRAGMA data_version").scalar()
        connection.rollback()
        changed, before = now != before, now
        return changed

    return has_changed


def _mistake(request: Request, error: Exception) -> Response:
    status = 404 if isinstance(error, NothingThere) else 403 if isinstance(error, NotAllowed) else 400
    sentence = str(error)
    return site_of(request).pages.sorry(request, status, sentence[:1].upper() + sentence[1:])


def _no_page(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    said = {404: "There is no such page.", 405: "This address does not take such requests."}
    return site_of(request).pages.sorry(request, error.status_code, said.get(error.status_code, error.detail))


def _failure(request: Request, _: Exception) -> Response:
    """What went wrong is printed where the server runs; the visitor need not know more."""
    return site_of(request).pages.sorry(request, 500, "Something went wrong here. The server's own output says what.")
