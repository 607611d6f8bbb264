"""`arena leaderboard` and `arena history`: the ratings, and the tournaments and matches behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.console import out, print_table, shown, writing
from arena.cli.location import Location
from arena.cli.options import AsJson, grouped
from arena.errors import UserError

if TYPE_CHECKING:
    from arena.reports.board import Leaderboard
    from arena.reports.listings import MatchSummary, TournamentSummary

MAX_IN_MATRIX = 12
"""A head-to-head matrix of more bots does not fit into a terminal."""


@grouped
def leaderboard(
    location: Location,
    bracket: Annotated[
        list[str] | None, typer.Option(help="A bracket; may be given several times. Default: all.")
    ] = None,
    tournament: Annotated[str | None, typer.Option(help="A tournament's number or name. Default: all.")] = None,
    json: AsJson = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    markdown: Annotated[bool, typer.Option("--md", help="Print Markdown.")] = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", dir_okay=False, help="Write a page with plots to FILE.")
    ] = None,
) -> None:
    """Show the leaderboard: ratings with their uncertainty, results, and head-to-head shares.

    Example: arena leaderboard --bracket mantis --html board.html
    """
    if json + csv + markdown + (html is not None) > 1:
        raise UserError("`--json`, `--csv`, `--md` and `--html` cannot be combined.")
    with location.open() as arena:
        found = arena.leaderboard(bracket or (), tournament=tournament, highlights=html is not None)
        if html is not None:
            replays = list(arena.replays(list(found.highlights)))
    if html is not None:
        _write_page(found, replays, html)
        return
    if not (json or csv or markdown):
        _print_boards(found)
        return
    from arena.reports.exports import as_csv, as_json, as_markdown

    if json:
        out.print_json(data=as_json(found.boards, found.overall))
    else:
        print(as_csv(found.boards) if csv else as_markdown(found.boards, found.overall), end="")


def _write_page(found: Leaderboard, replays: Sequence[object], file: Path) -> None:
    from arena.replay import loads
    from arena.web.exported import leaderboard_page

    number = found.boards[0].tournament
    title = "Leaderboard" if number is None else f"Leaderboard of tournament {number}"
    generated = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    matches = zip(found.highlights.items(), replays, strict=True)
    shown_matches = [(f"{why} ({name})", loads(data)) for (name, why), data in matches if isinstance(data, bytes)]
    with writing(file) as page:
        page.write(leaderboard_page(found.boards, found.overall, title, generated, shown_matches))
    out.print(f"The page is in [bold]{shown(file)}[/].")


def _print_boards(found: Leaderboard) -> None:
    from arena.cli.boards import render, render_head_to_head, render_overall

    for board in found.boards:
        out.print(render(board))
        if 1 < len(board.rows) <= MAX_IN_MATRIX:
            out.print(render_head_to_head(board))
        elif len(board.rows) > MAX_IN_MATRIX:
            out.print(f"Head-to-head results of {len(board.rows)} bots: see --html or --json.")
    if found.overall is not None:
        out.print(render_overall(found.overall))


@grouped
def history(
    location: Location,
    matches: Annotated[bool, typer.Option("--matches", help="List matches instead of tournaments.")] = False,
    tournament: Annotated[str | None, typer.Option(help="Only matches of this tournament: its number or name.")] = None,
    bot: Annotated[str | None, typer.Option(help="Only matches of this bot.")] = None,
    bracket: Annotated[str | None, typer.Option(help="Only matches of this bracket.")] = None,
    faults: Annotated[bool, typer.Option("--faults", help="Only matches that a bot forfeited.")] = False,
    lines: Annotated[int, typer.Option("--lines", "-n", min=1, help="Number of rows, the latest first.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List tournaments, or matches with --matches or an option that selects matches.

    Example: arena history --bot my_bot --faults
    """
    with location.open() as arena:
        if matches or tournament or bot or bracket or faults:
            found = arena.matches(tournament=tournament, bot=bot, bracket=bracket, only_faults=faults, limit=lines)
            if as_json:
                out.print_json(data=[each.to_dict() for each in found])
            else:
                _print_matches(found)
        else:
            tournaments = arena.tournaments(lines)
            if as_json:
                out.print_json(data=[asdict(each) for each in tournaments])
            else:
                _print_tournaments(tournaments)


def _print_tournaments(rows: Sequence[TournamentSummary]) -> None:
    if not rows:
        out.print("No tournament has been played yet. Run [bold]arena tournament[/].")
        return
    cells = []
    for row in rows:
        own_name = "" if row.name == f"tournament {row.tournament}" else f"{shown(row.name)}: "
        played = f"{shown(row.format)}{'' if row.rated else ' (unrated)'}, {shown(', '.join(row.brackets))}"
        state = "over" if row.state == "done" else "[yellow]interrupted[/]"
        began = shown(row.began[5:16])
        cells.append((str(row.tournament), own_name + played, str(row.bots), f"{row.matches:,}", began, state))
    headings = ("no.", "tournament", "bots", "matches", "began (UTC)", "state")
    print_table(headings, cells, numbers=("no.", "bots", "matches"), whole=("began (UTC)", "state"))
    for row in rows:
        if row.rated and row.state == "running":
            number = row.tournament
            out.print(f"Resume number {number} with [bold]arena tournament --resume {number}[/]")


def _print_matches(rows: Sequence[MatchSummary]) -> None:
    if not rows:
        out.print("No such match in the store.")
        return
    cells = []
    for row in rows:
        seats = sorted(row.seats, key=lambda seat: seat.placement)
        places = ", ".join(f"{seat.placement}. {shown(seat.bot)}" for seat in seats)
        faults = [f"[bold red]{shown(seat.bot)}: {shown(seat.fault)}[/]" for seat in row.seats if seat.fault]
        cells.append((shown(row.match), shown(row.round), places, "; ".join(faults)))
    print_table(("match", "round", "places", "faults"), cells, whole=("match",))
    out.print("Show one with [bold]arena replay show MATCH[/].")
