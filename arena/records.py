"""Records of matches: plain values sent from the workers to the store. Imports nothing heavy."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

PERSON = 0
"""The version id of a person."""


class SeatRecord(NamedTuple):
    """One seat's result in a match."""

    version_id: int
    """The bot version, or PERSON."""
    placement: int
    won: float
    """A win that n seats share counts 1/n."""
    think_ms: float
    """The charged think time."""
    decisions: int
    fault: str | None
    detail: str | None
    wall_ms: float | None = None
    """The time that the match waited for it; None in old records."""
    cpu_ms: float | None = None
    """The CPU time of its turns; None if it was not measured."""
    person: str | None = None
    """The name of the person in this seat, if it was not a bot."""


@dataclass(frozen=True, slots=True)
class BlockRecord:
    """A block: one deal that its entrants play in every rotation of the seats."""

    number: int
    round: str
    deal: int
    entrants: tuple[int, ...]


@lru_cache(maxsize=4096)  # the same entrants meet again and again
def rotations_of(entrants: tuple[int, ...]) -> range:
    """Return the rotations of a block that differ: where two bots share all seats, some rotations seat them alike."""
    count = len(entrants)
    return range(next(turn for turn in range(1, count + 1) if entrants[turn:] + entrants[:turn] == entrants))


class MatchRecord(NamedTuple):
    """A match that was played."""

    block: int
    rotation: int
    name: str
    seed: str
    ending: str
    seats: tuple[SeatRecord, ...]
    replay: bytes
    """Its moves (replay/compact.py)."""
    played: str
    reruns: int = 0
    """How often it was played again after a fault of the host."""
    sandbox: str = "none"
    """The sandbox tier of the bots."""
    overhead_ms: float = 0.0
    """The time besides the bots' turns."""
    overloaded: bool = False
    """Whether the machine was overloaded during the match."""


def now() -> str:
    """Return the current time as it is stored: UTC, to the second."""
    return _text_of(int(time.time()))


@lru_cache(maxsize=1)  # asked for by every match
def _text_of(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%d %H:%M:%S")


def from_now(later: timedelta) -> str:
    """Return a later time as it is stored. These texts sort in the order of time."""
    return (datetime.now(UTC) + later).strftime("%Y-%m-%d %H:%M:%S")
