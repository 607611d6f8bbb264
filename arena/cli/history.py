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
from arena.cli.groups import grouped
from arena.cli.location import Location
from arena.cli.options import AsJson
from arena.reports.listings import MatchSummary, TournamentSummary
from arena.store.tournaments import TournamentState


@grouped
def history(
    location: Location,
    matches: Annotated[bool, typer.Option("--matches", help="List matches instead of tournaments.")] = False,
    tournament: Annotated[
        str | None, typer.Option(help="Only matches of this tournament: its number or name.", show_default=False)
    ] = None,
    bot: Annotated[str | None, typer.Option(help="Only matches of this bot.", show_default=False)] = None,
    bracket: Annotated[str | None, typer.Option(help="Only matches of this bracket.", show_default=False)] = None,
    faults: Annotated[bool, typer.Option("--faults", help="Only matches that a bot forfeited.")] = False,
    lines: Annotated[int, typer.Option("--lines", "-n", min=1, help="Number of rows, the latest first.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List tournaments, or matches with --matches or an option that selects matches.

    Example: arena history --bot my_bot --faults
    """
    of_matches = bool(matches or tournament or bot or bracket or faults)
    with location.open() as arena:
        if of_matches:
            found = arena.matches(tournament=tournament, bot=bot, bracket=bracket, only_faults=faults, limit=lines)
        else:
            tournaments = arena.tournaments(lines)
    if as_json:
        rows = [each.to_dict() for each in found] if of_matches else [asdict(each) for each in tournaments]
        out.print_json(json.dumps(rows))
    elif of_matches:
        _print_matches(found)
    else:
        _print_tournaments(tournaments)


def _print_tournaments(rows: Sequence[TournamentSummary]) -> None:
    if not rows:
        out.print("No tournament has been played yet. Run [bold]arena tournament[/].")
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
            "over" if row.state == TournamentState.DONE.value else "[yellow]interrupted[/]",
        )
    out.print(table)
    for row in rows:
        if row.rated and row.state == TournamentState.RUNNING.value:
            number = row.tournament
            out.print(f"Resume number {number} with [bold]arena tournament --resume {number}[/]", highlight=False)


def _print_matches(rows: Sequence[MatchSummary]) -> None:
    if not rows:
        out.print("No such match in the store.")
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
    out.print("Show one with [bold]arena replay show MATCH[/].", highlight=False)
