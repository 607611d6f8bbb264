"""The two consoles, and functions that make untrusted text safe to print."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from arena.events import Note, NoteLevel

STYLES = {NoteLevel.DETAIL: "dim", NoteLevel.INFO: "", NoteLevel.WARNING: "bold red"}
NARROWEST = 20
"""A narrower width is not believed."""
USUAL = 80


def _console(*, stderr: bool) -> Console:
    console = Console(stderr=stderr, emoji=False)  # :AB: in a fingerprint or in a name is not an emoji
    return console if console.width >= NARROWEST else Console(stderr=stderr, width=USUAL, emoji=False)


out = _console(stderr=False)
err = _console(stderr=True)


def harmless(text: str) -> str:
    """Return a text of a bot or of a file without control characters."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def shown(text: str) -> str:
    """Return the same, escaped for rich's markup."""
    return escape(harmless(text))


def harmless_lines(text: str) -> str:
    """Return the same for a text of several lines."""
    return "\n".join(map(harmless, text.split("\n")))


def print_note(note: Note) -> None:
    """Print a note on standard error."""
    err.print(harmless(note.text), style=STYLES[note.level], markup=False, highlight=False, soft_wrap=True)
