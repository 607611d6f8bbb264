"""`arena submit`, `arena bots`, `arena retire`: the bots of an arena."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.table import Table

from arena.cli.check import result_line
from arena.cli.console import err, harmless, out, shown
from arena.cli.homes import open_store
from arena.cli.options import DEFAULT_HOME, AsJson, StoreUrl, TimeLimit, printable, seconds
from arena.cli.options import Home as HomeOption
from arena.cli.sandboxes import LimitOptions, SandboxMode, sandbox_for
from arena.cli.servers import Insecure, ServerAddress, ServerCa, TokenFile, connected, not_connected
from arena.errors import BadSubmission
from arena.referee import Limits
from arena.reports.listings import BotSummary
from arena.reports.listings import list_bots as list_bots_in
from arena.store.home import Home
from arena.store.store import Store
from arena.submissions.check import CheckResult
from arena.submissions.submit import SubmissionRequest, gather
from arena.submissions.submit import submit as take_in

if TYPE_CHECKING:
    from arena.client.desk import DeskClient

DECIDED_THERE = ("time_per_move", "time_to_start", "build_network", "sandbox", "limit")
"""How a bot is tried out is the server's business."""


def submit(
    context: typer.Context,
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
    server: ServerAddress = None,
    ca: ServerCa = None,
    token_file: TokenFile = None,
    insecure: Insecure = False,
) -> None:
    """Hand in a bot: it is copied, built, tried out and registered. From then on it takes part in tournaments.

    With --server it is handed in there, where it bears your name: anna/my_bot.

    Example: arena submit ./my_bot.py --notes "counts cards now"
    """
    if server is not None:
        with connected(context, server, ca, token_file, insecure, here=DECIDED_THERE) as elsewhere:
            _submit_to(elsewhere, path, name, version, notes)
        return
    not_connected(context)
    place = Home(home, store_url)
    limits = Limits(seconds(time_to_start) or 60.0, seconds(time_per_move))
    submission = SubmissionRequest(path, name, version, notes, limits, sandbox_for(sandbox, limit), build_network)
    failed: list[CheckResult] = []

    def note_failure(result: CheckResult) -> None:
        if not result.passed:
            failed.append(result)

    with Store.open(place.database) as store, err.status("copying") as status:
        submitted = take_in(place, store, submission, on_step=status.update, on_result=note_failure)
    taken = submitted.version
    _tell(taken.label, taken.games, failed, is_new=submitted.is_new, then=" Next: [bold]arena tournament[/]")


def _submit_to(server: DeskClient, path: str, name: str | None, version: str | None, notes: str) -> None:
    from arena.client.desk import BotUpload

    with tempfile.TemporaryDirectory(prefix="arena-") as folder, err.status("copying") as status:
        submission, files, _ = gather(path, Path(folder))
        bot = BotUpload(files, name if name is not None else submission.launch.name, version or "", notes)
        try:
            taken = server.submit(bot, lambda what: status.update(shown(what)))
        except BadSubmission as error:
            raise BadSubmission(f"{error}\nAll checks: arena check {path}") from error
    failed = [CheckResult(False, harmless(what), detail) for what, detail in taken.failed_checks]
    _tell(taken.label, taken.games, failed, is_new=taken.is_new)


def _tell(label: str, games: Sequence[str], failed: Sequence[CheckResult], *, is_new: bool, then: str = "") -> None:
    """What has come of it."""
    if not is_new:
        out.print(f"{shown(label)} has exactly this content already: nothing has changed.", highlight=False)
        return
    for result in failed:  # those that did not keep it out
        out.print(result_line(result), soft_wrap=True)
    out.print(f"[green]{shown(label)} is in[/], plays {shown(' and '.join(games))}.{then}", highlight=False)


def list_bots(
    context: typer.Context,
    every: Annotated[bool, typer.Option("--all", help="Retired bots and old versions too.")] = False,
    as_json: AsJson = False,
    home: HomeOption = DEFAULT_HOME,
    store_url: StoreUrl = None,
    server: ServerAddress = None,
    ca: ServerCa = None,
    token_file: TokenFile = None,
    insecure: Insecure = False,
) -> None:
    """List the bots that were handed in, with what they have reached.

    Example: arena bots --all
    """
    if server is not None:
        with connected(context, server, ca, token_file, insecure) as elsewhere:
            rows = elsewhere.bots(every=every)
    else:
        not_connected(context)
        place = Home(home, store_url)
        if not place.exists:
            _nothing_yet(as_json)
            return
        with open_store(place) as store:
            rows = list_bots_in(store, every=every)
    if as_json:
        out.print_json(json.dumps([asdict(row) for row in rows]))
    elif rows:
        _print_bots(rows)
    else:
        _nothing_yet(as_json)


def _nothing_yet(as_json: bool) -> None:
    if as_json:
        out.print_json("[]")
        return
    out.print("No bot has been handed in yet. Begin one: [bold]arena new my_bot[/]; then [bold]arena submit my_bot[/]")


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


def retire(
    context: typer.Context,
    bot: Annotated[str, typer.Argument(metavar="BOT", help="The bot's name.")],
    undo: Annotated[bool, typer.Option("--undo", help="Let it take part again.")] = False,
    home: HomeOption = DEFAULT_HOME,
    store_url: StoreUrl = None,
    server: ServerAddress = None,
    ca: ServerCa = None,
    token_file: TokenFile = None,
    insecure: Insecure = False,
) -> None:
    """Take a bot out of future tournaments. Its versions, matches and ratings stay.

    Example: arena retire my_old_bot
    """
    if server is not None:
        with connected(context, server, ca, token_file, insecure) as elsewhere:
            elsewhere.retire(bot, undo=undo)
    else:
        not_connected(context)
        with open_store(Home(home, store_url)) as store:
            store.bots.retire(bot, retired=not undo)
    takes_part = "takes part again" if undo else "no longer takes part in tournaments"
    out.print(f"{shown(bot)} {takes_part}.", highlight=False)
