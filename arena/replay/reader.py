"""Reading replays. The form of every line is checked; a `ReplayError` names the line that is wrong."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Literal, TypeVar

import msgspec

from arena.errors import ArenaError, MalformedReplay, NotAReplay, TruncatedReplay
from arena.games.base import Json
from arena.games.registry import find_game
from arena.replay.format import FORMAT, Decision, Fault, Header, Replay

Line = TypeVar("Line")

MAX_DEPTH = 200
"""How deep lists and objects may be nested. Code that shows or writes them may itself be deep in the stack."""


class HeaderLine(msgspec.Struct):
    match: str
    game: str
    options: dict[str, Any]
    seed: str
    seats: tuple[str, ...]
    deal: Any


class DecisionLine(msgspec.Struct):
    seat: int
    action: str
    ms: int | float
    by: Literal["house"] | msgspec.UnsetType = msgspec.UNSET


def loads(data: bytes) -> Replay:
    """Return the replay in the bytes. Raise a `ReplayError` if they are not one."""
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


def read_header(text: bytes) -> Header:
    """Return line 1. Raise a `ReplayError` if it is not a header."""
    try:
        fields = _read_object(text, 1, is_last=False)
    except MalformedReplay as error:
        raise NotAReplay(1, f"no replay of the format {FORMAT!r} begins like this.") from error
    if fields.get("format") != FORMAT:
        raise NotAReplay(1, f"the format is not {FORMAT!r}.")
    line = _as(HeaderLine, fields, 1)
    try:
        game = find_game(line.game)
        if missing := [name for name in game.options if not isinstance(line.options.get(name), str)]:
            raise MalformedReplay(1, f"'options' must have the text {missing[0]!r}.")
        options = game.complete({name: line.options[name] for name in game.options})
        game.from_deal(line.deal, len(line.seats), **options)
    except MalformedReplay:
        raise
    except ArenaError as error:
        raise MalformedReplay(1, str(error)) from error
    return Header(line.match, line.game, options, line.seed, line.seats, line.deal)


def read_line(text: bytes, number: int, seats: int, *, is_last: bool) -> Decision | Fault | Mapping[str, Json]:
    """Return a line after the first one; the result as it is written."""
    fields = _read_object(text, number, is_last=is_last)
    kinds = fields.keys() & {"action", "fault", "placements"}
    if len(kinds) != 1:
        raise MalformedReplay(number, "a line must have exactly one of 'action', 'fault' and 'placements'.")
    if "placements" in kinds:
        return fields
    entry: Decision | Fault
    if "fault" in kinds:
        entry = _as(Fault, fields, number)
    else:
        line = _as(DecisionLine, fields, number)
        if not 0 <= line.ms <= sys.float_info.max:
            raise MalformedReplay(number, f"'ms' must be a number of milliseconds, not {line.ms}.")
        entry = Decision(line.seat, line.action, line.ms, line.by == "house")
    if not 0 <= entry.seat < seats:
        raise MalformedReplay(number, f"'seat' must be a number from 0 to {seats - 1}, not {entry.seat}.")
    return entry


def _read_object(text: bytes, number: int, *, is_last: bool) -> Mapping[str, Json]:
    try:
        value: object = msgspec.json.decode(text)
    except UnicodeError:
        raise MalformedReplay(number, "not UTF-8 text.") from None
    except (ValueError, RecursionError):
        if is_last:
            raise TruncatedReplay(number, "the replay stops in the middle of this line.") from None
        raise MalformedReplay(number, "not a JSON object.") from None
    brackets = text.count(b"[") + text.count(b"{")
    if not isinstance(value, dict) or (brackets > MAX_DEPTH and _is_deep(value, MAX_DEPTH)):
        raise MalformedReplay(number, "not a JSON object.")
    return value


def _is_deep(value: object, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels < 0 or any(_is_deep(each, levels - 1) for each in inner)


def _as(kind: type[Line], fields: Mapping[str, Json], number: int) -> Line:
    """Return the fields as this kind of line; unknown keys are ignored."""
    try:
        return msgspec.convert(fields, kind)
    except msgspec.ValidationError as error:
        raise MalformedReplay(number, f"{error}.") from None
