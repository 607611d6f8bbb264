"""Mantis on the wire (protos/arena/v1/mantis.proto)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from struct import Struct

from arena.games.codec import ActionCodes, Codec, Encoder, Reader, TurnEntry
from arena.games.mantis import (
    EDITIONS,
    SCORE,
    Action,
    Back,
    Colour,
    Event,
    Flip,
    Front,
    Icon,
    Pilfered,
    Result,
    State,
    View,
    pilfer,
    steal,
)
from arena.games.mantis.turn import MantisTurn
from arena.v1 import mantis_pb2
from arena.v1 import referee_pb2 as pb

STEAL, PILFER = 16, 32
CODES = ActionCodes(
    {SCORE: 1} | {steal(seat): STEAL + seat for seat in range(6)} | {pilfer(seat): PILFER + seat for seat in range(6)}
)
CODE_OF = CODES.code_of

EDITION_CODES = {name: mantis_pb2.MantisEdition.Value(f"MANTIS_EDITION_{name.upper()}") for name in EDITIONS}
EDITION_OF = {code: name for name, code in EDITION_CODES.items()}

ICON_CODES: dict[Icon | None, int] = {None: 0, Icon.AGAIN: 1, Icon.PILFER: 2, Icon.BANK: 3}
TOOK_EFFECT = 128
NO_CARD = 255
EVENT_BYTES = 8
COLOURS = len(Colour)
tank_of = lru_cache(maxsize=8192)(tuple)
"""The counts of a tank from its bytes; few different tanks occur."""

CARD_CODES = {
    card: bytes((card.colour, *card.back, ICON_CODES[card.icon]))
    for edition in EDITIONS.values()
    for card in edition.cards
}
CARD_OF = {code: card for card, code in CARD_CODES.items()}
FRONT_CODES = {card.front: bytes((card.colour, ICON_CODES[card.icon])) for card in CARD_CODES}
FRONT_OF = {code: front for front, code in FRONT_CODES.items()}
BACK_OF: dict[bytes, Back] = {bytes(card.back): card.back for card in CARD_CODES}
TOP_CODES = {card: bytes(card.back) for card in CARD_CODES}


pack_event = Struct("BB5sB").pack
"""Pack the seat, the action, the card and the number of cards that moved."""


def encode_event(event: Event) -> bytes:
    if isinstance(event, Pilfered):
        return bytes((event.seat, PILFER + event.target, NO_CARD, NO_CARD, NO_CARD, NO_CARD, 0, 0))
    seat, action, card, moved, icon = event
    code = CARD_CODES[card]
    if icon is not None:
        code = code[:-1] + bytes((code[-1] | TOOK_EFFECT,))
    return pack_event(seat, CODE_OF[action], code, moved)


@lru_cache(maxsize=8192)  # the same few thousand events come again and again
def decode_event(code: bytes) -> Event:
    seat, action, colour, first, second, third, icon, moved = code
    if colour == NO_CARD:
        return Pilfered(seat, action - PILFER)
    card = CARD_OF[bytes((colour, first, second, third, icon & ~TOOK_EFFECT))]
    return Flip(seat, CODES.action_of[action], card, moved, card.icon if icon & TOOK_EFFECT else None)


class MantisEncoder(Encoder):
    __slots__ = ()
    state: State

    def record(self, events: Sequence[Event]) -> None:
        for event in events:
            self.events += encode_event(event)

    def setup(self) -> bytes:
        return b"".join([FRONT_CODES[front] for fronts in self.state.dealt for front in fronts])

    def fill_rules(self, rules: pb.Rules) -> None:
        rules.mantis.edition = EDITION_CODES[self.state.edition.name]  # type: ignore[assignment]
        rules.mantis.goal = self.state.goal

    def legal(self) -> bytes:
        return CODES.encode(self.state.turn.legal)

    def position(self, seat: int) -> bytes:
        del seat  # all seats see the same
        state = self.state
        pile = state.pile
        numbers: list[int] = []  # one list makes bytes faster than many
        for tank in state.tanks:
            numbers += tank
        numbers += state.scores
        numbers.append(len(pile))
        return bytes(numbers) + TOP_CODES[pile[-1]] if pile else bytes(numbers)

    def result(self, result: Result) -> bytes:
        end = mantis_pb2.MantisEnd(score_piles=bytes(result.score), tanks=bytes(result.tank))
        return end.SerializeToString()


class MantisVersion1:
    """Mantis in version 1 of the protocol."""

    def fill_start(self, start: pb.MatchStart, rules: pb.Rules, setup: bytes) -> None:
        start.mantis.CopyFrom(rules.mantis)
        start.mantis.dealt = setup

    def add_turn(self, message: pb.PlayResponse, seats: int, turn: TurnEntry) -> None:
        position, tanks = turn.position, COLOURS * seats
        message.mantis_turns.add(
            match=turn.match,
            turn=turn.turn,
            legal=turn.legal,
            tanks=position[:tanks],
            score_piles=position[tanks : tanks + seats],
            draw_pile=position[tanks + seats],
            top=position[tanks + seats + 1 :],
            events=turn.events,
            ms_left=turn.ms_left,
        )

    def fill_end(self, end: pb.MatchEnd, result: bytes, events: bytes) -> None:
        end.mantis.ParseFromString(result)
        end.mantis.events = events


class MantisReader(Reader):
    __slots__ = ("dealt", "edition", "goal")
    codes = CODES
    turn_type = MantisTurn

    def read_start(self, rules: pb.Rules, setup: bytes) -> None:
        self.goal = rules.mantis.goal
        self.edition = EDITION_OF[rules.mantis.edition]
        self.dealt = read_dealt(setup, self.seats)

    def read_events(self, events: bytes) -> Iterable[Event]:
        return map(decode_event, chunks(events, EVENT_BYTES))

    def read_view(self, position: bytes, legal: tuple[Action, ...]) -> View:
        seats = self.seats
        scores = COLOURS * seats
        pile = scores + seats
        return View(
            seat=self.seat,
            seats=seats,
            edition=self.edition,
            goal=self.goal,
            to_move=self.seat,
            legal=legal,
            tanks=tuple(map(tank_of, chunks(position[:scores], COLOURS))),
            scores=tuple(position[scores:pile]),
            pile=position[pile],
            top=BACK_OF[position[pile + 1 :]] if position[pile] else None,
            dealt=self.dealt,
            history=tuple(self.history),
        )


@lru_cache(maxsize=1024)  # all rotations of a block have the same deal
def read_dealt(setup: bytes, seats: int) -> tuple[tuple[Front, ...], ...]:
    fronts: list[Front] = [FRONT_OF[code] for code in chunks(setup, 2)]
    each = len(fronts) // seats
    return tuple(tuple(fronts[place : place + each]) for place in range(0, len(fronts), each))


def chunks(data: bytes, size: int) -> list[bytes]:
    return [data[place : place + size] for place in range(0, len(data), size)]


CODEC = Codec(MantisEncoder, MantisReader, CODES, MantisVersion1(), pb.GAME_MANTIS)
