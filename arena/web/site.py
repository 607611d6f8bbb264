"""What all pages share: the home, its store, rendering, access control and background services."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from typing import cast

from starlette.requests import Request
from starlette.responses import HTMLResponse

from arena.errors import NotFound
from arena.sandbox import Sandbox
from arena.store.changes import ChangeDetector
from arena.store.home import Home
from arena.store.leases import leased_tournaments
from arena.store.store import Store
from arena.web import templating
from arena.web.chances_worker import ChancesWorker
from arena.web.events import EventHub, background
from arena.web.live.watcher import LiveWatcher
from arena.web.pages.progress import ProgressCache
from arena.web.play.lobby import Lobby
from arena.web.security import TokenGate


class Site:
    """One arena on the web."""

    def __init__(
        self, home: Home, store: Store, gate: TokenGate, sandbox: Callable[[], Sandbox], *, private: bool
    ) -> None:
        """`sandbox`: returns where bots run that people play against.

        `private`: only this machine reaches the server, so bots' logs are shown without the token.
        """
        self.home = home
        self.store = store
        self.gate = gate
        self.private = private
        self.store_changes = ChangeDetector(store.engine)
        self.hub = EventHub(self._state)
        self.chances = ChancesWorker()
        self.progress = ProgressCache(store)
        self.live = LiveWatcher(home, self.hub)
        self.lobby = Lobby(home, store, sandbox)

    def _state(self) -> int:
        """Return a number that differs after every change of the store, and when a tournament starts or stops."""
        return hash((self.store_changes.state(), self.home.conducted(), leased_tournaments(self.store.engine)))

    @asynccontextmanager
    async def services(self) -> AsyncIterator[None]:
        """Run the background services."""
        with closing(self.store_changes), closing(self.chances):
            async with background(self.hub.run(), self.live.run()), self.lobby:
                yield

    def running(self) -> frozenset[int]:
        """Return the ids of the running tournaments, in this home or in another one that shares the store."""
        here = self.home.conducted()
        return leased_tournaments(self.store.engine) | ({here} if here is not None else set())

    def page(self, request: Request, template: str, /, status: int = 200, **context: object) -> HTMLResponse:
        known = self.gate.is_known(request)
        content = templating.render(
            template,
            path=request.url.path,
            given=request.query_params,
            may_play=known,
            csrf=self.gate.csrf if known else "",
            running_tournament=self.home.conducted(),
            **context,
        )
        return HTMLResponse(content, status)


def site_of(request: Request) -> Site:
    return cast("Site", request.app.state.site)


def number(text: str | None, what: str) -> int | None:
    """Return a number in an address; None if it is empty. Raise `NotFound` if it is not a number."""
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 16):
        raise NotFound(f"There is no {what} `{text[:40]}`.")
    return min(int(text), 2**31 - 1)  # the largest number that PostgreSQL looks for
