"""What a bot in Python is asked: a turn of a game. The games with more to offer derive a class of their own.

A turn is made from a view alone, so a bot can be tried out without a referee: `MantisTurn(state.view(seat))`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Generic, Protocol, Self, TypeVar

from arena.games.base import Action

SeatView = TypeVar("SeatView", bound=Any)
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Clock:
    """How long the bot may still think."""

    ends: float = float("inf")
    """When the answer is due, on the scale of time.monotonic()."""

    @property
    def seconds_left(self) -> float:
        """Seconds until this turn must be answered; infinite without a limit."""
        return max(0.0, self.ends - time.monotonic())


class cached(Generic[Value]):  # noqa: N801, used as a decorator
    """An attribute that is computed when it is first read. `functools.cached_property` takes a lock for it."""

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self.compute = compute
        self.name = compute.__name__
        self.__doc__ = compute.__doc__

    def __get__(self, turn: object, owner: type | None = None) -> Value:
        value = turn.__dict__[self.name] = self.compute(turn)
        return value


class Decoder(Protocol):
    """What a turn that came over the wire is read with (`games.codec.Reader`)."""

    @property
    def rng(self) -> Random: ...
    def view(self, position: bytes, legal: tuple[Any, ...]) -> Any: ...


class Turn(Generic[SeatView, Action]):
    """A seat's turn: what it knows, what it may do, and how long it may think."""

    legal: tuple[Action, ...]
    """The actions to choose from."""
    _reader: Decoder
    _position: bytes
    _ends: float

    def __init__(self, view: SeatView, clock: Clock | None = None, rng: Random | None = None) -> None:
        self.__dict__.update(view=view, clock=clock or Clock(), rng=rng or Random())
        self.legal = view.legal

    @classmethod
    def lazy(cls, legal: tuple[Action, ...], reader: Decoder, position: bytes, ends: float) -> Self:
        """Return a turn whose other parts are made when they are first used: many bots look at `legal` alone."""
        turn = cls.__new__(cls)
        turn.legal = legal
        turn._reader = reader
        turn._position = position
        turn._ends = ends
        return turn

    @cached
    def view(self) -> SeatView:
        """Everything that this seat may know."""
        return self._reader.view(self._position, self.legal)  # type: ignore[no-any-return]

    @cached
    def clock(self) -> Clock:
        return Clock(self._ends)

    @cached
    def rng(self) -> Random:
        """A source of randomness that the referee seeds, so that the same match can be played again."""
        return self._reader.rng

    @property
    def me(self) -> int:
        """The bot's own seat."""
        return self.view.seat  # type: ignore[no-any-return]
