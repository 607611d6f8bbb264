"""`arena export` and `arena store copy`: the rows of the store as text, and copies of the store."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.api import Arena
from arena.cli.console import err, out, progress_bar, shown, writing
from arena.cli.location import HomeLocation
from arena.cli.options import grouped
from arena.errors import UserError, choices
from arena.store.dump import TABLES

app = typer.Typer(help="Copy the store between a home and PostgreSQL.")

PLACE = "a home (a folder), or postgresql://USER@HOST/DATABASE."


@grouped
def export(
    location: HomeLocation,
    what: Annotated[
        str, typer.Argument(metavar="[WHAT]", help=f"{choices([*TABLES, 'all'])}.", show_default=False)
    ] = "all",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="PATH", help="A file; for all a folder. Default: standard output."),
    ] = None,
    as_format: Annotated[str, typer.Option("--format", help="jsonl or csv.")] = "jsonl",
) -> None:
    """Export the store: one line for each row, with names instead of numbers.

    Example: arena export seats --format csv -o seats.csv
    """
    if as_format not in ("jsonl", "csv"):
        raise UserError(f"Unknown format `{as_format}`: expected jsonl or csv.")
    if what not in (*TABLES, "all"):
        raise UserError(f"Unknown table `{what}`: expected {choices([*TABLES, 'all'])}.")
    arena = location.arena
    if what != "all":
        _write(arena.export(what), output, as_format)
    elif output is not None:
        arena.check_exists()
        output.mkdir(parents=True, exist_ok=True)
        for table in TABLES:
            _write(arena.export(table), output / f"{table}.{as_format}", as_format)
        err.print(f"{len(TABLES)} files are in [bold]{shown(output)}[/].")
    elif sys.stdout.isatty() or as_format == "csv":
        raise UserError(
            "All tables cannot be written to a terminal or to one CSV file.", hint="Add `-o FOLDER`, or name a table."
        )
    else:
        for table in TABLES:
            _write(({"table": table, **row} for row in arena.export(table)), None, as_format)


def _write(found: Iterator[Mapping[str, Any]], output: Path | None, as_format: str) -> None:
    with writing(output) if output else nullcontext(sys.stdout) as file:
        if as_format == "jsonl":
            for row in found:
                file.write(json.dumps(row) + "\n")
            return
        writer: csv.DictWriter[str] | None = None
        for row in found:
            if writer is None:
                writer = csv.DictWriter(file, list(row))
                writer.writeheader()
            writer.writerow({name: _cell(value) for name, value in row.items()})


def _cell(value: Any) -> Any:
    """Return a value for CSV: lists as JSON, and no text that a spreadsheet would take for a formula."""
    if isinstance(value, (list, dict)):
        return json.dumps(value)
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return value


@app.command("copy")
def copy_store(
    source: Annotated[str, typer.Argument(metavar="FROM", help=f"What to copy: {PLACE}")],
    target: Annotated[str, typer.Argument(metavar="TO", help=f"An empty store: {PLACE}")],
) -> None:
    """Copy all results into an empty store, all or nothing.

    The bots' files are not in the store: they stay in the folder bots of their home.

    Example: arena store copy .arena postgresql://arena@db.example.org/arena
    """
    with progress_bar() as progress:
        task = progress.add_task("copying", total=None)
        result = _arena(source).copy_store(
            _arena(target), on_progress=lambda done, total: progress.update(task, completed=done, total=total)
        )
    out.print(f"Copied {result.rows:,} rows from {shown(result.source)} to {shown(result.target)}.", soft_wrap=True)


def _arena(named: str) -> Arena:
    return Arena(".", store=named) if "://" in named else Arena(named)
