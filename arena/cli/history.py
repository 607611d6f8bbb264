"""`arena history`: the tournaments that were played, and their matches."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich import box
from rich.table import Table

from arena.cli.console import out, shown
from arena.cli.homes import open_store
from arena.cli.options import DEFAULT_HOME, AsJson, StoreUrl
from arena.cli.options import Home as HomeOption
from arena.store.archive import Choice
from arena.store.home import Home
from arena.store.store import Store
from arena.store.tournaments import State
from arena.tournament.brackets import Bracket


def history(
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
) -> None:
    """List the tournaments, or with --matches the matches; an option that is about matches lists those.

    Example: arena history --bot my_bot --faults
    """
    with open_store(Home(home, store_url)) as store:
        if matches or tournament or bot or bracket or faults:
            _list_matches(store, tournament, bot, bracket, faults, lines, as_json)
        else:
            _list_tournaments(store, lines, as_json)


def _list_tournaments(store: Store, lines: int, as_json: bool) -> None:
    records = store.tournaments.latest(lines)
    if as_json:
        rows = [
            {
                "tournament": record.id,
                "name": record.name,
                "format": record.format,
                "brackets": [bracket.bracket for bracket in record.brackets],
                "bots": len(record.entrants),
                "matches": record.played,
                "state": record.state.value,
                "rated": record.rated,
                "began": record.created,
                "ended": record.ended,
            }
            for record in records
        ]
        out.print_json(json.dumps(rows))
        return
    if not records:
        out.print("No tournament has been played yet: [bold]arena tournament[/]")
        return
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("no.", justify="right")
    table.add_column("tournament")
    for heading in ("bots", "matches"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("began (UTC)", no_wrap=True)
    table.add_column("state", no_wrap=True)
    for record in records:
        own_name = "" if record.name == f"tournament {record.id}" else f"{shown(record.name)}: "
        brackets = ", ".join(bracket.bracket for bracket in record.brackets)
        table.add_row(
            str(record.id),
            f"{own_name}{record.format}{'' if record.rated else ' (unrated)'}, {brackets}",
            str(len(record.entrants)),
            f"{record.played:,}",
            record.created[5:16],
            "over" if record.state is State.DONE else "[yellow]interrupted[/]",
        )
    out.print(table)
    for record in records:
        if record.rated and record.state is State.RUNNING:
            out.print(f"Go on with number {record.id}: [bold]arena tournament --resume {record.id}[/]", highlight=False)


def _list_matches(
    store: Store,
    tournament: str | None,
    bot: str | None,
    bracket: str | None,
    faults: bool,
    lines: int,
    as_json: bool,
) -> None:
    versions = None
    if bot is not None:
        found = store.bots.find(bot)
        named = bot == found.bot  # without a version it means all of them
        versions = [each.id for each in store.bots.versions_of(bot)] if named else [found.id]
    choice = Choice(
        tournament_id=store.tournaments.find(tournament).id if tournament else None,
        bracket=Bracket.parse(bracket).name if bracket else None,
        version_ids=versions,
        only_faults=faults,
    )
    listed = store.archive.page(choice, limit=lines)
    if as_json:
        rows = [
            {
                "match": match.name,
                "tournament": match.tournament_id,
                "bracket": match.bracket,
                "round": match.round,
                "played": match.played,
                "ending": match.ending,
                "bots": list(match.bots),
                "placements": [seat.placement for seat in match.seats],
                "faults": [seat.fault for seat in match.seats],
                "details": [seat.detail for seat in match.seats],
                "charged_ms": [seat.think_ms for seat in match.seats],
                "cpu_ms": [seat.cpu_ms for seat in match.seats],
                "wall_ms": [seat.wall_ms for seat in match.seats],
                "overhead_ms": match.overhead_ms,
                "overloaded": match.overloaded,
                "sandbox": match.sandbox,
            }
            for match in listed
        ]
        out.print_json(json.dumps(rows))
        return
    if not listed:
        out.print("No such match is on record.")
        return
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("match", no_wrap=True)
    table.add_column("round")
    table.add_column("places")
    table.add_column("faults")
    for match in listed:
        order = sorted(range(len(match.bots)), key=lambda seat: match.seats[seat].placement)
        table.add_row(
            shown(match.name),
            shown(match.round),
            ", ".join(f"{match.seats[seat].placement}. {shown(match.bots[seat])}" for seat in order),
            "; ".join(
                f"[bold red]{shown(label)}: {seat.fault}[/]"
                for label, seat in zip(match.bots, match.seats, strict=True)
                if seat.fault
            ),
        )
    out.print(table)
    out.print("Look at one with [bold]arena replay show MATCH[/].", highlight=False)
