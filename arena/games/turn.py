"""What a bot in Python is asked: a turn of a game. The games with more to offer derive a class of their own.

A turn is made from a view alone, so a bot can be tried out without a referee: `MantisTurn(state.view(seat))`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from random import Random
from typing import Any, Generic, TypeVar

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


NO_LIMIT = Clock()


class Turn(Generic[SeatView, Action]):
    """A seat's turn: what it knows, what it may do, and how long it may think."""

    def __init__(self, view: SeatView, clock: Clock = NO_LIMIT, rng: Random | None = None) -> None:
        self.view = view
        """Everything that this seat may know."""
        self.legal: tuple[Action, ...] = view.legal
        """The actions to choose from."""
        self.clock = clock
        self.rng = rng or Random()
        """A source of randomness that the referee seeds, so that the same match can be played again."""

    @property
    def me(self) -> int:
        """The bot's own seat."""
        return self.view.seat  # type: ignore[no-any-return]
