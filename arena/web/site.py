"""What all pages share: the home, its store, the templates, who may do what, and who follows what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from starlette.requests import Request

from arena.store.home import Home
from arena.store.store import Store
from arena.web.courses import Courses
from arena.web.events import Hub
from arena.web.oracle import Oracle
from arena.web.pages import Pages
from arena.web.security import Gate

if TYPE_CHECKING:
    from arena.web.live import Live
    from arena.web.play.parlour import Parlour


@dataclass(frozen=True, slots=True)
class Site:
    """One arena on the web."""

    home: Home
    store: Store
    gate: Gate
    pages: Pages
    hub: Hub
    oracle: Oracle
    private: bool
    """Whether only this machine reaches it: then bots' logs are shown to everybody who does."""
    courses: Courses
    live: Live
    parlour: Parlour

    def conducted(self) -> frozenset[int]:
        """The tournaments that are being played, here or in another home that shares the store."""
        here = self.home.conducted()
        return self.store.conducted() if here is None else self.store.conducted() | {here}


def site_of(request: Request) -> Site:
    return cast("Site", request.app.state.site)
