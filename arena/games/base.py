"""What every game offers: the Game and State interfaces, options, results, and the one source of randomness.

Laws kept by every game:
- the rules touch no I/O, no clock and no protobuf; randomness enters once, at the deal, from a seed (`shuffle`);
- a state is a plain mutable object that is fast to step and to copy; actions, events, views and results are frozen;
- what a seat may know leaves a state through `view` and through nothing else.
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

from arena.errors import BadSeatCount, UnknownOption, UnknownOptionValue, unknown

Card = TypeVar("Card")
Action = TypeVar("Action")
Event = TypeVar("Event")
View = TypeVar("View")

Json = str | int | float | bool | None | Sequence["Json"] | Mapping[str, "Json"]
"""A value that can stand in a JSON document."""


def shuffle(cards: Sequence[Card], seed: str) -> tuple[Card, ...]:
    """The cards in the order that the seed stands for, the same on every machine and in every version.

    The SHAKE-128 stream of the seed's UTF-8 text is read as little-endian 32-bit words, one for each card to be drawn:
    the word modulo the number of cards left says which of them, in the order they were given, comes next. (The bias of
    the modulo is below 3e-8 for any deck here.)
    """
    count = len(cards)
    words = struct.unpack(f"<{count}I", shake_128(seed.encode()).digest(4 * count))
    left = list(cards)
    return tuple(map(left.pop, map(mod, words, range(count, 0, -1))))


class OneOfAKind:
    """Base of frozen values of which there is exactly one object each, such as a card or an action.

    Comparing and hashing such an object by its identity is as fast as Python gets. `find` returns the object that a
    notation stands for; pickling and copying go through it, so that the object stays the only one.
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
        """The object that the notation stands for, or None."""
        return cls._known.get(notation)

    def __str__(self) -> str:
        return self.notation

    def __repr__(self) -> str:
        return f"<{self.__class__.__name__} {self.notation}>"

    def __reduce__(self) -> tuple[Callable[[str], Self | None], tuple[str]]:
        return self.find, (self.notation,)


@dataclass(frozen=True, slots=True)
class OptionValue:
    """One value that an option can take, with the words that explain it to a player."""

    name: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Option:
    """A choice between variants of a game, such as Mantis's edition. The first value is the default."""

    name: str
    values: tuple[OptionValue, ...]

    @property
    def default(self) -> str:
        return self.values[0].name


class Ending(enum.Enum):
    """How a game came to its end. Each game has its own members; the value is the sentence that explains it."""


@dataclass(frozen=True, slots=True)
class Result(ABC):
    """Who won and who came where. A game's own result adds how the cards lay."""

    placements: tuple[int, ...]
    """Per seat, competition ranking: 1, 2, 2, 4."""
    winners: tuple[int, ...]
    """The seats that the rules name as winners: one, several or none."""
    ending: Ending

    @abstractmethod
    def details(self) -> dict[str, Json]:
        """What the result line of a replay says beside placements and winners."""


class State(ABC, Generic[Action, Event, View]):
    """One game under way."""

    __slots__ = ()

    seats: int

    @property
    @abstractmethod
    def to_move(self) -> int | None:
        """The seat that must act, or None when the game is over."""

    @abstractmethod
    def legal(self) -> tuple[Action, ...]:
        """The legal actions in a fixed order, none when the game is over; `str(action)` is the replay notation."""

    @abstractmethod
    def apply(self, action: Action) -> tuple[Event, ...]:
        """Plays the action for the seat on turn and returns the public events it caused.

        Raises IllegalAction, and changes nothing, where the action is not among `legal()`.
        """

    @abstractmethod
    def view(self, seat: int) -> View:
        """Everything that the seat may know, its memory of the past included, and nothing else."""

    @abstractmethod
    def clone(self) -> Self:
        """An independent copy."""

    @classmethod
    @abstractmethod
    def determinize(cls, view: View, rng: Random) -> Self:
        """A full state drawn uniformly from those that are consistent with everything in the view."""

    @abstractmethod
    def result(self, forfeited: Sequence[int] = ()) -> Result:
        """The result on the cards as they lie; `forfeited` names the seats that forfeited, in the order they did."""

    @abstractmethod
    def deal(self) -> Json:
        """The deal in the notation of a replay's header."""

    def house_actions(self) -> tuple[Action, ...]:
        """The actions among which the house chooses when the seat on turn has forfeited."""
        return self.legal()


class Game(ABC, Generic[Action, Event, View]):
    """A registered game: its name, its options, and how to start it."""

    name: str
    title: str
    summary: str
    options: tuple[Option, ...]

    @abstractmethod
    def seat_range(self, **options: str) -> range:
        """The seat counts that the game is played with under these options."""

    @abstractmethod
    def new(self, seats: int, seed: str, **options: str) -> State[Action, Event, View]:
        """A new game, dealt from the seed."""

    @abstractmethod
    def from_deal(self, deal: Json, seats: int, **options: str) -> State[Action, Event, View]:
        """A new game from a deal in the notation of a replay. Raises BadDeal where it is not a possible one."""

    @abstractmethod
    def parse_action(self, text: str) -> Action:
        """The action that the replay notation stands for. Raises BadActionText where it stands for none."""

    def complete(self, options: Mapping[str, str]) -> dict[str, str]:
        """The options with the defaults filled in. Raises where one is unknown or has an unknown value."""
        for name in options:
            if name not in (option.name for option in self.options):
                raise UnknownOption(unknown(f"{self.name} option", name, [option.name for option in self.options]))
        complete = {option.name: options.get(option.name, option.default) for option in self.options}
        for option in self.options:
            values = [value.name for value in option.values]
            if complete[option.name] not in values:
                raise UnknownOptionValue(unknown(f"{self.name} {option.name}", complete[option.name], values))
        return complete

    def check_seats(self, seats: int, **options: str) -> None:
        """Raises BadSeatCount where the game is not played by that many under these options."""
        allowed = self.seat_range(**options)
        if seats not in allowed:
            variant = " ".join([self.name, *self.complete(options).values()])
            raise BadSeatCount(
                f"{variant} cannot be played with {seats} seats: choose a number from {allowed[0]} to {allowed[-1]}."
            )


# A game or a state of which only the run time knows which one: what the registry returns, what a replay holds.
AnyGame = Game[Any, Any, Any]
AnyState = State[Any, Any, Any]


def competition_ranking(keys: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Placements by descending key; equal keys share a place and leave the next ones empty: 1, 2, 2, 4."""
    return tuple(1 + sum(other > key for other in keys) for key in keys)


def place_forfeiters_last(ranked: Mapping[int, int], forfeited: Sequence[int]) -> tuple[int, ...]:
    """The placements of all seats: `ranked` those that did not forfeit, behind them the forfeiters, latest first."""
    seats = len(ranked) + len(forfeited)
    behind = {seat: seats - order for order, seat in enumerate(forfeited)}
    return tuple(ranked[seat] if seat in ranked else behind[seat] for seat in range(seats))
