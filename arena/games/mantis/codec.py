"""Mantis on the wire (protos/arena/v1/mantis.proto)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from arena.games.codec import ActionCodes, Codec, Encoder, Reader
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


def encode_event(event: Event) -> bytes:
    if isinstance(event, Pilfered):
        return bytes((event.seat, PILFER + event.target, NO_CARD, NO_CARD, NO_CARD, NO_CARD, 0, 0))
    seat, action, card, moved, icon = event
    colour, first, second, third, icon_code = CARD_CODES[card]
    if icon is not None:
        icon_code |= TOOK_EFFECT
    return bytes((seat, CODE_OF[action], colour, first, second, third, icon_code, moved))


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

    def fill_start(self, start: pb.MatchStart) -> None:
        start.mantis.edition = EDITION_CODES[self.state.edition.name]  # type: ignore[assignment]
        start.mantis.goal = self.state.goal
        start.mantis.dealt = b"".join(FRONT_CODES[front] for fronts in self.state.dealt for front in fronts)

    def add_turn(self, message: pb.PlayResponse, seat: int, match: int, turn: int, ms_left: int) -> None:
        state = self.state
        pile = state.pile
        message.mantis_turns.add(
            match=match,
            turn=turn,
            legal=CODES.encode(state.turn.legal),
            tanks=b"".join(map(bytes, state.tanks)),
            score_piles=bytes(state.scores),
            draw_pile=len(pile),
            top=TOP_CODES[pile[-1]] if pile else b"",
            events=self.unseen_events(seat),
            ms_left=ms_left,
        )

    def fill_end(self, end: pb.MatchEnd, seat: int, result: Result) -> None:
        end.mantis.score_piles = bytes(result.score)
        end.mantis.tanks = bytes(result.tank)
        end.mantis.events = self.unseen_events(seat)


class MantisReader(Reader):
    __slots__ = ("dealt", "edition", "goal")
    codes = CODES
    turn_type = MantisTurn

    def read_start(self, start: pb.MatchStart) -> None:
        self.goal = start.mantis.goal
        self.edition = EDITION_OF[start.mantis.edition]
        fronts: list[Front] = [FRONT_OF[code] for code in chunks(start.mantis.dealt, 2)]
        each = len(fronts) // self.seats
        self.dealt = tuple(tuple(fronts[place : place + each]) for place in range(0, len(fronts), each))

    def read_events(self, events: bytes) -> Iterable[Event]:
        return map(decode_event, chunks(events, EVENT_BYTES))

    def read_view(self, turn: mantis_pb2.MantisTurn, legal: tuple[Action, ...]) -> View:
        return View(
            seat=self.seat,
            seats=self.seats,
            edition=self.edition,
            goal=self.goal,
            to_move=self.seat,
            legal=legal,
            tanks=tuple(map(tuple, chunks(turn.tanks, len(Colour)))),
            scores=tuple(turn.score_piles),
            pile=turn.draw_pile,
            top=BACK_OF[turn.top] if turn.top else None,
            dealt=self.dealt,
            history=tuple(self.history),
        )


def chunks(data: bytes, size: int) -> list[bytes]:
    return [data[place : place + size] for place in range(0, len(data), size)]


CODEC = Codec(MantisEncoder, MantisReader, CODES, pb.GAME_MANTIS, "mantis_turns")
