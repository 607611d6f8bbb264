"""A replay by the name that a user gave: of a match of the store, or of a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from arena.errors import NotFound
from arena.games.base import AnyState, Result
from arena.replay import Replay, Step, follow, loads, states, verify

MATCH_NAME = re.compile(r"[0-9]+-[a-z./-]+-[0-9]+-[0-9]+")
"""The names of matches in the store: 3-mantis-17-2, 4-mantis.icons-1-3."""

Fetch = Callable[[Sequence[str]], Iterator[bytes | NotFound]]


@dataclass(frozen=True)
class MatchReplay:
    """The replay of one match, to step through."""

    name: str
    data: bytes
    """The file in the format arena.replay/1."""

    @cached_property
    def replay(self) -> Replay:
        """The parsed replay. Raise `ReplayError` if it is malformed."""
        return loads(self.data)

    @property
    def bots(self) -> tuple[str, ...]:
        """The names of the bots, in seat order."""
        return self.replay.header.seats

    def states(self) -> Iterator[AnyState]:
        """Return the state after the deal, then the state after each line."""
        return states(self.replay)

    def steps(self) -> Iterator[Step]:
        """Yield each decision with the events it caused and the state after it."""
        return follow(self.replay)

    def verify(self) -> Result:
        """Play the match again under the rules and return the result. Raise `ReplayMismatch` if it differs."""
        return verify(self.replay)


def is_stored(named: str) -> bool:
    """Return whether this is the name of a match of the store. A file of that name takes precedence."""
    return MATCH_NAME.fullmatch(named) is not None and not Path(named).exists()


def read_replay(named: str | Path, fetch: Fetch) -> MatchReplay:
    """Return one replay."""
    (found,) = read_replays([str(named)], fetch)
    if isinstance(found, MatchReplay):
        return found
    raise found


def read_replays(named: Sequence[str], fetch: Fetch) -> Iterator[MatchReplay | NotFound | OSError]:
    """Yield these replays, or why one cannot be read, in this order. `fetch` gets those of the store."""
    stored = fetch([name.replace("/", ".") for name in named if is_stored(name)])
    for name in named:
        try:
            data = next(stored) if is_stored(name) else Path(name).read_bytes()
        except OSError as error:
            yield error
            continue
        yield MatchReplay(name, data) if isinstance(data, bytes) else data
