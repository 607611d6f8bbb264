"""Plain values as protobuf messages, and back: the server and the client use the same dataclasses.

A dataclass and its message have fields of the same names; a field that only the dataclass has gets its default. The
types correspond like this:

    str, int, float, bool           the same
    X | None                        an `optional` field
    another dataclass               another message
    an Enum                         a proto enum: Level.INFO is LEVEL_INFO
    tuple[X, ...], Sequence[X]      a repeated field
    tuple[tuple[str, ...], ...]     a repeated message with the repeated field `items`
    Mapping[str, X]                 a repeated message with `key` and `value`, because a proto map has no order

Only `Board` is different: the cells of its head-to-head matrix are two flat lists.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from dataclasses import astuple, fields
from functools import cache
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from google.protobuf.message import Message

from arena.errors import ArenaError
from arena.rating.standings import Meetings
from arena.reports.board import Board, BoardRow
from arena.v1 import desk_pb2 as pb

M = TypeVar("M", bound=Message)
T = TypeVar("T")
HINT_METADATA = "arena-hint-bin"
"""The trailing metadata of a failed call that carries the error's hint, in UTF-8."""
MAX_NUMBER = 1e12
"""Larger numbers from a server are refused: tables and plots could not show them."""


class BadMessage(ArenaError):
    """A message that has no meaning as a value."""


def to_message(value: object, message: M) -> M:
    """Fill an empty message from a value, and return it."""
    if isinstance(value, Board):
        value = _wire_board(value)
    for field in message.DESCRIPTOR.fields:
        _set(message, field, value if isinstance(message, pb.NameList) else getattr(value, field.name))
    return message


def to_event(value: object, response: M) -> M:
    """Fill the field that has the value's type, in a response that has one of several fields, and return it."""
    fields = {field.message_type.name: field for field in response.DESCRIPTOR.fields if field.message_type}
    _set(response, fields[type(value).__name__], value)
    return response


def _set(message: Message, field: Any, item: Any) -> None:
    if item is None:
        return
    if isinstance(item, Mapping):
        entries = getattr(message, field.name)
        for key, value in item.items():
            entries.add(key=key, value=value)
    elif field.is_repeated:
        target = getattr(message, field.name)
        if field.message_type:
            for each in item:
                to_message(each, target.add())
        else:
            target.extend(item)
    elif field.message_type:
        target = getattr(message, field.name)
        target.SetInParent()
        to_message(item, target)
    elif isinstance(item, enum.Enum) and field.enum_type:
        setattr(message, field.name, field.enum_type.values_by_name[_prefix(field.enum_type) + item.name].number)
    else:
        setattr(message, field.name, item)


def from_message(message: Message, kind: type[T]) -> T:
    """Return the value in a message. Raise `BadMessage` if it is incomplete."""
    if isinstance(message, pb.NameList):
        return cast("T", tuple(message.items))
    types = _types(cast("Any", kind))
    values = {field.name: _get(message, field, types.get(field.name)) for field in message.DESCRIPTOR.fields}
    return cast("T", _board(**values)) if kind is Board else kind(**values)


@cache
def _types(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _get(message: Message, field: Any, kind: Any) -> Any:
    if get_origin(kind) in (Union, UnionType):
        if not message.HasField(field.name):
            return None
        (kind,) = (each for each in get_args(kind) if each is not NoneType)
    item = getattr(message, field.name)
    if get_origin(kind) in (Mapping, dict):
        return {entry.key: entry.value for entry in item}
    if field.is_repeated:
        values = [from_message(each, get_args(kind)[0]) for each in item] if field.message_type else list(item)
        return tuple(values) if get_origin(kind) is tuple else values
    if field.message_type:
        return from_message(item, kind)
    if field.enum_type:
        return _member(field.enum_type, item, kind)
    return item


def _member(proto: Any, number: int, kind: Any) -> Any:
    value = proto.values_by_number.get(number)
    name = value.name.removeprefix(_prefix(proto)) if value else ""
    if name not in kind.__members__:
        raise BadMessage(f"Unknown value {number} of {proto.name}.")
    return kind[name]


@cache
def _prefix(proto: Any) -> str:
    """Return what the names of an enum's values begin with: NOTE_LEVEL_ for NoteLevel."""
    return "".join(f"_{letter}" if letter.isupper() else letter.upper() for letter in proto.name)[1:] + "_"


# Leaderboards


def _wire_board(board: Board) -> SimpleNamespace:
    """Return the fields of the message."""
    cells = [cell or Meetings(0.0, 0) for line in board.head_to_head for cell in line]
    points, matches = [cell.points for cell in cells], [cell.matches for cell in cells]
    values = {field.name: getattr(board, field.name) for field in fields(board)}
    return SimpleNamespace(**values, head_to_head_points=points, head_to_head_matches=matches)


def _board(*, head_to_head_points: list[float], head_to_head_matches: list[int], **values: Any) -> Board:
    size = len(values["rows"])
    cells = list(map(Meetings, head_to_head_points, head_to_head_matches))
    if not len(head_to_head_points) == len(head_to_head_matches) == size * size:
        raise BadMessage("The head-to-head matrix of a leaderboard is not complete.")
    if not all(0 <= cell.points <= cell.matches <= MAX_NUMBER for cell in cells):
        raise BadMessage("The head-to-head matrix of a leaderboard has more points than matches.")
    for row in values["rows"]:
        _check_numbers(row)
    lines = [cells[line * size : (line + 1) * size] for line in range(size)]
    matrix = [[None if place == line else cell for place, cell in enumerate(lines[line])] for line in range(size)]
    return Board(**values, head_to_head=matrix)


def _check_numbers(row: BoardRow) -> None:
    """Raise `BadMessage` if a number is too large to show, or not finite where it must be."""
    numbers = [row.mu, row.sigma, row.matches, row.wins, row.think_ms or 0.0]
    numbers += [*row.faults.values(), *row.placements, *row.think_times]
    numbers += [number for point in row.history for number in astuple(point)]
    numbers += filter(math.isfinite, [row.mean_placement, *(astuple(row.strength) if row.strength else ())])
    if not all(abs(number) <= MAX_NUMBER for number in numbers):
        raise BadMessage(f"A number in row {row.rank} of a leaderboard is too large.")
