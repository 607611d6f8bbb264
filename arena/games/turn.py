"""What a bot in Python is asked: a turn of a game. The games with more to offer derive a class of their own.

A turn is made from a view alone, so a bot can be tried out without a referee: `MantisTurn(state.view(seat))`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any, Generic, Self, TypeVar

from arena.games.base import Action

SeatView = TypeVar("SeatView", bound=Any)


@dataclass(frozen=True, slots=True)
class Clock:
    """How long the bot may still think."""

    ends: float = float("inf")
    """When the answer is due, on the scale of time.monotonic()."""

    @property
    def seconds_left(self) -> float:
        """Seconds until this turn must be answered; infinite without a limit."""
        return max(0.0, self.ends - time.monotonic())


class Turn(Generic[SeatView, Action]):
    """A seat's turn: what it knows, what it may do, and how long it may think."""

    legal: tuple[Action, ...]
    """The actions to choose from."""
    rng: Random
    """A source of randomness that the referee seeds, so that the same match can be played again."""
    _make_view: Callable[[], SeatView]
    _ends: float

    def __init__(self, view: SeatView, clock: Clock | None = None, rng: Random | None = None) -> None:
        self.view = view
        self.legal = view.legal
        self.clock = clock or Clock()
        self.rng = rng or Random()

    @classmethod
    def lazy(cls, legal: tuple[Action, ...], view: Callable[[], SeatView], ends: float, rng: Random) -> Self:
        """Return a turn that makes its view and its clock when they are first used: many bots look at `legal` alone."""
        turn = cls.__new__(cls)
        turn.legal = legal
        turn._make_view = view
        turn._ends = ends
        turn.rng = rng
        return turn

    @cached_property
    def view(self) -> SeatView:
        """Everything that this seat may know."""
        return self._make_view()

    @cached_property
    def clock(self) -> Clock:
        return Clock(self._ends)

    @property
    def me(self) -> int:
        """The bot's own seat."""
        return self.view.seat  # type: ignore[no-any-return]
