"""The game of Tentagram: decks, hands, laying cards, the end (RULES 2.1, 2.2, 2.4), and how to start it.

Each seat's deck is kept whole, in drawing order, and shared by all clones; the cards laid so far are the history.
Everything else follows from the two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import ClassVar, Self

from arena.errors import BadDeal, IllegalAction, choices
from arena.games import base
from arena.games.base import Json, Options, shuffle
from arena.games.tentagram.cards import (
    ANYWHERE,
    DECK,
    FITTING_ACTIONS,
    FITTING_TABLES,
    LAY,
    PLACE_IN_DECK,
    TABLE_CARDS,
    Action,
    Card,
)
from arena.games.tentagram.knowledge import Event, Laid, Revealed, View, draw_decks
from arena.games.tentagram.scoring import LaidCard, Pile, placements, score_pile

SEATS = range(3, 17)

# The event of every possible action, made once, so that laying a card only looks it up.
LAID = tuple({action: Laid(seat, table) for table, action in LAY.items()} for seat in range(SEATS.stop))


class Ending(base.Ending):
    MOST_CARDS = "the seat that won most cards won the game"
    TOP_SHARED = "the highest count was shared and so out; the highest unshared count won"
    NOBODY = "every count was shared or zero, so no seat won"
    ALL_FORFEITED = "every seat forfeited"


@dataclass(frozen=True, slots=True)
class Result(base.Result):
    cards: tuple[int, ...]
    """Cards won, per seat."""
    piles: tuple[Pile, ...]
    """The ten piles as they were scored, in the order of the table cards."""

    def details(self) -> dict[str, Json]:
        return {
            "cards": self.cards,
            "piles": {pile.table: {"winner": pile.winner, "taken": pile.taken} for pile in self.piles},
        }


class State(base.State[Action, Event, View]):
    __slots__ = ("decks", "history", "last_seat", "round", "seats", "strict", "to_move")

    def __init__(self, decks: tuple[tuple[Card, ...], ...], *, strict: bool) -> None:
        self.decks = decks
        self.seats = len(decks)
        self.strict = strict
        self.history: list[Laid] = []
        self.round = 0
        """How many rounds are complete: every seat has laid at least this number of cards."""
        self.last_seat = self.seats - 1
        self.to_move: int | None = 0

    def legal(self) -> tuple[Action, ...]:
        seat = self.to_move
        if seat is None:
            return ()
        return FITTING_ACTIONS[self.decks[seat][self.round]] if self.strict else ANYWHERE

    def house_actions(self) -> tuple[Action, ...]:
        """Return the placements that fit."""
        return () if self.to_move is None else FITTING_ACTIONS[self.decks[self.to_move][self.round]]

    def apply(self, action: Action) -> tuple[Event, ...]:
        seat = self.to_move
        if seat is None:
            raise self._illegal(action)
        event = LAID[seat].get(action)
        if event is None or (self.strict and action not in FITTING_ACTIONS[self.decks[seat][self.round]]):
            raise self._illegal(action)
        self.history.append(event)
        if seat != self.last_seat:
            self.to_move = seat + 1
            return (event,)
        self.round += 1
        if self.round < len(DECK):
            self.to_move = 0
            return (event,)
        self.to_move = None
        return event, Revealed(self.decks)

    def _illegal(self, action: Action) -> IllegalAction:
        seat = self.to_move
        if seat is None:
            return IllegalAction(f"'{action}' is not legal: the game is over.")
        if action not in ANYWHERE:
            return IllegalAction(f"'{action}' is not legal: name a table card, {choices(TABLE_CARDS)}.")
        hand = self.decks[seat][self.round]
        return IllegalAction(
            f"'{action}' is not legal: with strict placement seat {seat} must lay {hand} where it fits, "
            f"on {choices(FITTING_TABLES[hand])}."
        )

    def laid_cards(self, seat: int) -> int:
        """Return how many cards the seat has laid."""
        return self.round + 1 if self.to_move is not None and seat < self.to_move else self.round

    def view(self, seat: int) -> View:
        deck = self.decks[seat]
        laid = self.laid_cards(seat)
        hand = deck[laid] if laid < len(deck) else None
        return View(
            seat=seat,
            seats=self.seats,
            placement="strict" if self.strict else "free",
            to_move=self.to_move,
            legal=self.legal() if seat == self.to_move else (),
            hand=hand,
            fits=FITTING_TABLES[hand] if hand else (),
            own_laid=tuple(zip(deck, (event.table for event in self.history[seat :: self.seats]), strict=False)),
            to_come=tuple(sorted(deck[laid + 1 :], key=PLACE_IN_DECK.__getitem__)),
            history=tuple(self.history),
            revealed=self.decks if self.to_move is None else None,
        )

    def clone(self) -> Self:
        copy = self.__class__.__new__(self.__class__)
        copy.decks = self.decks
        copy.seats = self.seats
        copy.strict = self.strict
        copy.history = self.history.copy()
        copy.round = self.round
        copy.last_seat = self.last_seat
        copy.to_move = self.to_move
        return copy

    @classmethod
    def determinize(cls, view: View, rng: Random) -> Self:
        state = cls(draw_decks(view, rng), strict=view.placement == "strict")
        state.history = list(view.history)
        state.round = len(view.history) // view.seats
        state.to_move = view.to_move
        return state

    def piles(self) -> tuple[Pile, ...]:
        """Return all cards laid so far, scored pile by pile."""
        on_table: dict[str, list[LaidCard]] = {table: [] for table in TABLE_CARDS}
        for number, event in enumerate(self.history):
            card = self.decks[event.seat][number // self.seats]
            on_table[event.table].append(LaidCard(event.seat, card))
        return tuple(score_pile(table, on_table[table]) for table in TABLE_CARDS)

    def result(self, forfeited: Sequence[int] = ()) -> Result:
        piles = self.piles()
        cards = [0] * self.seats
        for pile in piles:
            if pile.winner is not None:
                cards[pile.winner] += pile.taken
        winner, places = placements(cards, forfeited)
        if len(forfeited) == self.seats:
            ending = Ending.ALL_FORFEITED
        elif winner is None:
            ending = Ending.NOBODY
        else:
            most = max(count for seat, count in enumerate(cards) if seat not in forfeited)
            ending = Ending.MOST_CARDS if cards[winner] == most else Ending.TOP_SHARED
        return Result(places, () if winner is None else (winner,), ending, tuple(cards), piles)

    def deal(self) -> Json:
        return self.decks


class Tentagram(base.Game[Action, Event, View]):
    name = "tentagram"
    title = "Tentagram"
    summary = "Lay cards face down on ten piles; the most cards win a pile, but equal counts are out."
    options: ClassVar[Options] = {
        "placement": {
            "strict": "only where the card fits; a misfit is illegal",
            "free": "any of the ten table cards; misfits are set aside in scoring",
        }
    }
    action_type = Action
    notation = f"name a table card, {choices(TABLE_CARDS)}"

    def seats_with(self, options: Mapping[str, str]) -> range:
        del options
        return SEATS

    def new(self, seats: int, seed: str, **options: str) -> State:
        placement = self.check_seats(seats, **options)["placement"]
        decks = tuple(shuffled_deck(seat, seed) for seat in range(seats))
        return State(decks, strict=placement == "strict")

    def from_deal(self, deal: Json, seats: int, **options: str) -> State:
        placement = self.check_seats(seats, **options)["placement"]
        if not isinstance(deal, list | tuple) or len(deal) != seats:
            raise BadDeal(f"the deal is not a list of {seats} decks, one for each seat.")
        decks = tuple(read_deck(deck, seat) for seat, deck in enumerate(deal))
        return State(decks, strict=placement == "strict")


@lru_cache(maxsize=4096)  # all rotations of a block have the same deal
def shuffled_deck(seat: int, seed: str) -> tuple[Card, ...]:
    return shuffle(DECK, f"tentagram seat {seat} {seed}")


def read_deck(deck: Json, seat: int) -> tuple[Card, ...]:
    """Return a seat's deck of a replay's deal."""
    if not isinstance(deck, list | tuple) or sorted(map(str, deck)) != sorted(DECK):
        raise BadDeal(f"the deck of seat {seat} is not the {len(DECK)} cards of rank 3, 4 and 5, each once.")
    return tuple(Card(str(card)) for card in deck)
