"""`arena export`: everything in the store, one line for each row, for pandas, DuckDB or a spreadsheet."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.cli.console import err, shown
from arena.cli.files import writing
from arena.cli.groups import grouped
from arena.cli.location import HomeLocation
from arena.errors import UserError, choices
from arena.store.dump import TABLES

FORMATS = ("jsonl", "csv")


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
    as_format: Annotated[str, typer.Option("--format", help=f"{choices(FORMATS)}.")] = "jsonl",
) -> None:
    """Export the store: one line for each row, with names instead of numbers.

    Example: arena export seats --format csv -o seats.csv
    """
    if as_format not in FORMATS:
        raise UserError(f"Unknown format `{as_format}`: expected {choices(FORMATS)}.")
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
        err.print(f"{len(TABLES)} files are in [bold]{shown(str(output))}[/].", highlight=False)
    elif sys.stdout.isatty() or as_format == "csv":
        raise UserError(
            "All tables cannot be written to a terminal or to one CSV file.", hint="Add `-o FOLDER`, or name a table."
        )
    else:
        for table in TABLES:
            _write(({"table": table, **row} for row in arena.export(table)), None, as_format)


def _write(found: Iterator[Mapping[str, Any]], output: Path | None, as_format: str) -> None:
    with ExitStack() as stack:
        file = stack.enter_context(writing(output)) if output else sys.stdout
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
