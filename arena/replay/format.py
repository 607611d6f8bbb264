"""The replay format `arena.replay/1` (docs/replay.md): what a replay holds, and how it is written.

A replay is JSON Lines: a header with the deal, one line for each decision and each forfeit, the result.
"""

from __future__ import annotations

import enum
import json
import math
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, Self
from urllib.parse import quote

from arena.errors import ArenaError, refusal
from arena.games.base import Json, Result

FORMAT = "arena.replay/1"
MAX_FILE_NAME = 120


class FaultKind(enum.Enum):
    """Why a seat forfeited: the word in the replay, and what it means."""

    TIMEOUT = "timeout", "did not answer in time"
    ILLEGAL = "illegal", "answered with an action that was not legal"
    PROTOCOL = "protocol", "sent a message that the protocol does not allow"
    CRASH = "crash", "ended in the middle of the match"
    DISCONNECT = "disconnect", "closed its connection in the middle of the match"
    START = "start", "did not start"

    meaning: str

    def __new__(cls, word: str, meaning: str) -> Self:
        member = object.__new__(cls)
        member._value_ = word
        member.meaning = meaning
        return member


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
    return "".join(map(dump_line, [replay.header, *replay.entries, replay.result]))


def dump_line(part: Header | Decision | Fault | Mapping[str, Json]) -> str:
    """Return a line of a replay; a mapping is the result."""
    if isinstance(part, Decision):  # most lines: json.dumps would take several times as long
        seat, action, ms, by_house = part
        if not math.isfinite(ms):
            raise ValueError(f"`{ms}` is not a think time.")
        house = ', "by": "house"' if by_house else ""
        return f'{{"seat": {seat}, "action": {_quoted(action)}, "ms": {ms!r}{house}}}\n'
    if isinstance(part, Fault):
        part = {"seat": part.seat, "fault": part.fault.value, "detail": part.detail}
    elif isinstance(part, Header):
        part = {"format": FORMAT, **{name: getattr(part, name) for name in Header.__slots__}}
    return json.dumps(part, ensure_ascii=False, allow_nan=False) + "\n"


@lru_cache(maxsize=256)
def _quoted(action: str) -> str:
    return json.dumps(action, ensure_ascii=False)


def write(replay: Replay, folder: Path, name: str = "") -> Path:
    """Write the replay to a file in the folder, whole or not at all. Return the file.

    `name`: what the file is named after, the match by default.
    """
    path = folder / f"{_file_name(name or replay.header.match)}.jsonl"
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        unfinished.write_text(dumps(replay), encoding="utf-8")
        return unfinished.replace(path)
    except OSError as error:
        raise ArenaError(refusal(error, path)) from error
    finally:
        with suppress(OSError):
            unfinished.unlink()


def _file_name(match: str) -> str:
    """Return a file name that is different for each match. Characters that it must not have become %2F and the like."""
    name = quote(match, safe="")
    return name if len(name) <= MAX_FILE_NAME else f"{name[:MAX_FILE_NAME]}-{sha256(match.encode()).hexdigest()[:12]}"
