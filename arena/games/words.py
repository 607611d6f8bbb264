"""A game in sentences for people. Names are put in as they are; pages and terminals escape them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict


class ActionChoice(TypedDict):
    """An action that a person can choose."""

    action: str
    """In the notation of replays."""
    label: str
    short: str
    """A shorter label, for where the context is clear."""
    fits: NotRequired[bool]
    """Whether the action is sound, in a game that also allows unsound ones."""
    odds: NotRequired[float]
    """With hints: the exact chance that the action succeeds."""


class Words(ABC):
    """The sentences of a game."""

    @abstractmethod
    def choice(self, view: Any, action: Any, names: Sequence[str], *, hints: bool) -> ActionChoice:
        """Return one of the legal actions as a person chooses it."""

    @abstractmethod
    def score(self, result: Any, seat: int) -> str:
        """Return what the seat has in the end: `7 scored, 3 in the tank`."""

    @abstractmethod
    def how_to_play(self, seats: int, options: Mapping[str, str]) -> list[str]:
        """Return the rules in a few sentences, for a person who is about to play."""

    def odds(self, view: Any) -> list[str]:
        """Return what the seat could work out from everything that it has seen, line by line."""
        del view
        return ["This game has no odds to show."]

    def event(self, event: object, names: Sequence[str]) -> str:
        """Return a public event as a sentence."""
        del names
        return str(event)

    def table(self, view: Any) -> list[str]:
        """Return what the seat may know, line by line, for a board that is not drawn."""
        shown = [name for name in view._fields if name not in ("seat", "seats", "to_move", "legal", "history")]
        return [f"{name.replace('_', ' ')}: {getattr(view, name)}" for name in shown]
