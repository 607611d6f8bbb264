"""Replays in the format `arena.replay/1` (docs/replay.md): write, read, re-play, verify.

A replay is JSON Lines: a header with the deal, one line for each decision and each forfeit, the result. Reading checks
the form of every line; `follow` plays the game again under the rules; `verify` also compares the result. Whatever is
wrong is raised as a ReplayError that names the line.
"""

from __future__ import annotations

import enum
import json
import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, NoReturn

from arena.errors import (
    ArenaError,
    BadActionText,
    IllegalAction,
    MalformedReplay,
    NotAReplay,
    ReplayMismatch,
    TruncatedReplay,
    choices,
    refusal,
)
from arena.games.base import AnyGame, AnyState, Json, Result
from arena.games.registry import find_game
from arena.replay import strict_json

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
    """Line 1: what is played, by whom, with which cards."""

    match: str
    game: str
    options: Mapping[str, str]
    seed: str
    seats: tuple[str, ...]
    """Bot names, with version, in seat order."""
    deal: Json


class Decision(NamedTuple):
    """What a seat did, or the house for it. A named tuple, because the referee makes one for every action played."""

    seat: int
    action: str
    ms: float
    """The think time charged to the seat."""
    by_house: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """A seat forfeits: from here on the house plays for it."""

    seat: int
    fault: FaultKind
    detail: str


@dataclass(slots=True)
class Replay:
    """A whole replay. `result` is the last line as it is written there; unknown keys are ignored."""

    header: Header
    entries: list[Decision | Fault] = field(default_factory=list)
    result: Mapping[str, Json] = field(default_factory=dict)

    @property
    def forfeited(self) -> tuple[int, ...]:
        """The seats that forfeited, in the order they did."""
        return tuple(entry.seat for entry in self.entries if isinstance(entry, Fault))


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a replay, played: the state after it and what it caused."""

    line: int
    entry: Decision | Fault
    events: Sequence[object]
    state: AnyState


# Writing


def result_line(result: Result) -> dict[str, Json]:
    """The last line of a replay."""
    return {"placements": result.placements, "winners": result.winners, **result.details()}


def dumps(replay: Replay) -> str:
    """The replay as text, ready to be written to a file."""
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
    """The same as `_line` would write, several times as fast: most lines of a replay are decisions."""
    seat, action, ms, by_house = decision
    if not math.isfinite(ms):
        raise ValueError(f"{ms} is not a think time")
    house = ', "by": "house"' if by_house else ""
    return f'{{"seat": {seat}, "action": {_quoted(action)}, "ms": {ms!r}{house}}}\n'


@lru_cache(maxsize=256)
def _quoted(action: str) -> str:
    return json.dumps(action, ensure_ascii=False)


def write(replay: Replay, path: Path) -> None:
    """Writes the file whole or not at all: a replay that is there is complete."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        unfinished.write_text(dumps(replay), encoding="utf-8")
        unfinished.replace(path)
    except OSError as error:
        raise ArenaError(refusal(error, path)) from error
    finally:
        unfinished.unlink(missing_ok=True)


# Reading


def read(path: Path) -> Replay:
    """The replay in the file. Raises a ReplayError that names the line where it is not one."""
    return loads(path.read_bytes())


def loads(data: bytes) -> Replay:
    """The replay in the bytes. Raises a ReplayError that names the line where it is not one."""
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    if not lines:
        raise NotAReplay(1, "the file is empty.")
    replay = Replay(read_header(lines[0]))
    seats = len(replay.header.seats)
    for number, text in enumerate(lines[1:], start=2):
        if replay.result:
            raise MalformedReplay(number, "nothing may follow the result.")
        read = read_line(text, number, seats, is_last=number == len(lines))
        if isinstance(read, Mapping):
            replay.result = read
        else:
            replay.entries.append(read)
    if not replay.result:
        raise TruncatedReplay(len(lines), "the replay stops here, the lines up to the result are missing.")
    return replay


def read_line(text: bytes, number: int, seats: int, *, is_last: bool) -> Decision | Fault | Mapping[str, Json]:
    """A line after the first one; the result is returned as it is written there."""
    line = _Line(number, _read_object(text, number, is_last=is_last))
    if len(line.fields.keys() & {"action", "fault", "placements"}) > 1:
        line.malformed("only one of an action, a fault and placements can stand in a line.")
    if "action" in line.fields:
        return _read_decision(line, seats)
    if "fault" in line.fields:
        return _read_fault(line, seats)
    if "placements" not in line.fields:
        line.malformed("has neither an action nor a fault nor placements.")
    return line.fields


@dataclass(frozen=True, slots=True)
class _Line:
    """One line's object, with readers that name the line in their errors."""

    number: int
    fields: Mapping[str, Json]

    def malformed(self, reason: str) -> NoReturn:
        raise MalformedReplay(self.number, reason)

    def get(self, key: str) -> Json:
        if key not in self.fields:
            self.malformed(f"the key {key!r} is missing.")
        return self.fields[key]

    def text(self, key: str) -> str:
        value = self.get(key)
        if not isinstance(value, str):
            self.malformed(f"{key!r} must be a text, not {json.dumps(value)}.")
        return value

    def seat(self, seats: int) -> int:
        value = self.get("seat")
        if type(value) is not int or not 0 <= value < seats:
            self.malformed(f"'seat' must be a number from 0 to {seats - 1}, not {json.dumps(value)}.")
        return value


def _read_object(text: bytes, number: int, *, is_last: bool) -> Mapping[str, Json]:
    try:
        value = strict_json.loads(text)
    except UnicodeError:
        raise MalformedReplay(number, "not UTF-8 text.") from None
    except ValueError:
        if is_last:
            raise TruncatedReplay(number, "the replay stops in the middle of this line.") from None
        raise MalformedReplay(number, "not a JSON object.") from None
    if not isinstance(value, dict):
        raise MalformedReplay(number, "not a JSON object.")
    return value


def read_header(text: bytes) -> Header:
    """Line 1. Raises a ReplayError where it is not one."""
    try:
        line = _Line(1, _read_object(text, 1, is_last=False))
    except MalformedReplay as error:
        raise NotAReplay(1, f"no replay of the format {FORMAT!r} begins like this.") from error
    if line.fields.get("format") != FORMAT:
        raise NotAReplay(1, f"the format is not {FORMAT!r}.")
    seats = line.get("seats")
    if not isinstance(seats, list) or not all(isinstance(name, str) for name in seats):
        line.malformed("'seats' must be a list of bot names.")
    try:
        game = find_game(line.text("game"))
        options = _read_options(line, game)
        game.from_deal(line.get("deal"), len(seats), **options)
    except MalformedReplay:
        raise
    except ArenaError as error:
        raise MalformedReplay(1, str(error)) from error
    return Header(
        match=line.text("match"),
        game=game.name,
        options=options,
        seed=line.text("seed"),
        seats=tuple(map(str, seats)),
        deal=line.get("deal"),
    )


def _read_options(line: _Line, game: AnyGame) -> dict[str, str]:
    """The game's options, all of which must be there."""
    given = line.get("options")
    if not isinstance(given, Mapping):
        line.malformed("'options' must be an object.")
    for option in game.options:
        if not isinstance(given.get(option.name), str):
            line.malformed(f"'options' must have the text {option.name!r}.")
    return game.complete({option.name: str(given[option.name]) for option in game.options})


def _read_decision(line: _Line, seats: int) -> Decision:
    ms = line.get("ms")
    if not isinstance(ms, int | float) or isinstance(ms, bool) or not 0 <= ms <= sys.float_info.max:
        line.malformed(f"'ms' must be a number of milliseconds, not {json.dumps(ms)}.")
    by_house = "by" in line.fields
    if by_house and line.fields["by"] != "house":
        line.malformed(f"'by' can only be \"house\", not {json.dumps(line.fields['by'])}.")
    return Decision(line.seat(seats), line.text("action"), ms, by_house)


def _read_fault(line: _Line, seats: int) -> Fault:
    kind = line.text("fault")
    kinds = [kind.value for kind in FaultKind]
    if kind not in kinds:
        line.malformed(f"the fault {kind!r} is unknown: it must be {choices(kinds)}.")
    return Fault(line.seat(seats), FaultKind(kind), line.text("detail"))


# Playing again


def start(header: Header) -> AnyState:
    """The state before the first decision."""
    return find_game(header.game).from_deal(header.deal, len(header.seats), **header.options)


class Playback:
    """Plays a match again, one line after the other, whether its replay is complete or still being written."""

    def __init__(self, header: Header) -> None:
        self.state = start(header)
        self.forfeited: list[int] = []
        """The seats that have forfeited, in the order they did."""
        self._game = find_game(header.game)
        self._line = 1

    def play(self, entry: Decision | Fault) -> Sequence[object]:
        """Plays the next line and returns the events. Raises ReplayMismatch where the rules do not allow it."""
        self._line += 1
        if isinstance(entry, Fault):
            self._forfeit(entry)
            return ()
        _check_turn(self._line, entry, self.state, self.forfeited)
        try:
            return self.state.apply(self._game.parse_action(entry.action))
        except (BadActionText, IllegalAction) as error:
            raise ReplayMismatch(self._line, str(error)) from error

    def _forfeit(self, fault: Fault) -> None:
        if fault.seat in self.forfeited:
            raise ReplayMismatch(self._line, f"seat {fault.seat} had forfeited before.")
        if self.state.to_move is None:
            raise ReplayMismatch(self._line, f"seat {fault.seat} forfeits, but the game was over before.")
        self.forfeited.append(fault.seat)

    @property
    def over(self) -> bool:
        """Whether nothing more can be played."""
        return self.state.to_move is None or len(self.forfeited) == self.state.seats


def follow(replay: Replay) -> Iterator[Step]:
    """Plays the match again, line by line. Raises ReplayMismatch where the rules do not allow what a line says.

    Each step has its own copy of the state.
    """
    playback = Playback(replay.header)
    for line, entry in enumerate(replay.entries, start=2):
        events = playback.play(entry)
        yield Step(line, entry, events, playback.state.clone())


def _check_turn(line: int, entry: Decision, state: AnyState, forfeited: Sequence[int]) -> None:
    if state.to_move is None:
        raise ReplayMismatch(line, "the game was over before this decision.")
    if len(forfeited) == state.seats:
        raise ReplayMismatch(line, "every seat had forfeited before this decision, so the game had stopped.")
    if entry.seat != state.to_move:
        raise ReplayMismatch(line, f"it was the turn of seat {state.to_move}, not of seat {entry.seat}.")
    if entry.by_house and entry.seat not in forfeited:
        raise ReplayMismatch(line, f"the house plays for seat {entry.seat}, which has not forfeited.")
    if not entry.by_house and entry.seat in forfeited:
        raise ReplayMismatch(line, f"seat {entry.seat} decides, though it has forfeited.")


def verify(replay: Replay) -> Result:
    """Plays the match again and compares the result. Raises ReplayMismatch, naming the line, where they differ."""
    state = start(replay.header)
    for step in follow(replay):
        state = step.state
    forfeited = replay.forfeited
    last_line = len(replay.entries) + 2
    if state.to_move is not None and len(forfeited) < state.seats:
        raise ReplayMismatch(last_line, f"the result stands here, but the game goes on with seat {state.to_move}.")
    result = state.result(forfeited)
    for key, expected in result_line(result).items():
        if key not in replay.result:
            raise MalformedReplay(last_line, f"the key {key!r} is missing in the result.")
        given = replay.result[key]
        if not _agrees(given, expected):
            raise ReplayMismatch(
                last_line, f"by the rules the result is {key} {json.dumps(expected)}, not {json.dumps(given)}."
            )
    return result


def _agrees(given: Json, expected: Json) -> bool:
    """Whether the two are the same JSON, unknown keys of an object aside."""
    if isinstance(expected, Mapping):
        return isinstance(given, Mapping) and all(
            key in given and _agrees(given[key], value) for key, value in expected.items()
        )
    if isinstance(expected, tuple):
        return isinstance(given, list | tuple) and len(given) == len(expected) and all(map(_agrees, given, expected))
    return type(given) is type(expected) and given == expected
