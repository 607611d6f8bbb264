"""What all pages share: the home, its store, templates, access control and background services."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from starlette.requests import Request

from arena.store.home import Home
from arena.store.store import Store
from arena.web.chances_worker import ChancesWorker
from arena.web.events import EventHub
from arena.web.pages.progress import ProgressCache
from arena.web.rendering import Renderer
from arena.web.security import TokenGate

if TYPE_CHECKING:
    from arena.web.live.watcher import LiveWatcher
    from arena.web.play.lobby import Lobby


@dataclass(frozen=True, slots=True)
class Site:
    """One arena on the web."""

    home: Home
    store: Store
    gate: TokenGate
    renderer: Renderer
    hub: EventHub
    chances: ChancesWorker
    private: bool
    """Whether only this machine reaches the server: then bots' logs are shown without the token."""
    progress: ProgressCache
    live: LiveWatcher
    lobby: Lobby

    def running(self) -> frozenset[int]:
        """Return the ids of the running tournaments, in this home or in another one that shares the store."""
        here = self.home.conducted()
        return self.store.leased_tournaments() if here is None else self.store.leased_tournaments() | {here}


def site_of(request: Request) -> Site:
    return cast("Site", request.app.state.site)
