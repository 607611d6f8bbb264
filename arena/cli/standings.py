"""What is printed before a tournament starts, and when it is over."""

from __future__ import annotations

from rich.text import Text

from arena.cli.boards import render
from arena.cli.console import harmless, out, shown
from arena.cli.trees import KnockoutTree
from arena.reports.words import duration
from arena.tournament.outcome import TournamentForecast, TournamentResult


def print_outcome(result: TournamentResult) -> None:
    """Print the leaderboard of the tournament, the tree of a knockout, and what went wrong."""
    out.print(f"[bold]{shown(result.name)}[/] ({result.format}): {result.matches:,} matches.", highlight=False)
    for bracket in result.brackets:
        if bracket.rounds:
            out.print(Text(bracket.bracket, style="bold"))
            out.print(KnockoutTree(bracket.rounds, bracket.entrants))
            if bracket.champion is not None:
                out.print(Text(f"Won by {harmless(bracket.champion)}.", style="bold green"))
            out.print("✓ advances; the percentage is the share of the points in the match-up.", style="dim")
        elif bracket.ranking:
            best = ", ".join(f"{rank}. {name}" for rank, name in enumerate(bracket.ranking[:5], start=1))
            out.print(Text(f"{bracket.bracket}, by Swiss points: {harmless(best)}"))
    for board in result.boards:
        out.print(render(board))
    if result.replayed:
        matches = "1 match was" if result.replayed == 1 else f"{result.replayed} matches were"
        out.print(
            f"{matches} played again because of a fault of the host: {harmless(result.last_host_fault)}",
            style="yellow",
            markup=False,
        )
    for each in result.forfeits[:5]:
        times = "once" if each.count == 1 else f"{each.count} times"
        what = f"{harmless(each.bot)}, {times}, {each.kind}: {harmless(each.detail)}"
        out.print(Text.assemble(("forfeit ", "bold red"), what))
    if result.forfeits:
        out.print("What a bot has printed: [bold]arena log NAME[/].", highlight=False)
    out.print(
        "More: [bold]arena web[/] (in the browser), [bold]arena leaderboard[/], [bold]arena history[/], "
        "[bold]arena replay show[/]",
        highlight=False,
    )


def print_forecast(forecast: TournamentForecast) -> None:
    """Print the schedule as far as it is known, and how long it takes."""
    for each in forecast.brackets:
        tables = "" if each.pairings is None else f", {each.pairings:,} meetings"
        matches = "" if each.matches is None else f", {each.matches:,} matches"
        out.print(
            f"[bold]{each.bracket}[/]: {forecast.format}, {each.bots} bots, {each.seats} at a table{tables}{matches}",
            highlight=False,
        )
        if each.seconds is not None:
            sure = "from what the bots have shown before" if each.known else "a guess: not all bots were seen before"
            out.print(f"  about {duration(each.seconds)} with {forecast.jobs} jobs, {sure}", highlight=False)
        elif forecast.seconds is not None:
            out.print(f"  for {duration(forecast.seconds)}", highlight=False)
        else:
            out.print("  how long it takes depends on the results", highlight=False)
        for number, table in enumerate(each.first_tables, start=1):
            out.print(f"  table {number}: {harmless(', '.join(table))}", markup=False, highlight=False)
        if each.pairings is not None and each.pairings > len(each.first_tables):
            out.print("  …")
