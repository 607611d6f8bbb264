"""Games drawn for the terminal: the table as it lies, and each action in words.

Everything is said in letters and words first, colour only repeats it, so that it reads as well without.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from rich.console import RenderableType
from rich.text import Text

from arena.cli.tables import mantis, tentagram


class Painter(Protocol):
    """How a game is drawn. Each game has its own, which takes that game's states and events."""

    def draw(self, state: Any, names: Sequence[str], *, seen_by: int | None = None) -> RenderableType:
        """The table as it lies, with all cards face up, or only those that the seat may see."""

    def describe(self, event: object, state: Any, names: Sequence[str], *, seen_by: int | None = None) -> Text:
        """One event as a sentence, no more than the seat may know; the state is the one that it led to."""


PAINTERS: dict[str, Painter] = {"mantis": mantis.Painter(), "tentagram": tentagram.Painter()}
