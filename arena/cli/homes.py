"""The store behind a command. Apart from the options, because loading a database's library takes its time."""

from __future__ import annotations

from arena.errors import NotFound
from arena.store.home import Home
from arena.store.store import Store


def open_store(home: Home) -> Store:
    """The store of a home that is there. Raises where nothing was ever kept."""
    if not home.exists:
        raise NotFound(f"there is nothing in {home.path} yet: begin with arena submit PATH, or arena tournament.")
    return Store.open(home.database)
