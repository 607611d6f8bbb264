"""Mantis on the wire (protos/arena/v1/mantis.proto)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from random import Random

from arena.games.base import Result
from arena.games.codec import UNDECODABLE, Codec, Encoder, Reader, Unreadable
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
    State,
    View,
    pilfer,
    steal,
)
from arena.games.mantis import Result as MantisResult
from arena.games.mantis.turn import MantisTurn
from arena.v1 import mantis_pb2
from arena.v1 import referee_pb2 as pb

STEAL_CODE = 16
PILFER_CODE = 32
MOST_SEATS = 6
CODE_OF = {SCORE: 1} | {
    action(seat): base + seat
    for action, base in ((steal, STEAL_CODE), (pilfer, PILFER_CODE))
    for seat in range(MOST_SEATS)
}
ACTION_OF = {code: action for action, code in CODE_OF.items()}

EDITION_CODES = {
    "classic": mantis_pb2.MANTIS_EDITION_CLASSIC,
    "icons": mantis_pb2.MANTIS_EDITION_ICONS,
    "grab": mantis_pb2.MANTIS_EDITION_GRAB,
}
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
        return bytes((event.seat, PILFER_CODE + event.target, NO_CARD, NO_CARD, NO_CARD, NO_CARD, 0, 0))
    seat, action, card, moved, icon = event
    colour, first, second, third, icon_code = CARD_CODES[card]
    if icon is not None:
        icon_code |= TOOK_EFFECT
    return bytes((seat, CODE_OF[action], colour, first, second, third, icon_code, moved))


def decode_event(code: bytes) -> Event:
    seat, action, colour, first, second, third, icon, moved = code
    if colour == NO_CARD:
        return Pilfered(seat, action - PILFER_CODE)
    card = CARD_OF[bytes((colour, first, second, third, icon & ~TOOK_EFFECT))]
    return Flip(seat, ACTION_OF[action], card, moved, card.icon if icon & TOOK_EFFECT else None)


@lru_cache(maxsize=1024)
def legal_codes(legal: tuple[Action, ...]) -> bytes:
    """Return the legal actions as they are sent; few different sets of them occur."""
    return bytes(CODE_OF[action] for action in legal)


@lru_cache(maxsize=1024)
def legal_actions(codes: bytes) -> tuple[Action, ...]:
    return tuple(ACTION_OF[code] for code in codes)


class MantisEncoder(Encoder):
    __slots__ = ()
    state: State

    def record(self, events: Sequence[object]) -> None:
        for event in events:
            self.events += encode_event(event)  # type: ignore[arg-type]

    def fill_start(self, start: pb.MatchStart) -> None:
        start.mantis.edition = EDITION_CODES[self.state.edition.name]
        start.mantis.goal = self.state.goal
        start.mantis.dealt = b"".join(FRONT_CODES[front] for fronts in self.state.dealt for front in fronts)

    def add_turn(self, message: pb.PlayResponse, seat: int, match: int, turn: int, ms_left: int) -> None:
        state = self.state
        pile = state.pile
        message.mantis_turns.add(
            match=match,
            turn=turn,
            legal=legal_codes(state.turn.legal),
            tanks=b"".join(map(bytes, state.tanks)),
            score_piles=bytes(state.scores),
            draw_pile=len(pile),
            top=TOP_CODES[pile[-1]] if pile else b"",
            events=self.unseen_events(seat),
            ms_left=ms_left,
        )

    def fill_end(self, end: pb.MatchEnd, seat: int, result: Result) -> None:
        assert isinstance(result, MantisResult)
        end.mantis.score_piles = bytes(result.score)
        end.mantis.tanks = bytes(result.tank)
        end.mantis.events = self.unseen_events(seat)

    def action(self, code: int) -> Action | None:
        return ACTION_OF.get(code)


class MantisReader(Reader):
    __slots__ = ("dealt", "edition", "goal", "history", "seat", "seats", "unread")

    def __init__(self, start: pb.MatchStart) -> None:
        self.seat = start.seat
        self.seats = start.seats
        self.goal = start.mantis.goal
        try:
            self.edition = EDITION_OF[start.mantis.edition]
            fronts: list[Front] = [FRONT_OF[code] for code in chunks(start.mantis.dealt, 2)]
            each = len(fronts) // self.seats
            self.dealt = tuple(tuple(fronts[place : place + each]) for place in range(0, len(fronts), each))
        except UNDECODABLE as error:
            raise Unreadable("a start of Mantis") from error
        self.history: list[Event] = []
        self.unread = bytearray()
        """Events that are not decoded yet: many bots never look at the history."""

    def turn(self, message: mantis_pb2.MantisTurn, ends: float, rng: Random) -> MantisTurn:
        self.unread += message.events
        return MantisTurn.lazy(self.legal(message), lambda: self.view(message), ends, rng)

    def legal(self, turn: mantis_pb2.MantisTurn) -> tuple[Action, ...]:
        try:
            return legal_actions(turn.legal)
        except KeyError as error:
            raise Unreadable("the actions of a turn of Mantis") from error

    def view(self, turn: mantis_pb2.MantisTurn) -> View:
        try:
            return self._view(turn)
        except UNDECODABLE as error:
            raise Unreadable("a turn of Mantis") from error

    def _view(self, turn: mantis_pb2.MantisTurn) -> View:
        if self.unread:
            self.history += map(decode_event, chunks(bytes(self.unread), EVENT_BYTES))
            self.unread.clear()
        return View(
            seat=self.seat,
            seats=self.seats,
            edition=self.edition,
            goal=self.goal,
            to_move=self.seat,
            legal=self.legal(turn),
            tanks=tuple(map(tuple, chunks(turn.tanks, len(Colour)))),
            scores=tuple(turn.score_piles),
            pile=turn.draw_pile,
            top=BACK_OF[turn.top] if turn.top else None,
            dealt=self.dealt,
            history=tuple(self.history),
        )


def chunks(data: bytes, size: int) -> list[bytes]:
    return [data[place : place + size] for place in range(0, len(data), size)]


CODEC = Codec(MantisEncoder, MantisReader, CODE_OF, pb.GAME_MANTIS, "mantis_turns")
