"""`arena submit`, `arena bots`, `arena retire`: the bots of an arena."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer
from rich import box
from rich.table import Table

from arena.cli.check import result_line
from arena.cli.console import err, out, print_note, shown
from arena.cli.groups import grouped
from arena.cli.location import Location
from arena.cli.options import AsJson, printable
from arena.cli.sandboxes import CheckOptions
from arena.events import Activity, Note
from arena.reports.listings import BotSummary
from arena.requests import SubmitRequest
from arena.submissions.check import CheckResult


@grouped
def submit(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A file, a folder with arena.toml, a .zip or .tar.gz.")],
    limits: CheckOptions,
    location: Location,
    name: Annotated[
        str | None, typer.Option(help="The bot's name. Default: the one in arena.toml, or the file's.")
    ] = None,
    version: Annotated[str | None, typer.Option(help="Default: the one in arena.toml, or the next number.")] = None,
    notes: Annotated[str, typer.Option(callback=printable, help="What is new in this version.")] = "",
    build_network: Annotated[bool, typer.Option("--build-network", help="Allow the build to use the network.")] = False,
) -> None:
    """Submit a bot: copy, build, check and register it. From then on it takes part in tournaments.

    With --server it is submitted there, with your name before its own: anna/my_bot.

    Example: arena submit ./my_bot.py --notes "counts cards now"
    """
    request = SubmitRequest(
        path=path, name=name, version=version, notes=notes, build_network=build_network, **limits.values()
    )
    local_only = ("time_per_move", "time_to_start", "build_network", "sandbox", "limit")
    with location.open(*local_only) as arena, err.status("copying") as status:

        def show(event: Activity | Note | CheckResult) -> None:
            if isinstance(event, Note):
                print_note(event)
            elif isinstance(event, Activity):
                status.update(shown(event.text))

        result = arena.run(request, show)
    if not result.is_new:
        out.print(f"{shown(result.label)} has exactly these files already: nothing has changed.", highlight=False)
        return
    for check in result.failed:
        out.print(result_line(check), soft_wrap=True)
    then = " Next: [bold]arena tournament[/]" if location.server is None else ""
    games = shown(" and ".join(result.games))
    out.print(f"[green]{shown(result.label)} is submitted[/], plays {games}.{then}", highlight=False)


@grouped
def list_bots(
    location: Location,
    every: Annotated[bool, typer.Option("--all", help="Include retired bots and old versions.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the submitted bots with their ratings and results.

    Example: arena bots --all
    """
    with location.open() as arena:
        rows = arena.bots(every=every)
    if as_json:
        out.print_json(json.dumps([asdict(row) for row in rows]))
    elif rows:
        _print_bots(rows)
    else:
        out.print(
            "No bot has been submitted yet. Start one with [bold]arena new my_bot[/]; then [bold]arena submit my_bot[/]"
        )


def _print_bots(rows: Sequence[BotSummary]) -> None:
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("bot", "version"):
        table.add_column(heading, no_wrap=True)
    table.add_column("ratings")
    for heading in ("matches", "faults"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("last result")
    for row in rows:
        ratings = [f"{bracket} {rating:.1f}" for bracket, rating in row.ratings.items()]
        table.add_row(
            shown(row.bot) + (" [dim](retired)[/]" if row.retired else ""),
            shown(row.version),
            "\n".join(ratings) or "[dim]none yet[/]",
            f"{row.matches:,}",
            f"[bold red]{row.faults}[/]" if row.faults else "0",
            f"{row.last_result} ({shown(row.last_match)})" if row.last_match else "[dim]none yet[/]",
        )
    out.print(table)
    if any(row.ratings for row in rows):
        out.print("Ratings are conservative, mu - 3 sigma. More: [bold]arena leaderboard[/]", highlight=False)


@grouped
def retire(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="The bot's name.")],
    location: Location,
    undo: Annotated[bool, typer.Option("--undo", help="Let it take part again.")] = False,
) -> None:
    """Take a bot out of future tournaments. Its versions, matches and ratings stay.

    Example: arena retire my_old_bot
    """
    with location.open() as arena:
        arena.retire(bot, undo=undo)
    takes_part = "takes part again" if undo else "no longer takes part in tournaments"
    out.print(f"{shown(bot)} {takes_part}.", highlight=False)
