"""A match as the store keeps it: the codes of its actions, and think times in microseconds.

The rest of a replay follows from the match's row: the deal from the seed, seats and results from the rules. A replay is
made on demand, and is then what the referee would have written. Those of earlier versions are text, compressed by zlib.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import msgspec

from arena.errors import ArenaError, BadStore
from arena.games.brackets import Bracket
from arena.games.registry import codec_of
from arena.replay.format import Decision, Fault, FaultKind, Header, Replay, dumps, result_line

COMPACT = b"\x01"
"""The first byte. That of zlib is another one."""

FAULT_KINDS = {kind.value: kind for kind in FaultKind}


class Moves(msgspec.Struct, array_like=True, frozen=True):
    """The decisions and faults of a match."""

    seats: tuple[str, ...]
    """The bots' labels, in seat order."""
    codes: bytes | list[int]
    """Per decision, the code of the action; a list where a code is above 255."""
    microseconds: list[int]
    """Per decision, the think time charged."""
    faults: list[tuple[int, int, str, str]] = []
    """The number of decisions before the fault, the seat, the kind, the detail."""


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Moves)


def pack(
    seats: tuple[str, ...], codes: Sequence[int], microseconds: list[int], faults: Sequence[tuple[int, Fault]]
) -> bytes:
    """Return the record of a match; each fault with the number of decisions before it."""
    noted = [(before, fault.seat, fault.fault.value, fault.detail) for before, fault in faults]
    small = bytes(codes) if max(codes, default=0) < 256 else list(codes)
    return COMPACT + _encoder.encode(Moves(seats, small, microseconds, noted))


def unpack(record: bytes, match: str, bracket: str, seed: str) -> Replay:
    """Return the replay of a match from its record. Raise `BadStore` if it is not one."""
    try:
        moves = _decoder.decode(record[len(COMPACT) :])
        if len(moves.codes) != len(moves.microseconds):
            raise ValueError("codes and times of different lengths")
        return _replay(moves, match, Bracket.parse(bracket), seed)
    except (msgspec.MsgspecError, ArenaError, ValueError, KeyError) as error:
        raise BadStore(f"The record of match `{match}` is damaged: {error}.") from error


def _replay(moves: Moves, match: str, bracket: Bracket, seed: str) -> Replay:
    options = dict(bracket.options)
    state = bracket.rules.new(len(moves.seats), seed, **options)
    replay = Replay(Header(match, bracket.game, options, seed, moves.seats, state.deal()))
    actions = codec_of(bracket.game).codes.action_of
    forfeited: list[int] = []
    faults = [(before, Fault(seat, FAULT_KINDS[kind], detail)) for before, seat, kind, detail in moves.faults]
    for number, (code, spent) in enumerate(zip(moves.codes, moves.microseconds, strict=True)):
        _add_faults(replay, faults, number, forfeited)
        seat = state.to_move
        if seat is None:
            raise ValueError("a decision after the end")
        state.apply(actions[code])
        replay.entries.append(Decision(seat, actions[code].notation, spent / 1000, seat in forfeited))
    _add_faults(replay, faults, len(moves.codes), forfeited)
    replay.result = result_line(state.result(forfeited))
    return replay


def _add_faults(replay: Replay, faults: list[tuple[int, Fault]], decisions: int, forfeited: list[int]) -> None:
    """Move the faults after this number of decisions to the replay."""
    while faults and faults[0][0] <= decisions:
        _, fault = faults.pop(0)
        forfeited.append(fault.seat)
        replay.entries.append(fault)


def replay_text(record: bytes, match: str, bracket: str, seed: str) -> str:
    """Return the replay of a stored match as text."""
    if record.startswith(COMPACT):
        return dumps(unpack(record, match, bracket, seed))
    try:
        return zlib.decompress(record).decode()
    except (zlib.error, UnicodeDecodeError) as error:
        raise BadStore(f"The replay of match `{match}` is damaged: {error}.") from error
