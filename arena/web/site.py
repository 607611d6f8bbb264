"""What all pages share: the home, its store, the templates, who may do what, and who follows what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from starlette.requests import Request

from arena.store.home import Home
from arena.store.store import Store
from arena.web.chances_worker import ChancesWorker
from arena.web.events import EventHub
from arena.web.pages.progress import ProgressCache
from arena.web.rendering import Pages
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
    pages: Pages
    hub: EventHub
    oracle: ChancesWorker
    private: bool
    """Whether only this machine reaches it: then bots' logs are shown to everybody who does."""
    courses: ProgressCache
    live: LiveWatcher
    lobby: Lobby

    def conducted(self) -> frozenset[int]:
        """The tournaments that are being played, here or in another home that shares the store."""
        here = self.home.conducted()
        return self.store.leased_tournaments() if here is None else self.store.leased_tournaments() | {here}


def site_of(request: Request) -> Site:
    return cast("Site", request.app.state.site)
