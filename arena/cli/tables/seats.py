"""How seats are written and coloured in every game."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from arena.cli.console import harmless

SEAT_STYLES = (
    "bright_cyan",
    "bright_yellow",
    "bright_magenta",
    "bright_green",
    "bright_red",
    "bright_blue",
    "cyan",
    "yellow",
    "magenta",
    "green",
    "red",
    "blue",
    "bright_white",
    "white",
    "bright_black",
    "default",
)


def seat_name(seat: int, names: Sequence[str]) -> Text:
    """`seat 2 greedy`, in the seat's colour."""
    return Text(f"seat {seat} {harmless(names[seat])}", style=SEAT_STYLES[seat])


def on_turn(seat: int, to_move: int | None) -> str:
    """The mark before the seat that must act."""
    return "▶" if seat == to_move else " "
