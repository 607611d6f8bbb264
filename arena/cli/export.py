"""`arena export`: everything that is on record, one line a row, for pandas, DuckDB or a spreadsheet."""

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
from arena.cli.homes import open_store
from arena.cli.options import DEFAULT_HOME, StoreUrl
from arena.cli.options import Home as HomeOption
from arena.errors import ArenaError, choices
from arena.store.dump import TABLES, rows
from arena.store.home import Home

FORMATS = ("jsonl", "csv")


def export(
    what: Annotated[
        str, typer.Argument(metavar="[WHAT]", help=f"{choices([*TABLES, 'all'])}.", show_default=False)
    ] = "all",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="PATH", help="A file; for all a folder. Default: standard output."),
    ] = None,
    as_format: Annotated[str, typer.Option("--format", help=f"{choices(FORMATS)}.")] = "jsonl",
    home: HomeOption = DEFAULT_HOME,
    store_url: StoreUrl = None,
) -> None:
    """Export what is on record: a line for each row, with names instead of numbers.

    Example: arena export seats --format csv -o seats.csv
    """
    if as_format not in FORMATS:
        raise ArenaError(f"there is no format {as_format!r}: choose {choices(FORMATS)}.")
    if what not in (*TABLES, "all"):
        raise ArenaError(f"there is nothing called {what!r}: choose {choices([*TABLES, 'all'])}.")
    with open_store(Home(home, store_url)) as store:
        if what != "all":
            _write(rows(store, what), output, as_format)
            return
        if output is None:
            if sys.stdout.isatty():
                raise ArenaError("everything is a lot for a terminal: name a folder (-o FOLDER), or what to export.")
            if as_format == "csv":
                raise ArenaError("CSV has one kind of row in a file: name what to export, or a folder (-o FOLDER).")
            for table in TABLES:
                _write(({"table": table, **row} for row in rows(store, table)), None, as_format)
            return
        output.mkdir(parents=True, exist_ok=True)
        for table in TABLES:
            _write(rows(store, table), output / f"{table}.{as_format}", as_format)
        err.print(f"{len(TABLES)} files are in [bold]{shown(str(output))}[/].", highlight=False)


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
    """A value for CSV: lists as JSON, and no text that a spreadsheet would take for a formula."""
    if isinstance(value, (list, dict)):
        return json.dumps(value)
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return value
