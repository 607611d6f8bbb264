"""`arena leaderboard`: who is best, and how sure that is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.boards import render, render_head_to_head, render_overall
from arena.cli.console import out, shown
from arena.cli.files import writing
from arena.cli.homes import open_store
from arena.cli.options import DEFAULT_HOME, AsJson, StoreUrl
from arena.cli.options import Home as HomeOption
from arena.cli.servers import Insecure, ServerAddress, ServerCa, TokenFile, connected, not_connected
from arena.errors import BadTournament, NotFound
from arena.games.brackets import Bracket
from arena.reports.board import Board
from arena.reports.build import build_boards, build_overall
from arena.reports.exports import as_csv, as_json, as_markdown
from arena.store.home import Home
from arena.store.schema import ALL
from arena.store.store import Store
from arena.web.drawing.board_page import HighlightMatch, as_html
from arena.web.drawing.highlights import shown as shown_match
from arena.web.drawing.highlights import worth_seeing

if TYPE_CHECKING:
    from arena.client.desk import DeskClient

MOST_IN_MATRIX = 12
"""A matrix of more bots than this does not fit a terminal."""


def leaderboard(
    context: typer.Context,
    bracket: Annotated[
        list[str] | None,
        typer.Option(help="Such as mantis/icons; may be given several times. Default: all.", show_default=False),
    ] = None,
    tournament: Annotated[
        str | None, typer.Option(help="A tournament's number or name. Default: all together.", show_default=False)
    ] = None,
    as_json_text: AsJson = False,
    as_csv_text: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    as_markdown_text: Annotated[bool, typer.Option("--md", help="Print Markdown.")] = False,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", dir_okay=False, help="Write a page with plots to FILE.", show_default=False),
    ] = None,
    home: HomeOption = DEFAULT_HOME,
    store_url: StoreUrl = None,
    server: ServerAddress = None,
    ca: ServerCa = None,
    token_file: TokenFile = None,
    insecure: Insecure = False,
) -> None:
    """Show the leaderboard: ratings with how sure they are, results, and who beats whom.

    Example: arena leaderboard --bracket mantis --html board.html
    """
    if sum([as_json_text, as_csv_text, as_markdown_text, html is not None]) > 1:
        raise BadTournament("one form at a time: choose --json, --csv, --md or --html.")
    wanted = [Bracket.parse(name).name for name in bracket or ()]
    if server is not None:
        with connected(context, server, ca, token_file, insecure) as elsewhere:
            boards, matches = _from_server(elsewhere, wanted, tournament, with_matches=html is not None)
    else:
        not_connected(context)
        with open_store(Home(home, store_url)) as store:
            boards, matches = _from_store(store, wanted, tournament, with_matches=html is not None)
    overall = build_overall(boards) if len(boards) > 1 else None
    if as_json_text:
        out.print_json(json.dumps(as_json(boards, overall)))
    elif as_csv_text:
        print(as_csv(boards), end="")
    elif as_markdown_text:
        print(as_markdown(boards, overall), end="")
    if html is not None:
        number = boards[0].tournament
        title = "Leaderboard" if number is None else f"Leaderboard of tournament {number}"
        generated = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
        with writing(html) as file:
            file.write(as_html(boards, overall, title, generated, matches))
        out.print(f"The page is in [bold]{shown(str(html))}[/].", highlight=False)
    elif not (as_json_text or as_csv_text or as_markdown_text):
        print_boards(boards)


def _from_store(
    store: Store, brackets: Sequence[str], tournament: str | None, *, with_matches: bool
) -> tuple[list[Board], list[HighlightMatch]]:
    number = store.tournaments.find(tournament).id if tournament is not None else None
    boards = build_boards(store, brackets, number)
    if not with_matches:
        return boards, []
    worth = worth_seeing(store, boards, ALL if number is None else number)
    return boards, [shown_match(name, why, store.matches.replay(name).encode()) for name, why in worth.items()]


def _from_server(
    server: DeskClient, brackets: Sequence[str], tournament: str | None, *, with_matches: bool
) -> tuple[list[Board], list[HighlightMatch]]:
    boards, worth = server.leaderboard(brackets, tournament)
    if not boards:
        raise NotFound(f"{server.address} has sent no board: nobody has played there.")
    if not with_matches:
        return boards, []
    replays = server.replays(list(worth))
    read = [(name, why, replays.get(name)) for name, why in worth.items()]
    return boards, [shown_match(name, why, written) for name, why, written in read if isinstance(written, bytes)]


def print_boards(boards: Sequence[Board]) -> None:
    for board in boards:
        out.print(render(board))
        if 1 < len(board.rows) <= MOST_IN_MATRIX:
            out.print(render_head_to_head(board))
        elif len(board.rows) > MOST_IN_MATRIX:
            out.print(f"Who beats whom, for {len(board.rows)} bots: see --html or --json.", highlight=False)
    if len(boards) > 1:
        out.print(render_overall(build_overall(boards)))
