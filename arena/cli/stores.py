"""`arena store`: the record as a whole, and where it is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from arena.cli.console import err, out, shown
from arena.cli.homes import open_store
from arena.store.copying import copy_records
from arena.store.home import Home
from arena.store.store import Store

app = typer.Typer(help="Move the record between a home and PostgreSQL.", no_args_is_help=True)

Place = "a home (a folder), or postgresql://USER@HOST/DATABASE."


@app.callback()
def stores() -> None:
    """Commands for the record as a whole."""


@app.command("copy")
def copy_store(
    source: Annotated[str, typer.Argument(metavar="FROM", help=f"What to copy: {Place}", show_default=False)],
    target: Annotated[str, typer.Argument(metavar="TO", help=f"Where to, empty: {Place}", show_default=False)],
) -> None:
    """Copy everything that is on record into an empty store: all of it or nothing.

    The bots' files are not on record: they are in the folder bots of their home, and stay there.

    Example: arena store copy .arena postgresql://arena@db.example.org/arena
    """
    with (
        open_store(_home(source)) as reading,
        Store.open(_home(target).database) as written,
        Progress(console=err, transient=True, disable=not err.is_terminal) as progress,
    ):
        task = progress.add_task("copying", total=None)
        rows = copy_records(reading, written, lambda done, in_all: progress.update(task, completed=done, total=in_all))
        progress.stop()
        out.print(
            f"{rows:,} rows of {shown(reading.where)} are in {shown(written.where)} now.",
            highlight=False,
            soft_wrap=True,
        )


def _home(named: str) -> Home:
    """The home in a folder, or one whose store is elsewhere."""
    return Home(Path(), named) if "://" in named else Home(Path(named))
