"""`arena submit`, `arena bots`, `arena retire`: the bots of an arena."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table

from arena.cli.check import verdict_line
from arena.cli.console import err, out, shown
from arena.cli.homes import open_store
from arena.cli.options import DEFAULT_HOME, AsJson, StoreUrl, TimeLimit, printable, seconds
from arena.cli.options import Home as HomeOption
from arena.cli.sandboxes import LimitOptions, SandboxMode, sandbox_for
from arena.conformance import Verdict
from arena.referee import Limits
from arena.standings import Standings
from arena.store.archive import Choice, StoredMatch
from arena.store.bots import BotVersion
from arena.store.home import Home
from arena.store.schema import ALL
from arena.store.store import Store
from arena.submission import Submission
from arena.submission import submit as take_in


def submit(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A .py or .js file, a program, or a folder.")],
    name: Annotated[str | None, typer.Option(help="Default: the file's name, or that in arena.toml.")] = None,
    version: Annotated[str | None, typer.Option(help="Default: that in arena.toml, or the next number.")] = None,
    notes: Annotated[str, typer.Option(callback=printable, help="What is new, for people who look at the bot.")] = "",
    time_per_move: TimeLimit = "1s",
    time_to_start: TimeLimit = "10s",
    build_network: Annotated[bool, typer.Option("--build-network", help="Let its build use the network.")] = False,
    sandbox: SandboxMode = "auto",
    limit: LimitOptions = None,
    home: HomeOption = DEFAULT_HOME,
    store_url: StoreUrl = None,
) -> None:
    """Hand in a bot: it is copied, built, tried out and registered. From then on it takes part in tournaments.

    Example: arena submit ./my_bot.py --notes "counts cards now"
    """
    place = Home(home, store_url)
    limits = Limits(seconds(time_to_start) or 60.0, seconds(time_per_move))
    submission = Submission(path, name, version, notes, limits, sandbox_for(sandbox, limit), build_network)
    failed: list[Verdict] = []

    def judged(verdict: Verdict) -> None:
        if not verdict.good:
            failed.append(verdict)

    with Store.open(place.database) as store, err.status("copying") as status:
        submitted = take_in(place, store, submission, doing=status.update, judged=judged)
    taken = submitted.version
    if not submitted.is_new:
        out.print(f"{shown(taken.label)} has exactly this content already: nothing has changed.", highlight=False)
        return
    for verdict in failed:  # those that did not keep it out
        out.print(verdict_line(verdict), soft_wrap=True)
    games = " and ".join(taken.games)
    out.print(f"[green]{shown(taken.label)} is in[/], plays {games}. Next: [bold]arena tournament[/]", highlight=False)


def list_bots(
    every: Annotated[bool, typer.Option("--all", help="Retired bots and old versions too.")] = False,
    as_json: AsJson = False,
    home: HomeOption = DEFAULT_HOME,
    store_url: StoreUrl = None,
) -> None:
    """List the bots that were handed in, with what they have reached.

    Example: arena bots --all
    """
    place = Home(home, store_url)
    if not place.exists:
        _nothing_yet(as_json)
        return
    with open_store(place) as store:
        versions = store.bots.all_versions() if every else store.bots.latest()
        standings = {name: store.standings.load(ALL, name) for name in store.standings.brackets(ALL)}
        rows = [_row(store, standings, version) for version in versions]
    if as_json:
        out.print_json(json.dumps(rows))
    elif rows:
        _print_bots(rows)
    else:
        _nothing_yet(as_json)


def _nothing_yet(as_json: bool) -> None:
    if as_json:
        out.print_json("[]")
        return
    out.print("No bot has been handed in yet. Begin one: [bold]arena new my_bot[/]; then [bold]arena submit my_bot[/]")


def _row(store: Store, standings: Mapping[str, Standings], version: BotVersion) -> dict[str, Any]:
    ratings: dict[str, float] = {}
    matches = faults = 0
    for bracket, of_all in standings.items():
        if standing := of_all.bots.get(version.id):
            ratings[bracket] = round(standing.rating.conservative, 3)
            matches += standing.matches
            faults += sum(standing.faults.values())
    last = next(iter(store.archive.page(Choice(version_ids=[version.id]), limit=1)), None)
    return {
        "bot": version.bot,
        "version": version.version,
        "language": version.language,
        "games": list(version.games),
        "submitted": version.created,
        "retired": version.retired,
        "notes": version.notes,
        "ratings": ratings,
        "matches": matches,
        "faults": faults,
        "last_match": last.name if last else None,
        "last_result": _result(last, version.id) if last else None,
    }


def _result(match: StoredMatch, version: int) -> str:
    # In a comparison a bot may have several seats.
    seat = min((seat for seat in match.seats if seat.version_id == version), key=lambda seat: seat.placement)
    return f"place {seat.placement} of {len(match.seats)}" + (f", {seat.fault}" if seat.fault else "")


def _print_bots(rows: list[dict[str, Any]]) -> None:
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("bot", "version"):
        table.add_column(heading, no_wrap=True)
    table.add_column("ratings")
    for heading in ("matches", "faults"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("last result")
    for row in rows:
        ratings = [f"{bracket} {rating:.1f}" for bracket, rating in row["ratings"].items()]
        table.add_row(
            shown(row["bot"]) + (" [dim](retired)[/]" if row["retired"] else ""),
            shown(row["version"]),
            "\n".join(ratings) or "[dim]none yet[/]",
            f"{row['matches']:,}",
            f"[bold red]{row['faults']}[/]" if row["faults"] else "0",
            f"{row['last_result']} ({shown(row['last_match'])})" if row["last_match"] else "[dim]none yet[/]",
        )
    out.print(table)
    if any(row["ratings"] for row in rows):
        out.print("Ratings are conservative, mu - 3 sigma. More: [bold]arena leaderboard[/]", highlight=False)


def retire(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="The bot's name.")],
    undo: Annotated[bool, typer.Option("--undo", help="Let it take part again.")] = False,
    home: HomeOption = DEFAULT_HOME,
    store_url: StoreUrl = None,
) -> None:
    """Take a bot out of future tournaments. Its versions, matches and ratings stay.

    Example: arena retire my_old_bot
    """
    with open_store(Home(home, store_url)) as store:
        store.bots.retire(bot, retired=not undo)
    takes_part = "takes part again" if undo else "no longer takes part in tournaments"
    out.print(f"{shown(bot)} {takes_part}.", highlight=False)
