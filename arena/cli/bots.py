"""The life of a bot: `arena new`, `check`, `submit`, `bots`, `retire` and `log`."""

from __future__ import annotations

import keyword
import re
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import unquote

import typer
from rich.text import Text

from arena.cli.console import harmless, harmless_lines, out, print_table, shown, status
from arena.cli.location import DEFAULT_HOME, HomeLocation, HomeOption, Location
from arena.cli.options import AsJson, BotPath, CheckOptions, grouped, printable
from arena.errors import HostFault, NotFound, UserError, refusal, unknown

if TYPE_CHECKING:
    from arena.reports.listings import BotSummary
    from arena.submissions.check import CheckResult

EXAMPLES = {"javascript": "random_js", "cpp": "random_cpp"}
"""For other languages than Python the starter is the bundled example."""
LANGUAGES = ("python", *EXAMPLES)


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the bot and of its folder.")],
    lang: Annotated[str, typer.Option(help="python, javascript or cpp.")] = "python",
) -> None:
    """Create a folder with a working bot, with comments and a test.

    Example: arena new my_bot --lang python
    """
    if lang not in LANGUAGES:
        raise UserError(unknown("language", lang, LANGUAGES))
    folder = Path(name)
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,39}", folder.name):
        raise UserError(f"Invalid bot name `{folder.name}`: expected at most 40 letters, digits, - and _.")
    if folder.exists():
        raise UserError(f"`{folder}` already exists.", hint="Choose another name, or remove it first.")
    try:
        _copy_starter(folder, lang)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, shutil.Error):  # with one error for each file
            raise HostFault(f"Cannot write `{folder}`: {error.args[0][0][2]}.") from error
        raise HostFault(refusal(error, error.filename or folder)) from error
    path = folder if folder.is_absolute() else f"./{folder}"
    out.print(f"{shown(folder)} contains a working bot. Next:")
    for command, what in (
        (f"arena check {folder}", "check that it starts, plays every game and keeps the time limits"),
        (f"arena match mantis {path} random --games 200", "play it against another bot"),
        (f"arena log {folder.name}", "show its output"),
    ):
        out.print(f"  [bold]{shown(command)}[/]  {what}", soft_wrap=True)


def _copy_starter(folder: Path, lang: str) -> None:
    """Copy the starter and replace the name of its bot."""
    from arena.submissions.submission import bundled_folder

    if lang == "python":
        placeholder = "my_bot"
        with resources.as_file(resources.files("arena.cli") / "starters" / lang) as starter:
            shutil.copytree(starter, folder, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        placeholder = EXAMPLES[lang]
        ignore = shutil.ignore_patterns("node_modules", "build", "protos")
        shutil.copytree(bundled_folder() / placeholder, folder, ignore=ignore)
        shutil.copytree(bundled_folder().parent / "protos", folder / "protos")
    class_name = "".join(word[:1].upper() + word[1:] for word in re.split("[-_]", folder.name))
    if keyword.iskeyword(class_name):
        class_name += "Bot"
    names = {placeholder: folder.name, "MyBot": class_name}
    for file in folder.glob("*"):
        if file.is_file() and file.suffix in (".py", ".toml", ".js", ".json", ".cc", ".sh", ".txt"):
            text = file.read_text(encoding="utf-8")
            file.write_text(re.sub("|".join(names), lambda found: names[found[0]], text), encoding="utf-8")


@grouped
def check(
    bot: BotPath,
    limits: CheckOptions,
    location: HomeLocation,
    games: Annotated[int, typer.Option(min=1, help="Games in each bracket.")] = 20,
) -> None:
    """Check a bot: start it, play full games in every bracket it claims, and verify rules and time limits.

    Example: arena check ./my_bot
    """
    from arena.requests import CheckRequest
    from arena.submissions.check import CheckResult

    request = CheckRequest(bot=bot, games=games, **limits.values())
    with status("starting") as show:
        report = location.arena.run(
            request, lambda event: _print_check(event) if isinstance(event, CheckResult) else show(event)
        )
    failed = sum(not result.passed for result in report.results)
    if failed:
        out.print(f"[bold red]{failed} of {len(report.results)} checks failed.[/]")
        raise typer.Exit(1)
    out.print(f"[green]All {len(report.results)} checks passed.[/]")


def _print_check(result: CheckResult) -> None:
    mark = ("pass  ", "green") if result.passed else ("FAIL  ", "bold red")
    detail = f": {harmless_lines(result.detail)}" if result.detail else ""
    out.print(Text.assemble(mark, harmless(result.what), detail), soft_wrap=True)


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
    from arena.requests import SubmitRequest

    request = SubmitRequest(
        path=path, name=name, version=version, notes=notes, build_network=build_network, **limits.values()
    )
    local_only = ("time_per_move", "time_to_start", "build_network", "sandbox", "limit")
    with location.open(*local_only) as arena, status("copying") as show:
        result = arena.run(request, show)
    if not result.is_new:
        out.print(f"{shown(result.label)} has exactly these files already: nothing has changed.")
        return
    for failed in result.failed:
        _print_check(failed)
    then = " Next: [bold]arena tournament[/]" if location.server is None else ""
    out.print(f"[green]{shown(result.label)} is submitted[/], plays {shown(' and '.join(result.games))}.{then}")


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
        out.print_json(data=[asdict(row) for row in rows])
    elif rows:
        _print_bots(rows)
    else:
        out.print(
            "No bot has been submitted yet. Start one with [bold]arena new my_bot[/]; then [bold]arena submit my_bot[/]"
        )


def _print_bots(rows: Sequence[BotSummary]) -> None:
    cells = [
        (
            shown(row.bot) + (" [dim](retired)[/]" if row.retired else ""),
            shown(row.version),
            "\n".join(f"{bracket} {rating:.1f}" for bracket, rating in row.ratings.items()) or "[dim]none yet[/]",
            f"{row.matches:,}",
            f"[bold red]{row.faults}[/]" if row.faults else "0",
            f"{row.last_result} ({shown(row.last_match)})" if row.last_match else "[dim]none yet[/]",
        )
        for row in rows
    ]
    headings = ("bot", "version", "ratings", "matches", "faults", "last result")
    print_table(headings, cells, numbers=("matches", "faults"), whole=("bot", "version"))
    if any(row.ratings for row in rows):
        out.print("Ratings are conservative, mu - 3 sigma. More: [bold]arena leaderboard[/]")


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
    out.print(f"{shown(bot)} {'takes part again' if undo else 'no longer takes part in tournaments'}.")


def show_log(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="The bot's name, with or without version.")],
    lines: Annotated[int, typer.Option("--lines", "-n", min=1, help="Number of lines, from the end.")] = 100,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Show the output of a bot in its matches: standard output and standard error.

    Example: arena log my_bot --lines 50
    """
    folder = home.resolve() / "logs"
    files = {unquote(path.stem): path for path in sorted(folder.glob("*.log"), key=lambda path: path.stat().st_mtime)}
    found = [path for label, path in files.items() if bot in (label, label.rpartition(" ")[0])]
    if not found:
        if not files:
            raise NotFound(f"No log in `{folder}` yet.", hint="Bots write one when they play: run `arena match`.")
        raise NotFound(unknown("bot", bot, files))
    text = b""
    for path in (found[-1].with_suffix(".old"), found[-1]):
        if path.exists():
            text += path.read_bytes()
    for line in text.decode("utf-8", errors="replace").splitlines()[-lines:]:
        out.print(harmless(line), markup=False, soft_wrap=True)
