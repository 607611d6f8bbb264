"""Tentagram on the wire (protos/arena/v1/tentagram.proto)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arena.games.base import AnyState
from arena.games.codec import ActionCodes, Codec, Encoder, Reader
from arena.games.tentagram import DECK, LAY, TABLE_CARDS, Action, Card, Laid, Result, State, TableCard, View
from arena.games.tentagram.cards import FITTING_TABLES, PLACE_IN_DECK, SYMBOLS
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
FITS_CODES = {card: bytes(TABLE_CODES[table] for table in tables) for card, tables in FITTING_TABLES.items()}
ANYWHERE_CODES = bytes(TABLE_OF)
NOBODY = -1


class TentagramEncoder(Encoder):
    __slots__ = ("laid", "own_laid")
    state: State

    def __init__(self, state: AnyState) -> None:
        super().__init__(state)
        self.laid = bytearray(len(TABLE_CARDS) * state.seats)
        """For each table card, how many cards each seat has laid on it."""
        self.own_laid = [bytearray() for _ in range(state.seats)]

    def record(self, events: Sequence[object]) -> None:
        state = self.state
        for event in events:
            if isinstance(event, Laid):
                seat, table = event
                code = TABLE_CODES[table]
                self.events += bytes((seat, code))
                self.laid[(code - 1) * state.seats + seat] += 1
                card = state.decks[seat][state.laid_cards(seat) - 1]
                self.own_laid[seat] += bytes((CARD_CODES[card], code))

    def fill_start(self, start: pb.MatchStart) -> None:
        start.tentagram.placement = PLACEMENT_CODES["strict" if self.state.strict else "free"]  # type: ignore[assignment]

    def add_turn(self, message: pb.PlayResponse, seat: int, match: int, turn: int, ms_left: int) -> None:
        state = self.state
        deck = state.decks[seat]
        hand = deck[state.round]
        fits = FITS_CODES[hand]
        message.tentagram_turns.add(
            match=match,
            turn=turn,
            legal=fits if state.strict else ANYWHERE_CODES,
            hand=CARD_CODES[hand],
            fits=fits,
            own_laid=bytes(self.own_laid[seat]),
            # Sorted, so that their order does not reveal the drawing order.
            to_come=bytes(sorted([CARD_CODES[card] for card in deck[state.round + 1 :]])),
            laid=bytes(self.laid),
            events=self.unseen_events(seat),
            ms_left=ms_left,
        )

    def fill_end(self, end: pb.MatchEnd, seat: int, result: Result) -> None:
        end.tentagram.cards.extend(result.cards)
        end.tentagram.pile_winners.extend(NOBODY if pile.winner is None else pile.winner for pile in result.piles)
        end.tentagram.pile_cards.extend(pile.taken for pile in result.piles)
        end.tentagram.events = self.unseen_events(seat)
        if self.state.to_move is None:
            end.tentagram.decks = bytes(CARD_CODES[card] for deck in self.state.decks for card in deck)


class TentagramReader(Reader):
    __slots__ = ("placement",)
    codes = CODES
    turn_type = TentagramTurn

    def read_start(self, start: pb.MatchStart) -> None:
        self.placement = PLACEMENT_OF[start.tentagram.placement]

    def read_events(self, events: bytes) -> Iterable[Laid]:
        codes = iter(events)
        return [Laid(seat, TABLE_OF[table]) for seat, table in zip(codes, codes, strict=True)]

    def read_view(self, turn: tentagram_pb2.TentagramTurn, legal: tuple[Action, ...]) -> View:
        own = iter(turn.own_laid)
        hand = CARD_OF[turn.hand]
        return View(
            seat=self.seat,
            seats=self.seats,
            placement=self.placement,
            to_move=self.seat,
            legal=legal,
            hand=hand,
            fits=FITTING_TABLES[hand],
            own_laid=tuple([(CARD_OF[card], TABLE_OF[table]) for card, table in zip(own, own, strict=True)]),
            to_come=tuple(sorted([CARD_OF[code] for code in turn.to_come], key=PLACE_IN_DECK.__getitem__)),
            history=tuple(self.history),
            revealed=None,
        )


CODEC = Codec(TentagramEncoder, TentagramReader, CODES, pb.GAME_TENTAGRAM, "tentagram_turns")
