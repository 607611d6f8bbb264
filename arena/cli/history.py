"""`arena history`: the tournaments that were played, and their matches."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer
from rich import box
from rich.table import Table

from arena.cli.console import out, shown
from arena.cli.homes import open_store
from arena.cli.options import DEFAULT_HOME, AsJson, StoreUrl
from arena.cli.options import Home as HomeOption
from arena.cli.servers import Insecure, ServerAddress, ServerCa, TokenFile, connected, not_connected
from arena.games.brackets import Bracket
from arena.reports.listings import MatchSummary, TournamentSummary, list_matches, list_tournaments
from arena.store.home import Home
from arena.store.tournaments import State


def history(
    context: typer.Context,
    matches: Annotated[bool, typer.Option("--matches", help="List matches instead of tournaments.")] = False,
    tournament: Annotated[
        str | None, typer.Option(help="Only this tournament's matches: its number or name.", show_default=False)
    ] = None,
    bot: Annotated[str | None, typer.Option(help="Only matches of this bot.", show_default=False)] = None,
    bracket: Annotated[str | None, typer.Option(help="Only this bracket's matches.", show_default=False)] = None,
    faults: Annotated[bool, typer.Option("--faults", help="Only matches that a bot lost by a fault.")] = False,
    lines: Annotated[int, typer.Option("--lines", "-n", min=1, help="How many, the latest first.")] = 20,
    as_json: AsJson = False,
    home: HomeOption = DEFAULT_HOME,
    store_url: StoreUrl = None,
    server: ServerAddress = None,
    ca: ServerCa = None,
    token_file: TokenFile = None,
    insecure: Insecure = False,
) -> None:
    """List the tournaments, or with --matches the matches; an option that is about matches lists those.

    Example: arena history --bot my_bot --faults
    """
    of_matches = bool(matches or tournament or bot or bracket or faults)
    where = Bracket.parse(bracket).name if bracket else None
    found_matches: list[MatchSummary] = []
    found_tournaments: list[TournamentSummary] = []
    if server is not None:
        with connected(context, server, ca, token_file, insecure) as remote:
            if of_matches:
                found_matches = remote.matches(
                    tournament=tournament, bot=bot, bracket=where, only_faults=faults, limit=lines
                )
            else:
                found_tournaments = remote.tournaments(lines)
    else:
        not_connected(context)
        with open_store(Home(home, store_url)) as store:
            if of_matches:
                found_matches = list_matches(
                    store, tournament=tournament, bot=bot, bracket=where, only_faults=faults, limit=lines
                )
            else:
                found_tournaments = list_tournaments(store, lines)
    if as_json:
        rows = [match.to_dict() for match in found_matches] + [asdict(each) for each in found_tournaments]
        out.print_json(json.dumps(rows))
    elif of_matches:
        _print_matches(found_matches)
    else:
        _print_tournaments(found_tournaments)


def _print_tournaments(rows: Sequence[TournamentSummary]) -> None:
    if not rows:
        out.print("No tournament has been played yet: [bold]arena tournament[/]")
        return
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("no.", justify="right")
    table.add_column("tournament")
    for heading in ("bots", "matches"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("began (UTC)", no_wrap=True)
    table.add_column("state", no_wrap=True)
    for row in rows:
        number = row.tournament
        own_name = "" if row.name == f"tournament {number}" else f"{shown(row.name)}: "
        brackets = shown(", ".join(row.brackets))
        table.add_row(
            str(number),
            f"{own_name}{shown(row.format)}{'' if row.rated else ' (unrated)'}, {brackets}",
            str(row.bots),
            f"{row.matches:,}",
            shown(row.began[5:16]),
            "over" if row.state == State.DONE.value else "[yellow]interrupted[/]",
        )
    out.print(table)
    for row in rows:
        if row.rated and row.state == State.RUNNING.value:
            number = row.tournament
            out.print(f"Go on with number {number}: [bold]arena tournament --resume {number}[/]", highlight=False)


def _print_matches(rows: Sequence[MatchSummary]) -> None:
    if not rows:
        out.print("No such match is on record.")
        return
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("match", no_wrap=True)
    table.add_column("round")
    table.add_column("places")
    table.add_column("faults")
    for row in rows:
        seats = sorted(row.seats, key=lambda seat: seat.placement)
        table.add_row(
            shown(row.match),
            shown(row.round),
            ", ".join(f"{seat.placement}. {shown(seat.bot)}" for seat in seats),
            "; ".join(f"[bold red]{shown(seat.bot)}: {shown(seat.fault)}[/]" for seat in row.seats if seat.fault),
        )
    out.print(table)
    out.print("Look at one with [bold]arena replay show MATCH[/].", highlight=False)
