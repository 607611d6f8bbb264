"""`arena replay`: show, verify and export replays, of the store or of files."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.control import Control
from rich.text import Text

from arena.cli.console import err, harmless, harmless_lines, out, progress_bar, shown, writing
from arena.cli.location import Location
from arena.cli.options import grouped
from arena.errors import ReplayError, UserError, refusal
from arena.games.base import Result
from arena.games.registry import painter_of
from arena.games.terminal import Painter, seat_name
from arena.replay import Fault, Playback, Replay, Step, follow
from arena.replay.view import MATCH_NAME, MatchReplay, read_replays

app = typer.Typer(help="Show, verify and export replays.")

MAX_LISTED = 200
"""Of more replays only those that fail are listed."""

NEXT_KEYS = {" ", "\r", "\n", "n", "l", "\x1b[C", "\x1b[B", "\x1bOC", "\x1bOB"}
BACK_KEYS = {"b", "p", "h", "\x7f", "\x1b[D", "\x1b[A", "\x1bOD", "\x1bOA"}
FIRST_KEYS = {"g", "\x1b[H", "\x1bOH", "\x1b[1~"}
LAST_KEYS = {"G", "\x1b[F", "\x1bOF", "\x1b[4~"}
QUIT_KEYS = {"q", "\x1b", "\x03", "\x04"}
KEYS_HELP = "→ next · ← back · g first · G last · q quit"

ReplayFile = Annotated[
    str, typer.Argument(metavar="MATCH", help="A match of the store, such as 3-mantis-17-2, or a replay file.")
]


@app.command("show")
@grouped
def show(
    match: ReplayFile,
    location: Location,
    everything: Annotated[
        bool, typer.Option("--all", help="Print every step instead of stepping through with keys.")
    ] = False,
    brief: Annotated[bool, typer.Option("--brief", help="Print the actions without the state of the game.")] = False,
) -> None:
    """Step through a match: the state of the game, and every action with its effects.

    In a terminal, keys lead through the match; otherwise, or with --all or --brief, every step is printed.

    Example: arena replay show 3-mantis-17-2
    """
    with location.open() as arena:
        replay = _verified(arena.replay(match)).replay
    pages = list(_pages(replay, brief=brief))
    if everything or brief or not (sys.stdin.isatty() and out.is_terminal):
        for page in pages:
            out.print(page)
    else:
        _step_through(pages)


@app.command("verify")
@grouped
def verify_replays(
    location: Location,
    matches: Annotated[
        list[str] | None, typer.Argument(metavar="MATCH…", help="Matches of the store, or replay files.")
    ] = None,
    tournament: Annotated[str | None, typer.Option(help="All matches of this tournament: its number or name.")] = None,
) -> None:
    """Play replays again under the rules and compare the results; exit code 1 if one of them differs.

    Example: arena replay verify replays/*.jsonl
    """
    named = list(matches or [])
    verified = unreadable = 0
    with location.open() as arena, progress_bar() as progress:
        if tournament is not None:
            named += arena.match_names(tournament)
        if not named:
            raise UserError("Nothing to verify.", hint="Name matches, replay files, or a tournament (`--tournament`).")
        found = read_replays(named, arena.replays)
        for name, each in progress.track(zip(named, found, strict=True), len(named), description="verifying"):
            if not isinstance(each, MatchReplay):
                unreadable += 1
                why = refusal(each, name) if isinstance(each, OSError) else str(each)
                err.print(f"error: {harmless(why)}", style="bold red", markup=False, soft_wrap=True)
                continue
            line, holds = _verdict(each)
            verified += holds
            if not holds or len(named) <= MAX_LISTED:
                out.print(line, soft_wrap=True)
    if len(named) > 1:
        out.print(f"{verified} of {len(named)} verified.")
    if verified < len(named):
        raise typer.Exit(2 if unreadable else 1)


def _verdict(replay: MatchReplay) -> tuple[Text, bool]:
    """Return a line about the replay, and whether it is correct."""
    try:
        result = replay.verify()
    except ReplayError as error:
        return Text.assemble(("fails     ", "bold red"), harmless(f"{replay.name}: {error}")), False
    winners = ", ".join(f"seat {seat}" for seat in result.winners) or "no seat"
    outcome = f"{winners} won, places {' '.join(map(str, result.placements))}"
    return Text.assemble(("verified  ", "green"), f"{harmless(replay.name)}: {outcome}"), True


@app.command("export")
@grouped
def export(
    match: ReplayFile,
    location: Location,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", dir_okay=False, help="Default: standard output, or MATCH.html for a page."),
    ] = None,
    html: Annotated[
        bool, typer.Option("--html", help="Write a page that shows the match, by default to MATCH.html.")
    ] = False,
) -> None:
    """Write the replay of a match to a file: in the format arena.replay/1, or as a page.

    The page opens in any browser, without a server, and needs no other files.

    Example: arena replay export 3-mantis-17-2 --html
    """
    with location.open() as arena:
        found = arena.replay(match)
    if html:
        from arena.web.exported import match_page
        from arena.web.viewer.chances import chances_of
        from arena.web.viewer.film import film_of

        replay = _verified(found).replay
        name = match.replace("/", ".") if MATCH_NAME.fullmatch(match) else Path(match).stem
        target = file or Path(f"{name}.html")
        with writing(target) as page:
            page.write(match_page(film_of(replay), chances_of(replay)))
        err.print(f"The page is in [bold]{shown(target)}[/]: open it in a browser.")
    elif file is None:
        sys.stdout.write(found.data.decode())
    else:
        with writing(file) as written:
            written.write(found.data.decode(errors="surrogateescape"))
        err.print(f"The replay is in [bold]{shown(file)}[/].")


def _verified(replay: MatchReplay) -> MatchReplay:
    """Return the replay if it is correct. Raise an error with its name otherwise."""
    try:
        replay.verify()
    except ReplayError as error:
        raise UserError(f"{replay.name}: {error}") from error
    return replay


def _pages(replay: Replay, *, brief: bool) -> Iterator[RenderableType]:
    """Yield a page for the deal and one for each line; the last one has the result too."""
    header = replay.header
    painter = painter_of(header.game)
    names = [harmless(name) for name in header.seats]
    title = (" ".join([header.game, *header.options.values()]), "bold")
    details = harmless(f", {len(names)} seats, match {header.match}, seed {header.seed}")
    pages = [(Text.assemble(title, details), Playback(header).state)]
    steps = list(follow(replay))
    for number, step in enumerate(steps, start=1):
        place = Text(f"{number:{len(str(len(steps)))}}/{len(steps)}  ", style="bold")
        heading = Text.assemble(place, _happening(step, painter, names))
        if number == len(steps):
            heading = Text.assemble(heading, "\n", result_text(step.state.result(replay.forfeited), names))
        pages.append((heading, step.state))
    for heading, state in pages:
        yield heading if brief else Group(heading, Text(""), painter.draw(state, names), Text(""))


def _happening(step: Step, painter: Painter, names: Sequence[str]) -> Text:
    entry = step.entry
    if isinstance(entry, Fault):
        return Text.assemble(
            seat_name(entry.seat, names),
            (" forfeits", "bold red"),
            f": it {entry.fault.meaning} ({entry.fault.value}). {harmless_lines(entry.detail)}",
        )
    described = Text(" ").join(painter.describe(event, step.state, names) for event in step.events)
    return Text.assemble(described, (" (played by the house)" if entry.by_house else "", "dim"))


def result_text(result: Result, names: Sequence[str]) -> Text:
    """Return the winners, why the game ended, and the placements."""
    winners = Text(", ").join(seat_name(seat, names) for seat in result.winners)
    won = Text.assemble("Won by ", winners) if result.winners else Text("No winner")
    places = Text(", ").join(
        Text.assemble(f"{result.placements[seat]}. ", seat_name(seat, names))
        for seat in sorted(range(len(names)), key=result.placements.__getitem__)
    )
    return Text.assemble(won, f": {result.ending.value}.\n", ("Places: ", "bold"), places)


def _step_through(pages: Sequence[RenderableType]) -> None:
    """Show one page at a time and follow the keys."""
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
