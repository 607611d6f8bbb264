"""The two consoles that everything is printed on, and what may be printed of texts that come from elsewhere."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from arena.events import Note, NoteLevel

STYLES = {NoteLevel.DETAIL: "dim", NoteLevel.INFO: "", NoteLevel.WARNING: "bold red"}
NARROWEST = 20
"""A terminal that claims to be narrower than this is not believed."""
USUAL = 80


def _console(*, stderr: bool) -> Console:
    console = Console(stderr=stderr, emoji=False)  # :AB: in a fingerprint, or in a bot's name, stands for itself
    return console if console.width >= NARROWEST else Console(stderr=stderr, width=USUAL, emoji=False)


out = _console(stderr=False)
err = _console(stderr=True)


def harmless(text: str) -> str:
    """The text of a bot or of a file, without what could do more to a terminal than be read on it."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def shown(text: str) -> str:
    """The same for a text that stands in rich's markup."""
    return escape(harmless(text))


def harmless_lines(text: str) -> str:
    """The same for a text of several lines."""
    return "\n".join(map(harmless, text.split("\n")))


def print_note(note: Note) -> None:
    """Print a note on standard error."""
    err.print(harmless(note.text), style=STYLES[note.level], markup=False, highlight=False, soft_wrap=True)
