"""What waits to be sent to a bot, and the message that is made of it, in either version of the protocol. Pure.

The entries are those of version 2's columns. The message of version 1 is written from the same entries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from arena.games.codec import TurnEntry
from arena.games.registry import codec_of
from arena.v1 import referee_pb2 as pb

TurnColumns = tuple[int, int, bytes, bytes, bytes, int]
"""The fields of a `TurnEntry`. A plain tuple, because one is made for every turn."""


class StartEntry(NamedTuple):
    """A match that begins."""

    match: int
    rules: pb.Rules
    id: str
    seat: int
    seed: int
    setup: bytes


class EndEntry(NamedTuple):
    """A match that is over."""

    game: str
    """Not sent: version 1 is written differently for each game."""
    match: int
    placements: bytes
    winners: bytes
    forfeited: bytes
    events: bytes
    result: bytes


class AskedSeat(Protocol):
    """A seat whose turn is to be sent."""

    @property
    def game(self) -> str: ...
    @property
    def seats(self) -> int: ...
    def turn_entry(self) -> TurnColumns: ...


@dataclass(slots=True)
class Outbox:
    """The parts of the next message, without its turns."""

    welcome: pb.Welcome | None = None
    rules: list[pb.Rules] = field(default_factory=list)
    """Rules that the bot does not know yet."""
    starts: list[StartEntry] = field(default_factory=list)
    faults: list[pb.Fault] = field(default_factory=list)
    ends: list[EndEntry] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.starts or self.ends or self.faults or self.welcome)


Writer = Callable[[Outbox, Sequence[AskedSeat]], pb.PlayResponse]
"""Makes a message of an outbox and the turns of these seats."""


def write_version2(outbox: Outbox, asked: Sequence[AskedSeat]) -> pb.PlayResponse:
    message = pb.PlayResponse(welcome=outbox.welcome, rules=outbox.rules, faults=outbox.faults)
    if outbox.starts:
        match, rules, ids, seat, seed, setup = zip(*outbox.starts, strict=True)
        starts = message.new_matches
        starts.match.extend(match)
        starts.rules.extend([each.number for each in rules])
        starts.id.extend(ids)
        starts.seat.extend(seat)
        starts.seed.extend(seed)
        starts.setup.extend(setup)
    if asked:
        match, number, legal, position, events, ms_left = zip(*[seat.turn_entry() for seat in asked], strict=True)
        columns = message.turns
        columns.match.extend(match)
        columns.turn.extend(number)
        columns.legal.extend(legal)
        columns.position.extend(position)
        columns.events.extend(events)
        if any(ms_left):
            columns.ms_left.extend(ms_left)
    if outbox.ends:
        _, match, placements, winners, forfeited, events, result = zip(*outbox.ends, strict=True)
        ends = message.ended_matches
        ends.match.extend(match)
        ends.placements.extend(placements)
        ends.winners.extend(winners)
        ends.forfeited.extend(forfeited)
        ends.events.extend(events)
        ends.result.extend(result)
    return message


def write_version1(outbox: Outbox, asked: Sequence[AskedSeat]) -> pb.PlayResponse:
    message = pb.PlayResponse(welcome=outbox.welcome, faults=outbox.faults)
    for match, rules, name, seat, seed, setup in outbox.starts:
        start = message.starts.add(match=match, id=name, seats=rules.seats, seat=seat, seed=seed)
        start.ms_per_turn, start.ms_per_match = rules.ms_per_turn, rules.ms_per_match
        kind = rules.WhichOneof("game")
        assert kind is not None
        codec_of(rules.other.game if kind == "other" else kind).version1.fill_start(start, rules, setup)
    for asked_seat in asked:
        turn = TurnEntry._make(asked_seat.turn_entry())
        codec_of(asked_seat.game).version1.add_turn(message, asked_seat.seats, turn)
    for entry in outbox.ends:
        end = message.ends.add(
            match=entry.match, placements=entry.placements, winners=entry.winners, forfeited=entry.forfeited
        )
        codec_of(entry.game).version1.fill_end(end, entry.result, entry.events)
    return message


WRITERS: dict[int, Writer] = {1: write_version1, 2: write_version2}
"""By the version of the protocol."""
