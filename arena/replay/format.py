"""The replay format `arena.replay/1` (docs/replay.md): what a replay holds, and how it is written.

A replay is JSON Lines: a header with the deal, one line for each decision and each forfeit, the result.
"""

from __future__ import annotations

import enum
import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from arena.errors import ArenaError, refusal
from arena.games.base import Json, Result

FORMAT = "arena.replay/1"


class FaultKind(enum.Enum):
    """Why a seat forfeited; the value is the word in the replay."""

    TIMEOUT = "timeout"
    ILLEGAL = "illegal"
    PROTOCOL = "protocol"
    CRASH = "crash"
    DISCONNECT = "disconnect"
    START = "start"

    @property
    def meaning(self) -> str:
        return MEANING_OF_FAULT[self]


MEANING_OF_FAULT = {
    FaultKind.TIMEOUT: "did not answer in time",
    FaultKind.ILLEGAL: "answered with an action that was not legal",
    FaultKind.PROTOCOL: "sent a message that the protocol does not allow",
    FaultKind.CRASH: "ended in the middle of the match",
    FaultKind.DISCONNECT: "closed its connection in the middle of the match",
    FaultKind.START: "did not start",
}


@dataclass(frozen=True, slots=True)
class Header:
    """Line 1: the game, the bots and the deal."""

    match: str
    game: str
    options: Mapping[str, str]
    seed: str
    seats: tuple[str, ...]
    """Bot names, with version, in seat order."""
    deal: Json


class Decision(NamedTuple):
    """An action of a seat, or of the house for it. A named tuple: the referee makes one for every action."""

    seat: int
    action: str
    ms: float
    """The think time charged to the seat."""
    by_house: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """A seat forfeits; from here on the house plays for it."""

    seat: int
    fault: FaultKind
    detail: str


@dataclass(slots=True)
class Replay:
    """A whole replay. `result` is the last line as it is written; unknown keys are ignored."""

    header: Header
    entries: list[Decision | Fault] = field(default_factory=list)
    result: Mapping[str, Json] = field(default_factory=dict)

    @property
    def forfeited(self) -> tuple[int, ...]:
        """The seats that forfeited, in the order they did."""
        return tuple(entry.seat for entry in self.entries if isinstance(entry, Fault))


def result_line(result: Result) -> dict[str, Json]:
    """Return the last line of a replay."""
    return {"placements": result.placements, "winners": result.winners, **result.details()}


def dumps(replay: Replay) -> str:
    """Return the replay as text."""
    return "".join([header_line(replay.header), *map(entry_line, replay.entries), last_line(replay.result)])


def header_line(header: Header) -> str:
    return _line(
        {
            "format": FORMAT,
            "match": header.match,
            "game": header.game,
            "options": header.options,
            "seed": header.seed,
            "seats": header.seats,
            "deal": header.deal,
        }
    )


def entry_line(entry: Decision | Fault) -> str:
    if isinstance(entry, Fault):
        return _line({"seat": entry.seat, "fault": entry.fault.value, "detail": entry.detail})
    return _decision_line(entry)


def last_line(result: Mapping[str, Json]) -> str:
    return _line(result)


def _line(content: Mapping[str, Json]) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n"


def _decision_line(decision: Decision) -> str:
    """Return the same as `_line`, several times as fast: most lines of a replay are decisions."""
    seat, action, ms, by_house = decision
    if not math.isfinite(ms):
        raise ValueError(f"`{ms}` is not a think time.")
    house = ', "by": "house"' if by_house else ""
    return f'{{"seat": {seat}, "action": {_quoted(action)}, "ms": {ms!r}{house}}}\n'


@lru_cache(maxsize=256)
def _quoted(action: str) -> str:
    return json.dumps(action, ensure_ascii=False)


def write(replay: Replay, path: Path) -> None:
    """Write the file whole or not at all."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        unfinished.write_text(dumps(replay), encoding="utf-8")
        unfinished.replace(path)
    except OSError as error:
        raise ArenaError(refusal(error, path)) from error
    finally:
        unfinished.unlink(missing_ok=True)
