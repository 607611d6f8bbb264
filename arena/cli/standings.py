"""What is printed before a tournament begins, and when it is over."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from arena.cli.boards import render
from arena.cli.console import harmless, out, shown
from arena.cli.progress import Display
from arena.cli.trees import render_tree
from arena.reports.build import build_boards
from arena.reports.words import duration
from arena.store.store import Store
from arena.store.tournaments import TournamentRecord
from arena.tournament.conductor import Conductor
from arena.tournament.estimate import Forecast
from arena.tournament.event import Event
from arena.tournament.formats import Knockout, Swiss


def print_outcome(store: Store, record: TournamentRecord, conductor: Conductor, display: Display) -> None:
    """The leaderboard of the tournament, the tree of a knockout, and what went wrong."""
    out.print(f"[bold]{shown(record.name)}[/] ({record.format}): {record.played:,} matches.", highlight=False)
    labels = [conductor.versions[version].label for version in record.entrants]
    for name, course in conductor.courses.items():
        if isinstance(course.format, Knockout):
            out.print(Text(name, style="bold"))
            names = [labels[entrant] for entrant in course.field]
            out.print(render_tree(course.format.tree, names))
            if (champion := course.format.champion) is not None:
                out.print(Text(f"Won by {harmless(names[champion])}.", style="bold green"))
            out.print("✓ goes on; the percentage is the share of the points at the table.", style="dim")
        elif isinstance(course.format, Swiss):
            order = course.format.ranking()[:5]
            best = ", ".join(f"{rank}. {labels[course.field[number]]}" for rank, number in enumerate(order, start=1))
            out.print(Text(f"{name}, by Swiss points: {harmless(best)}"))
    for board in build_boards(store, (), record.id):
        out.print(render(board))
    if display.spoiled:
        matches = "1 match was" if display.spoiled == 1 else f"{display.spoiled} matches were"
        trouble = harmless(display.progress.last_trouble)
        out.print(f"{matches} spoiled by the host and played again: {trouble}", style="yellow", markup=False)
    reasons = store.archive.fault_reasons(record.id)
    for label, kind, detail, count in reasons[:5]:
        times = "once" if count == 1 else f"{count} times"
        out.print(Text.assemble(("forfeit ", "bold red"), f"{harmless(label)}, {times}, {kind}: {harmless(detail)}"))
    if reasons:
        out.print("What a bot has printed: [bold]arena log NAME[/].", highlight=False)
    out.print(
        "More: [bold]arena web[/] (in the browser), [bold]arena leaderboard[/], [bold]arena history[/], "
        "[bold]arena replay show[/]",
        highlight=False,
    )


def print_forecast(forecasts: Sequence[Forecast], event: Event, jobs: int) -> None:
    """The schedule as far as it is known, and how long it takes."""
    for each in forecasts:
        tables = "" if each.pairings is None else f", {each.pairings:,} meetings"
        matches = "" if each.matches is None else f", {each.matches:,} matches"
        out.print(
            f"[bold]{each.bracket}[/]: {event.format}, {each.bots} bots, {each.seats} at a table{tables}{matches}",
            highlight=False,
        )
        if each.seconds is not None:
            sure = "from what the bots have shown before" if each.known else "a guess: not all bots were seen before"
            out.print(f"  about {duration(each.seconds)} with {jobs} jobs, {sure}", highlight=False)
        elif event.seconds is not None:
            out.print(f"  for {duration(event.seconds / len(forecasts))}", highlight=False)
        else:
            out.print("  how long it takes depends on the results", highlight=False)
        for number, table in enumerate(each.first_tables, start=1):
            out.print(f"  table {number}: {harmless(', '.join(table))}", markup=False, highlight=False)
        if each.pairings is not None and each.pairings > len(each.first_tables):
            out.print("  …")
