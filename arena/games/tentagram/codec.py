"""Tentagram on the wire (protos/arena/v1/tentagram.proto)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self

from arena.games.base import AnyState
from arena.games.codec import ActionCodes, Codec, Encoder, Reader, TurnEntry
from arena.games.tentagram import DECK, LAY, TABLE_CARDS, Action, Card, Laid, Result, State, TableCard, View
from arena.games.tentagram.cards import FITTING_TABLES, PLACE_IN_DECK, SYMBOLS
from arena.games.tentagram.state import SEATS
from arena.games.tentagram.turn import TentagramTurn
from arena.v1 import referee_pb2 as pb
from arena.v1 import tentagram_pb2

PLACEMENT_CODES = {
    name: tentagram_pb2.TentagramPlacement.Value(f"TENTAGRAM_PLACEMENT_{name.upper()}") for name in ("free", "strict")
}
PLACEMENT_OF = {code: name for name, code in PLACEMENT_CODES.items()}

TABLE_CODES: dict[TableCard, int] = {table: number for number, table in enumerate(TABLE_CARDS, start=1)}
TABLE_OF = {code: table for table, code in TABLE_CODES.items()}
CODES = ActionCodes({LAY[table]: code for table, code in TABLE_CODES.items()})
CARD_CODES: dict[Card, int] = {card: sum(1 << SYMBOLS.index(symbol) for symbol in card) for card in DECK}
CARD_OF = {code: card for card, code in CARD_CODES.items()}
HAND_CODES = {card: bytes((code,)) for card, code in CARD_CODES.items()}
ALL_CARDS = bytes(sorted(CARD_OF))
SIZE_CODES = [bytes((size,)) for size in range(len(DECK) + 1)]
LAID_OF = {(seat, code): Laid(seat, table) for seat in range(SEATS.stop) for code, table in TABLE_OF.items()}
LAID_CODES = {event: bytes(code) for code, event in LAID_OF.items()}
FITS_CODES = {card: bytes(TABLE_CODES[table] for table in tables) for card, tables in FITTING_TABLES.items()}
ANYWHERE_CODES = bytes(TABLE_OF)
NOBODY = -1


class TentagramEncoder(Encoder):
    __slots__ = ("laid", "own_laid", "to_come")
    state: State

    def __init__(self, state: AnyState) -> None:
        super().__init__(state)
        self.laid = bytearray(len(TABLE_CARDS) * state.seats)
        """For each table card, how many cards each seat has laid on it."""
        self.own_laid = [b""] * state.seats
        # Sorted, so that their order does not reveal the drawing order.
        self.to_come = [ALL_CARDS.replace(HAND_CODES[deck[0]], b"") for deck in self.state.decks]

    def record(self, events: Sequence[object]) -> None:
        state = self.state
        for event in events:
            if isinstance(event, Laid):
                seat, table = event
                code = TABLE_CODES[table]
                self.events += LAID_CODES[event]
                self.laid[(code - 1) * state.seats + seat] += 1
                deck, laid = state.decks[seat], state.laid_cards(seat)
                self.own_laid[seat] += HAND_CODES[deck[laid - 1]] + SIZE_CODES[code]
                if laid < len(deck):
                    self.to_come[seat] = self.to_come[seat].replace(HAND_CODES[deck[laid]], b"")

    def fill_rules(self, rules: pb.Rules) -> None:
        rules.tentagram.placement = PLACEMENT_CODES["strict" if self.state.strict else "free"]  # type: ignore[assignment]

    def legal(self) -> bytes:
        state = self.state
        if not state.strict or state.to_move is None:
            return ANYWHERE_CODES
        return FITS_CODES[state.decks[state.to_move][state.round]]

    def position(self, seat: int) -> bytes:
        state = self.state
        laid = state.round
        hand = state.decks[seat][laid]
        own_laid, to_come = self.own_laid[seat], self.to_come[seat]
        return b"".join((HAND_CODES[hand], SIZE_CODES[laid], own_laid, to_come, self.laid, FITS_CODES[hand]))

    def result(self, result: Result) -> bytes:
        decks = self.state.decks if self.state.to_move is None else ()
        return tentagram_pb2.TentagramEnd(
            cards=result.cards,
            pile_winners=[NOBODY if pile.winner is None else pile.winner for pile in result.piles],
            pile_cards=[pile.taken for pile in result.piles],
            decks=bytes([CARD_CODES[card] for deck in decks for card in deck]),
        ).SerializeToString()


class Position(NamedTuple):
    """The parts of a position."""

    hand: int
    own_laid: bytes
    to_come: bytes
    laid: bytes
    fits: bytes

    @classmethod
    def read(cls, position: bytes, seats: int) -> Self:
        hand, count = position[:2]
        to_come = 2 + 2 * count
        laid = to_come + len(DECK) - 1 - count
        fits = laid + len(TABLE_CARDS) * seats
        return cls(hand, position[2:to_come], position[to_come:laid], position[laid:fits], position[fits:])


class TentagramVersion1:
    """Tentagram in version 1 of the protocol."""

    def fill_start(self, start: pb.MatchStart, rules: pb.Rules, setup: bytes) -> None:
        del setup
        start.tentagram.CopyFrom(rules.tentagram)

    def add_turn(self, message: pb.PlayResponse, seats: int, turn: TurnEntry) -> None:
        position = Position.read(turn.position, seats)
        message.tentagram_turns.add(
            match=turn.match,
            turn=turn.turn,
            legal=turn.legal,
            hand=position.hand,
            fits=position.fits,
            own_laid=position.own_laid,
            to_come=position.to_come,
            laid=position.laid,
            events=turn.events,
            ms_left=turn.ms_left,
        )

    def fill_end(self, end: pb.MatchEnd, result: bytes, events: bytes) -> None:
        end.tentagram.ParseFromString(result)
        end.tentagram.events = events


class TentagramReader(Reader):
    __slots__ = ("placement",)
    codes = CODES
    turn_type = TentagramTurn

    def read_start(self, rules: pb.Rules, setup: bytes) -> None:
        del setup
        self.placement = PLACEMENT_OF[rules.tentagram.placement]

    def read_events(self, events: bytes) -> Iterable[Laid]:
        codes = iter(events)
        return [LAID_OF[code] for code in zip(codes, codes, strict=True)]

    def read_view(self, position: bytes, legal: tuple[Action, ...]) -> View:
        parts = Position.read(position, self.seats)
        own = iter(parts.own_laid)
        hand = CARD_OF[parts.hand]
        return View(
            seat=self.seat,
            seats=self.seats,
            placement=self.placement,
            to_move=self.seat,
            legal=legal,
            hand=hand,
            fits=FITTING_TABLES[hand],
            own_laid=tuple([(CARD_OF[card], TABLE_OF[table]) for card, table in zip(own, own, strict=True)]),
            to_come=tuple(sorted([CARD_OF[code] for code in parts.to_come], key=PLACE_IN_DECK.__getitem__)),
            history=tuple(self.history),
            revealed=None,
        )


CODEC = Codec(TentagramEncoder, TentagramReader, CODES, TentagramVersion1(), pb.GAME_TENTAGRAM)
