"""Games drawn for the terminal: the table, and each event as a sentence.

Letters and words carry everything; colour only repeats it. `Painter` is the plain board of a game without its own
painter. Names must be free of control characters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from arena.games.words import Words

SEAT_STYLES = (
    *("bright_cyan", "bright_yellow", "bright_magenta", "bright_green", "bright_red", "bright_blue"),
    *("cyan", "yellow", "magenta", "green", "red", "blue"),
    *("bright_white", "white", "bright_black", "default"),
)


def seat_name(seat: int, names: Sequence[str]) -> Text:
    """Return `seat 2 greedy` in the seat's colour."""
    return Text(f"seat {seat} {names[seat]}", style=SEAT_STYLES[seat])


def on_turn(seat: int, to_move: int | None) -> str:
    """Return the mark before a seat: an arrow for the one that must act."""
    return "▶" if seat == to_move else " "


def new_table() -> Table:
    return Table(box=None, pad_edge=False, padding=(0, 2), header_style="dim")


class Painter:
    """Draws a game: here as plain lines of text."""

    def __init__(self, words: Words) -> None:
        self.words = words

    def draw(self, state: Any, names: Sequence[str], *, seen_by: int | None = None) -> RenderableType:
        """Return the table with all cards face up, or only those that the seat may see."""
        lines = []
        for seat in range(state.seats):
            lines.append(Text.assemble(on_turn(seat, state.to_move), " ", seat_name(seat, names)))
            if seen_by in (None, seat):
                lines += [Text(f"    {line}") for line in self.words.table(state.view(seat))]
        return Group(*lines)

    def describe(self, event: object, state: Any, names: Sequence[str], *, seen_by: int | None = None) -> Text:
        """Return an event as a sentence with no more than the seat may know; `state` is the state after it."""
        del state, seen_by
        return Text(self.words.event(event, names))
