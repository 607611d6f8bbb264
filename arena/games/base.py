"""The interface of a game: Game, State, options, results, and the one source of randomness.

Invariants of every game:
- the rules touch no I/O, no clock and no protobuf; randomness enters once, at the deal, from a seed (`shuffle`);
- a state is a plain mutable object that is fast to step and to copy; actions, events, views and results are frozen;
- what a seat may know leaves a state through `view` only.
"""

from __future__ import annotations

import enum
import struct
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import shake_128
from operator import mod
from random import Random
from typing import Any, ClassVar, Generic, Self, TypeVar

from arena.errors import BadActionText, BadSeatCount, UnknownOption, UnknownOptionValue, unknown

Card = TypeVar("Card")
Action = TypeVar("Action", bound="OneOfAKind")
Event = TypeVar("Event")
View = TypeVar("View")

Json = str | int | float | bool | None | Sequence["Json"] | Mapping[str, "Json"]
"""A value of a JSON document."""

Options = Mapping[str, Mapping[str, str]]
"""Per option of a game, its values and what they mean. The first value is the default."""


def shuffle(cards: Sequence[Card], seed: str) -> tuple[Card, ...]:
    """Return the cards in the order that follows from the seed, on every machine and in every version.

    The SHAKE-128 stream of the seed's UTF-8 text is read as little-endian 32-bit words, one for each card to be drawn:
    the word modulo the number of cards left is the index of the next card among them. (The bias of the modulo is below
    3e-8 for any deck here.)
    """
    count = len(cards)
    words = struct.unpack(f"<{count}I", shake_128(seed.encode()).digest(4 * count))
    left = list(cards)
    return tuple(map(left.pop, map(mod, words, range(count, 0, -1))))


class OneOfAKind:
    """Base of frozen values with exactly one object each, such as a card or an action.

    They are compared and hashed by identity, which is fast. `find` returns the object of a notation; pickling and
    copying use it, so the object stays the only one.
    """

    __slots__ = ()
    _known: ClassVar[dict[str, Any]]
    notation: str

    def __init_subclass__(cls) -> None:
        cls._known = {}

    def __post_init__(self) -> None:
        self._known[self.notation] = self

    @classmethod
    def find(cls, notation: str) -> Self | None:
        """Return the object of the notation, or None."""
        return cls._known.get(notation)

    def __str__(self) -> str:
        return self.notation

    def __repr__(self) -> str:
        return f"<{self.__class__.__name__} {self.notation}>"

    def __reduce__(self) -> tuple[Callable[[str], Self | None], tuple[str]]:
        return self.find, (self.notation,)


class Ending(enum.Enum):
    """How a game ended. Each game has its own members; the value is a sentence of explanation."""


@dataclass(frozen=True, slots=True)
class Result(ABC):
    """Winners and placements. A game's own result adds its details."""

    placements: tuple[int, ...]
    """Per seat, competition ranking: 1, 2, 2, 4."""
    winners: tuple[int, ...]
    """The seats that the rules name as winners: one, several or none."""
    ending: Ending

    @abstractmethod
    def details(self) -> dict[str, Json]:
        """Return what the result line of a replay has besides placements and winners."""


class State(ABC, Generic[Action, Event, View]):
    """A game in progress."""

    __slots__ = ()

    seats: int

    @property
    @abstractmethod
    def to_move(self) -> int | None:
        """The seat that must act, or None when the game is over."""

    @abstractmethod
    def legal(self) -> tuple[Action, ...]:
        """Return the legal actions in a fixed order, none at the end; `str(action)` is the replay notation."""

    @abstractmethod
    def apply(self, action: Action) -> tuple[Event, ...]:
        """Play the action for the seat on turn and return its public events.

        Raise `IllegalAction`, and change nothing, if the action is not in `legal()`.
        """

    @abstractmethod
    def view(self, seat: int) -> View:
        """Return everything that the seat may know, including the past, and nothing else."""

    @abstractmethod
    def clone(self) -> Self:
        """Return an independent copy."""

    @classmethod
    @abstractmethod
    def determinize(cls, view: View, rng: Random) -> Self:
        """Return a full state, drawn uniformly from those that agree with the view."""

    @abstractmethod
    def result(self, forfeited: Sequence[int] = ()) -> Result:
        """Return the result on the cards as they lie; `forfeited` are the seats that forfeited, in order."""

    @abstractmethod
    def deal(self) -> Json:
        """Return the deal in the notation of a replay's header."""

    def house_actions(self) -> tuple[Action, ...]:
        """Return the actions that the house chooses from when the seat on turn has forfeited."""
        return self.legal()


class Game(ABC, Generic[Action, Event, View]):
    """A game: its name, its options, and how to start it."""

    name: str
    title: str
    summary: str
    options: ClassVar[Options]
    action_type: type[Action]
    notation: str
    """How actions are written: `write 'pass' or 'bet'`."""

    @abstractmethod
    def seats_with(self, options: Mapping[str, str]) -> range:
        """Return the numbers of seats that the game can be played with under these options, which are complete."""

    @abstractmethod
    def new(self, seats: int, seed: str, **options: str) -> State[Action, Event, View]:
        """Return a new game, dealt from the seed."""

    @abstractmethod
    def from_deal(self, deal: Json, seats: int, **options: str) -> State[Action, Event, View]:
        """Return a new game from a deal in the notation of a replay. Raise `BadDeal` if it is not a possible one."""

    def parse_action(self, text: str) -> Action:
        """Return the action of the replay notation, legal now or not. Raise `BadActionText` if there is none."""
        action = self.action_type.find(text)
        if action is None:
            raise BadActionText(f"{text!r} is not a {self.title} action: {self.notation}.")
        return action

    def complete(self, options: Mapping[str, str]) -> dict[str, str]:
        """Return the options with the defaults filled in. Raise if an option or its value is unknown."""
        for name in options:
            if name not in self.options:
                raise UnknownOption(unknown(f"{self.name} option", name, self.options))
        complete = {name: options.get(name, next(iter(values))) for name, values in self.options.items()}
        for name, value in complete.items():
            if value not in self.options[name]:
                raise UnknownOptionValue(unknown(f"{self.name} {name}", value, self.options[name]))
        return complete

    def seat_range(self, **options: str) -> range:
        """Return the numbers of seats that the game can be played with under these options."""
        return self.seats_with(self.complete(options))

    def check_seats(self, seats: int, **options: str) -> dict[str, str]:
        """Return the complete options. Raise `BadSeatCount` if the game has no such number of seats under them."""
        complete = self.complete(options)
        allowed = self.seats_with(complete)
        if seats not in allowed:
            variant = " ".join([self.name, *complete.values()])
            counted = "1 seat" if seats == 1 else f"{seats} seats"
            raise BadSeatCount(f"`{variant}` cannot be played with {counted}: expected {allowed[0]} to {allowed[-1]}.")
        return complete


# A game or a state whose type is known at run time only: what the registry returns, what a replay holds.
AnyGame = Game[Any, Any, Any]
AnyState = State[Any, Any, Any]


def rank(keys: Sequence[tuple[int, ...]], forfeited: Sequence[int]) -> tuple[int, ...]:
    """Return the placements of all seats by descending key; equal keys share a place: 1, 2, 2, 4.

    The forfeiters come behind all others, the latest first.
    """
    behind = {seat: len(keys) - order for order, seat in enumerate(forfeited)}
    ranked = [key for seat, key in enumerate(keys) if seat not in behind]
    return tuple(behind.get(seat) or 1 + sum(other > key for other in ranked) for seat, key in enumerate(keys))
