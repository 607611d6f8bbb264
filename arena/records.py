"""What is kept of a match: plain values that travel from the workers to the store. Nothing heavy is imported here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

PERSON = 0
"""Stands for the version of a person, who has none."""


class SeatRecord(NamedTuple):
    """What one seat did in a match."""

    version_id: int
    """The bot's version, or PERSON."""
    placement: int
    won: float
    """A win that n seats share counts 1/n."""
    think_ms: float
    """What was charged."""
    decisions: int
    fault: str | None
    detail: str | None
    wall_ms: float | None = None
    """How long the match waited for it; None in old records."""
    cpu_ms: float | None = None
    """The processor time that it used for its turns; None where that was not measured."""
    person: str | None = None
    """The name of the person who sat there, where it was not a bot."""


@dataclass(frozen=True, slots=True)
class BlockRecord:
    """A deal that some entrants play once for every rotation of the seats."""

    number: int
    round: str
    deal: int
    entrants: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """A match that has been played."""

    block: int
    rotation: int
    name: str
    seed: str
    ending: str
    seats: tuple[SeatRecord, ...]
    replay: bytes
    """Compressed."""
    played: str
    reruns: int = 0
    """How often the host, not a bot, spoiled it before."""
    sandbox: str = "none"
    """The tier that the bots ran in."""
    overhead_ms: float = 0.0
    """What it took besides the bots' turns."""
    overloaded: bool = False
    """Whether the machine had too much to do meanwhile."""
