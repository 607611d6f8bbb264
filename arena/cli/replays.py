"""`arena replay`: look at replays and verify them, whether they are files or matches on record."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.control import Control
from rich.progress import Progress
from rich.text import Text

from arena.cli.console import err, harmless, harmless_lines, out, shown
from arena.cli.files import writing
from arena.cli.options import DEFAULT_HOME, Home, StoreUrl
from arena.cli.servers import Insecure, ServerAddress, ServerCa, TokenFile, connected, not_connected
from arena.cli.sources import MATCH_NAME, ServerSource, Source, StoreSource
from arena.errors import ArenaError, NotFound, ReplayError
from arena.games.base import Result
from arena.games.registry import painter_of
from arena.games.terminal import Painter, seat_name
from arena.replay import Fault, Replay, Step, follow, start, verify
from arena.store.home import Home as StoreHome
from arena.web.viewer.chances import chances_of
from arena.web.viewer.film import film_of
from arena.web.viewer.page import as_html

app = typer.Typer(help="Look at replays, verify and export them.")

EXIT_NOT_VERIFIED = 1
EXIT_UNREADABLE = 2
HOLDS = "verified  "
MOST_LISTED = 200
"""Of more replays than this only those that fail are listed."""

NEXT_KEYS = {" ", "\r", "\n", "n", "l", "\x1b[C", "\x1b[B", "\x1bOC", "\x1bOB"}
BACK_KEYS = {"b", "p", "h", "\x7f", "\x1b[D", "\x1b[A", "\x1bOD", "\x1bOA"}
FIRST_KEYS = {"g", "\x1b[H", "\x1bOH", "\x1b[1~"}
LAST_KEYS = {"G", "\x1b[F", "\x1bOF", "\x1b[4~"}
QUIT_KEYS = {"q", "\x1b", "\x03", "\x04"}
KEYS_HELP = "→ next · ← back · g first · G last · q quit"

ReplayFile = Annotated[
    str, typer.Argument(metavar="MATCH", help="A match on record, such as 3-mantis-17-2, or a replay file.")
]


@app.callback(invoke_without_command=True)
def root(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        out.print(context.get_help(), markup=False, highlight=False)


@app.command("show")
def show(
    context: typer.Context,
    match: ReplayFile,
    everything: Annotated[
        bool, typer.Option("--all", help="Print every step at once instead of stepping through with keys.")
    ] = False,
    brief: Annotated[bool, typer.Option("--brief", help="Print what happened, without the tables.")] = False,
    home: Home = DEFAULT_HOME,
    store_url: StoreUrl = None,
    server: ServerAddress = None,
    ca: ServerCa = None,
    token_file: TokenFile = None,
    insecure: Insecure = False,
) -> None:
    """Step through a match: the table, and every action with what it caused.

    In a terminal the keys lead through the match; otherwise, or with --all or --brief, every step is printed.

    Example: arena replay show 3-mantis-17-2
    """
    with _source(context, home, store_url, server, ca, token_file, insecure) as source:
        replay = _verified(match, source)
    pages = list(_pages(replay, brief=brief))
    if everything or brief or not (sys.stdin.isatty() and out.is_terminal):
        for page in pages:
            out.print(page)
    else:
        _step_through(pages)


@app.command("verify")
def verify_replays(
    context: typer.Context,
    matches: Annotated[
        list[str] | None, typer.Argument(metavar="MATCH…", help="Matches on record, or replay files.")
    ] = None,
    tournament: Annotated[
        str | None,
        typer.Option(help="All matches of this tournament: its number or name.", show_default=False),
    ] = None,
    home: Home = DEFAULT_HOME,
    store_url: StoreUrl = None,
    server: ServerAddress = None,
    ca: ServerCa = None,
    token_file: TokenFile = None,
    insecure: Insecure = False,
) -> None:
    """Play replays again under the rules and compare the results; exit code 1 if any of them does not hold.

    Example: arena replay verify replays/*.jsonl
    """
    named = list(matches or [])
    verified = unreadable = 0
    with (
        _source(context, home, store_url, server, ca, token_file, insecure) as source,
        Progress(console=err, transient=True, disable=not err.is_terminal) as progress,
    ):
        if tournament is not None:
            named += source.names(tournament)
        if not named:
            raise ArenaError("nothing to verify: name matches or replay files, or a tournament (--tournament).")
        source.expect(named)
        for each in progress.track(named, description="verifying"):
            try:
                line = _verdict(source, each)
            except (NotFound, OSError) as error:
                unreadable += 1
                why = str(error) if isinstance(error, NotFound) else f"{each}: {error.strerror}."
                err.print(f"error: {harmless(why)}", style="bold red", markup=False, soft_wrap=True)
                continue
            holds = line.plain.startswith(HOLDS)
            verified += holds
            if not holds or len(named) <= MOST_LISTED:
                out.print(line, soft_wrap=True)
    if len(named) > 1:
        out.print(f"{verified} of {len(named)} verified.", highlight=False)
    if verified < len(named):
        raise typer.Exit(EXIT_UNREADABLE if unreadable else EXIT_NOT_VERIFIED)


def _verdict(source: Source, named: str) -> Text:
    """Whether the replay holds, in a line."""
    try:
        result = verify(source.replay(named))
    except ReplayError as error:
        return Text.assemble(("fails     ", "bold red"), harmless(f"{named}: {error}"))
    return Text.assemble((HOLDS, "green"), f"{harmless(named)}: {_outcome(result)}")


@app.command("export")
def export(
    context: typer.Context,
    match: ReplayFile,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]",
            dir_okay=False,
            help="Where to. Default: standard output, or MATCH.html for a page.",
            show_default=False,
        ),
    ] = None,
    html: Annotated[
        bool, typer.Option("--html", help="A page that shows the match; FILE is MATCH.html unless named.")
    ] = False,
    home: Home = DEFAULT_HOME,
    store_url: StoreUrl = None,
    server: ServerAddress = None,
    ca: ServerCa = None,
    token_file: TokenFile = None,
    insecure: Insecure = False,
) -> None:
    """Write the replay of a match on record to a file: in the format arena.replay/1, or as a page to look at.

    The page opens in any browser, without a server, and needs nothing else.

    Example: arena replay export 3-mantis-17-2 --html
    """
    with _source(context, home, store_url, server, ca, token_file, insecure) as source:
        if html:
            _export_page(match, file, source)
            return
        data = source.read(match)
    if file is None:
        sys.stdout.write(data.decode())
    else:
        with writing(file) as target:
            target.write(data.decode(errors="surrogateescape"))
        err.print(f"The replay is in [bold]{shown(str(file))}[/].", highlight=False)


def _export_page(match: str, file: Path | None, source: Source) -> None:
    replay = _verified(match, source)
    page = as_html(film_of(replay), chances_of(replay))
    named = match.replace("/", ".") if MATCH_NAME.fullmatch(match) else Path(match).stem
    target = file or Path(f"{named}.html")
    with writing(target) as written:
        written.write(page)
    err.print(f"The page is in [bold]{shown(str(target))}[/]: open it in a browser.", highlight=False)


def _source(
    context: typer.Context,
    home: Path,
    store_url: str | None,
    server: str | None,
    ca: Path | None,
    token_file: Path | None,
    insecure: bool,
) -> Source:
    """Where the user's replays come from."""
    if server is None:
        not_connected(context)
        return StoreSource(StoreHome(home, store_url))
    return ServerSource(connected(context, server, ca, token_file, insecure))


def _verified(named: str, source: Source) -> Replay:
    """The replay, with its name in the error where it is not a good one."""
    try:
        replay = source.replay(named)
        verify(replay)
    except ReplayError as error:
        raise ArenaError(f"{named}: {error}") from error
    return replay


def _outcome(result: Result) -> str:
    """The result in a few words."""
    winners = ", ".join(f"seat {seat}" for seat in result.winners)
    places = " ".join(map(str, result.placements))
    return f"{winners or 'nobody'} won, places {places}"


# A step-through has a page for the deal and one for each line; the last one tells the result too.


def _pages(replay: Replay, *, brief: bool) -> Iterator[RenderableType]:
    painter = painter_of(replay.header.game)
    names = [harmless(name) for name in replay.header.seats]
    steps = list(follow(replay))
    yield _page(_title(replay), painter.draw(start(replay.header), names), brief=brief)
    for number, step in enumerate(steps, start=1):
        place = Text(f"{number:{len(str(len(steps)))}}/{len(steps)}  ", style="bold")
        heading = Text.assemble(place, _happening(step, painter, names))
        if number == len(steps):
            heading = Text.assemble(heading, "\n", result_text(step.state.result(replay.forfeited), names))
        yield _page(heading, painter.draw(step.state, names), brief=brief)


def _page(heading: Text, table: RenderableType, *, brief: bool) -> RenderableType:
    return heading if brief else Group(heading, Text(""), table, Text(""))


def _title(replay: Replay) -> Text:
    header = replay.header
    options = " ".join(header.options.values())
    return Text.assemble(
        (f"{header.game} {options}", "bold"),
        harmless(f", {len(header.seats)} seats, match {header.match}, seed {header.seed}"),
    )


def _happening(step: Step, painter: Painter, names: Sequence[str]) -> Text:
    entry = step.entry
    if isinstance(entry, Fault):
        return Text.assemble(
            seat_name(entry.seat, names),
            (" forfeits", "bold red"),
            f": it {entry.fault.meaning} ({entry.fault.value}). {harmless_lines(entry.detail)}",
        )
    by_house = Text(" (played by the house)", style="dim") if entry.by_house else Text("")
    return Text.assemble(Text(" ").join(painter.describe(event, step.state, names) for event in step.events), by_house)


def result_text(result: Result, names: Sequence[str]) -> Text:
    winners = Text(", ").join(seat_name(seat, names) for seat in result.winners)
    won = Text.assemble("Won by ", winners) if result.winners else Text("Nobody won")
    places = Text(", ").join(
        Text.assemble(f"{result.placements[seat]}. ", seat_name(seat, names))
        for seat in sorted(range(len(names)), key=result.placements.__getitem__)
    )
    return Text.assemble(won, f": {result.ending.value}.\n", ("Places: ", "bold"), places)


def _step_through(pages: Sequence[RenderableType]) -> None:
    """Shows one page at a time and follows the keys."""
    place = 0
    with out.screen(hide_cursor=True) as screen:
        while True:
            out.control(Control.home())
            screen.update(Group(Text(KEYS_HELP, style="dim"), pages[place]))
            key = typer.getchar()
            if key in QUIT_KEYS:
                return
            if key in NEXT_KEYS:
                place = min(place + 1, len(pages) - 1)
            elif key in BACK_KEYS:
                place = max(place - 1, 0)
            elif key in FIRST_KEYS:
                place = 0
            elif key in LAST_KEYS:
                place = len(pages) - 1
