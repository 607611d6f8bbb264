"""The rules of Kuhn poker (RULES.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar, NamedTuple, Self

from arena.errors import BadDeal, IllegalAction
from arena.games import base
from arena.games.base import Json, OneOfAKind, Options, rank, shuffle

CARDS = {"three": ("J", "Q", "K"), "four": ("J", "Q", "K", "A")}
ANTES = {"single": 1, "double": 2}
RANK = "JQKA"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Action(OneOfAKind):
    notation: str


PASS, BET = Action("pass"), Action("bet")


class Acted(NamedTuple):
    seat: int
    action: Action


class View(NamedTuple):
    seat: int
    seats: int
    to_move: int | None
    legal: tuple[Action, ...]
    card: str
    deck: tuple[str, ...]
    ante: int
    history: tuple[Acted, ...]


class Ending(base.Ending):
    SHOWDOWN = "the higher card won"
    FOLD = "a seat folded"
    ALL_FORFEITED = "every seat forfeited"


@dataclass(frozen=True, slots=True)
class Result(base.Result):
    chips: tuple[int, ...]

    def details(self) -> dict[str, Json]:
        return {"chips": self.chips}


class State(base.State[Action, Acted, View]):
    __slots__ = ("ante", "cards", "deck", "history", "seats")

    def __init__(self, cards: tuple[str, ...], deck: tuple[str, ...], ante: int) -> None:
        self.cards, self.deck, self.ante = cards, deck, ante
        self.seats = 2
        self.history: list[Acted] = []

    @property
    def to_move(self) -> int | None:
        played = "".join("pb"[acted.action is BET] for acted in self.history)
        return None if played in ("pp", "bp", "bb", "pbp", "pbb") else len(played) % 2

    def legal(self) -> tuple[Action, ...]:
        return () if self.to_move is None else (PASS, BET)

    def apply(self, action: Action) -> tuple[Acted, ...]:
        seat = self.to_move
        if seat is None or action not in (PASS, BET):
            raise IllegalAction(f"'{action}' is not legal: the game is over.")
        event = Acted(seat, action)
        self.history.append(event)
        return (event,)

    def view(self, seat: int) -> View:
        legal = self.legal() if seat == self.to_move else ()
        return View(seat, 2, self.to_move, legal, self.cards[seat], self.deck, self.ante, tuple(self.history))

    def clone(self) -> Self:
        copy = self.__class__(self.cards, self.deck, self.ante)
        copy.history = self.history.copy()
        return copy

    @classmethod
    def determinize(cls, view: View, rng: Random) -> Self:
        other = rng.choice([card for card in view.deck if card != view.card])
        state = cls((view.card, other) if view.seat == 0 else (other, view.card), view.deck, view.ante)
        state.history = list(view.history)
        return state

    def result(self, forfeited: Sequence[int] = ()) -> Result:
        bets = [
            self.ante + sum(acted.seat == seat and acted.action is BET for acted in self.history) for seat in (0, 1)
        ]
        folded = len(set(bets)) == 2
        winner = bets.index(max(bets)) if folded else max((0, 1), key=lambda seat: RANK.index(self.cards[seat]))
        chips = tuple(min(bets) if seat == winner else -min(bets) for seat in (0, 1))
        ranked = [seat for seat in (0, 1) if seat not in forfeited]
        placements = rank([(each,) for each in chips], forfeited)
        ending = Ending.ALL_FORFEITED if not ranked else Ending.FOLD if folded else Ending.SHOWDOWN
        return Result(placements, tuple(seat for seat in ranked if placements[seat] == 1), ending, chips)

    def deal(self) -> Json:
        return self.cards


class Kuhn(base.Game[Action, Acted, View]):
    name = "kuhn"
    title = "Kuhn poker"
    summary = "One card each, one bet."
    options: ClassVar[Options] = {
        "deck": {"three": "J Q K", "four": "J Q K A"},
        "ante": {"single": "one chip", "double": "two chips"},
    }

    action_type = Action
    notation = "write 'pass' or 'bet'"

    def seats_with(self, options: Mapping[str, str]) -> range:
        del options
        return range(2, 3)

    def new(self, seats: int, seed: str, **options: str) -> State:
        return self._state(shuffle(CARDS[self.complete(options)["deck"]], f"kuhn {seed}")[:2], seats, options)

    def from_deal(self, deal: Json, seats: int, **options: str) -> State:
        deck = CARDS[self.complete(options)["deck"]]
        if not isinstance(deal, list | tuple) or len(set(map(str, deal)) & set(deck)) != 2 or len(deal) != 2:
            raise BadDeal("the deal is not two different cards.")
        return self._state(tuple(map(str, deal)), seats, options)

    def _state(self, cards: tuple[str, ...], seats: int, options: dict[str, str]) -> State:
        complete = self.check_seats(seats, **options)
        return State(cards, CARDS[complete["deck"]], ANTES[complete["ante"]])
