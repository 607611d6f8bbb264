"""Where replays come from: files, the store here, or a server elsewhere."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from arena.cli.homes import open_store
from arena.errors import NotFound
from arena.replay import Replay, loads
from arena.store.home import Home
from arena.store.store import Store

if TYPE_CHECKING:
    from arena.client.desk import DeskClient

MATCH_NAME = re.compile(r"[0-9]+-[a-z./-]+-[0-9]+-[0-9]+")
"""What matches are called in the store: 3-mantis-17-2, 4-mantis.icons-1-3."""


class Source(ABC):
    """Replays by the name that a user has given: of a file, or of a match on record."""

    def __enter__(self) -> Self:
        return self

    @abstractmethod
    def __exit__(self, *_: object) -> None: ...

    @abstractmethod
    def names(self, tournament: str) -> list[str]:
        """The matches of a tournament."""

    @abstractmethod
    def _on_record(self, name: str) -> bytes: ...

    def expect(self, named: Sequence[str]) -> None:  # noqa: B027, most need not know
        """These are about to be read, in this order."""

    def read(self, named: str) -> bytes:
        """The replay that the user means, as it is written to a file."""
        if is_on_record(named):
            return self._on_record(named.replace("/", "."))
        return Path(named).read_bytes()

    def replay(self, named: str) -> Replay:
        return loads(self.read(named))


class StoreSource(Source):
    """The store here, opened when it is needed."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._opened: Store | None = None

    def __exit__(self, *_: object) -> None:
        if self._opened:
            self._opened.close()

    @property
    def _store(self) -> Store:
        self._opened = self._opened or open_store(self._home)
        return self._opened

    def names(self, tournament: str) -> list[str]:
        return self._store.history.names(self._store.tournaments.find(tournament).id)

    def _on_record(self, name: str) -> bytes:
        return self._store.matches.replay(name).encode()


class ServerSource(Source):
    """A server elsewhere, which is asked for many replays at once where many are wanted."""

    def __init__(self, server: DeskClient) -> None:
        self._server = server
        self._expected: list[str] = []
        self._kept: dict[str, bytes | NotFound] = {}

    def __exit__(self, *_: object) -> None:
        self._server.__exit__(None, None, None)

    def names(self, tournament: str) -> list[str]:
        return self._server.names(tournament)

    def expect(self, named: Sequence[str]) -> None:
        self._expected = list(dict.fromkeys(name.replace("/", ".") for name in named if is_on_record(name)))

    def _on_record(self, name: str) -> bytes:
        from arena.client.desk import REPLAYS_PER_REQUEST

        if name not in self._kept:
            place = self._expected.index(name) if name in self._expected else len(self._expected)
            wanted = self._expected[place : place + REPLAYS_PER_REQUEST] or [name]
            self._kept = self._server.replays(wanted)
        found = self._kept.get(name)
        if not isinstance(found, bytes):
            raise found or NotFound(f"{self._server.address} has not sent {name}.")
        return found


def is_on_record(named: str) -> bool:
    """Whether a match is meant: what is there as a file is that file."""
    return MATCH_NAME.fullmatch(named) is not None and not Path(named).exists()
