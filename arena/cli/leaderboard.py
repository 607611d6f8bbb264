"""`arena leaderboard`: the ratings, and how certain they are."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.boards import render, render_head_to_head, render_overall
from arena.cli.console import out, shown
from arena.cli.files import writing
from arena.cli.groups import grouped
from arena.cli.location import Location
from arena.cli.options import AsJson
from arena.errors import UserError
from arena.reports.board import Leaderboard
from arena.reports.exports import as_csv, as_json, as_markdown

MAX_IN_MATRIX = 12
"""A head-to-head matrix of more bots does not fit into a terminal."""


@grouped
def leaderboard(
    location: Location,
    bracket: Annotated[
        list[str] | None,
        typer.Option(help="A bracket; may be given several times. Default: all.", show_default=False),
    ] = None,
    tournament: Annotated[
        str | None, typer.Option(help="A tournament's number or name. Default: all.", show_default=False)
    ] = None,
    as_json_text: AsJson = False,
    as_csv_text: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    as_markdown_text: Annotated[bool, typer.Option("--md", help="Print Markdown.")] = False,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", dir_okay=False, help="Write a page with plots to FILE.", show_default=False),
    ] = None,
) -> None:
    """Show the leaderboard: ratings with their uncertainty, results, and head-to-head shares.

    Example: arena leaderboard --bracket mantis --html board.html
    """
    if sum([as_json_text, as_csv_text, as_markdown_text, html is not None]) > 1:
        raise UserError("`--json`, `--csv`, `--md` and `--html` cannot be combined.")
    with location.open() as arena:
        found = arena.leaderboard(bracket or (), tournament=tournament, highlights=html is not None)
        if html is not None:
            matches = list(zip(found.highlights.items(), arena.replays(list(found.highlights)), strict=True))
    if as_json_text:
        out.print_json(json.dumps(as_json(found.boards, found.overall)))
    elif as_csv_text:
        print(as_csv(found.boards), end="")
    elif as_markdown_text:
        print(as_markdown(found.boards, found.overall), end="")
    elif html is not None:
        from arena.web.drawing.board_page import as_html
        from arena.web.drawing.highlights import shown as shown_match

        number = found.boards[0].tournament
        title = "Leaderboard" if number is None else f"Leaderboard of tournament {number}"
        generated = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
        films = [shown_match(name, why, data) for (name, why), data in matches if isinstance(data, bytes)]
        with writing(html) as file:
            file.write(as_html(found.boards, found.overall, title, generated, films))
        out.print(f"The page is in [bold]{shown(str(html))}[/].", highlight=False)
    else:
        print_boards(found)


def print_boards(found: Leaderboard) -> None:
    """Print the boards, the head-to-head matrix of each, and the board across brackets."""
    for board in found.boards:
        out.print(render(board))
        if 1 < len(board.rows) <= MAX_IN_MATRIX:
            out.print(render_head_to_head(board))
        elif len(board.rows) > MAX_IN_MATRIX:
            out.print(f"Head-to-head results of {len(board.rows)} bots: see --html or --json.", highlight=False)
    if found.overall is not None:
        out.print(render_overall(found.overall))
