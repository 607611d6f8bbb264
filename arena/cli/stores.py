"""`arena store`: copy the store between a home and PostgreSQL."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.progress import Progress

from arena.api import Arena
from arena.cli.console import err, out, shown

app = typer.Typer(help="Copy the store between a home and PostgreSQL.", no_args_is_help=True)

PLACE = "a home (a folder), or postgresql://USER@HOST/DATABASE."


@app.callback()
def stores() -> None:
    """Copy the store between a home and PostgreSQL."""


@app.command("copy")
def copy_store(
    source: Annotated[str, typer.Argument(metavar="FROM", help=f"What to copy: {PLACE}", show_default=False)],
    target: Annotated[str, typer.Argument(metavar="TO", help=f"An empty store: {PLACE}", show_default=False)],
) -> None:
    """Copy all results into an empty store, all or nothing.

    The bots' files are not in the store: they stay in the folder bots of their home.

    Example: arena store copy .arena postgresql://arena@db.example.org/arena
    """
    with Progress(console=err, transient=True, disable=not err.is_terminal) as progress:
        task = progress.add_task("copying", total=None)
        result = _arena(source).copy_store(
            _arena(target), on_progress=lambda done, total: progress.update(task, completed=done, total=total)
        )
    out.print(
        f"Copied {result.rows:,} rows from {shown(result.source)} to {shown(result.target)}.",
        highlight=False,
        soft_wrap=True,
    )


def _arena(named: str) -> Arena:
    return Arena(".", store=named) if "://" in named else Arena(named)
