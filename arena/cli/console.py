"""Output: the two consoles, untrusted text made safe to print, tables, and files."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from rich.console import Console
from rich.markup import escape

from arena.errors import HostFault, refusal
from arena.events import Activity, Note, NoteLevel
from arena.reports.words import harmless as harmless

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

STYLES = {NoteLevel.DETAIL: "dim", NoteLevel.INFO: "", NoteLevel.WARNING: "bold red"}
NARROWEST = 20
"""A narrower width is not believed."""


def _console(*, stderr: bool, width: int | None = None) -> Console:
    # `:AB:` in a fingerprint or in a name is not an emoji.
    console = Console(stderr=stderr, width=width, emoji=False)
    return console if console.width >= NARROWEST else _console(stderr=stderr, width=80)


out = _console(stderr=False)
err = _console(stderr=True)


def shown(text: object) -> str:
    """Return the harmless text of any value, escaped for rich's markup."""
    return escape(harmless(str(text)))


def harmless_lines(text: str) -> str:
    """Return the harmless text of several lines."""
    return "\n".join(map(harmless, text.split("\n")))


def print_note(note: Note) -> None:
    """Print a note on standard error."""
    err.print(harmless(note.text), style=STYLES[note.level], markup=False, soft_wrap=True)


@contextmanager
def status(first: str) -> Iterator[Callable[[object], None]]:
    """Show a status. Yield a function that shows events: an activity as the status, notes above it."""
    with err.status(first) as shown_status:

        def show(event: object) -> None:
            if isinstance(event, Note):
                print_note(event)
            elif isinstance(event, Activity):
                shown_status.update(shown(event.text))

        yield show


def progress_bar(*columns: str | ProgressColumn) -> Progress:
    """Return a progress bar on standard error, for terminals only."""
    from rich.progress import Progress

    return Progress(*columns, console=err, transient=True, disable=not err.is_terminal)


def print_table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], numbers: Collection[str] = (), whole: Collection[str] = ()
) -> None:
    """Print a table. `numbers`: headings of columns aligned to the right; `whole`: of others that are not wrapped."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for heading in headings:
        is_number = heading in numbers
        table.add_column(heading, justify="right" if is_number else "left", no_wrap=is_number or heading in whole)
    for row in rows:
        table.add_row(*row)
    out.print(table)


@contextmanager
def writing(path: Path) -> Iterator[TextIO]:
    """Open a file for writing. It replaces an older one only when it is complete."""
    target = path.resolve()
    if target.exists() and not target.is_file():  # a device or a pipe cannot be replaced
        unfinished = target
    else:
        unfinished = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        try:
            with unfinished.open("w", encoding="utf-8", errors="surrogateescape", newline="") as file:
                yield file
            unfinished.replace(target)
        finally:
            if unfinished != target:
                unfinished.unlink(missing_ok=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise HostFault(refusal(error, path)) from error
