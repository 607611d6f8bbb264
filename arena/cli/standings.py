"""What is printed before a tournament starts, while it is played, and when it is over.

The progress goes to standard error: a live picture on a terminal, else one line now and then.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arena.cli.boards import render
from arena.cli.console import err, harmless, out, print_note, shown
from arena.events import Note
from arena.reports.words import duration
from arena.tournament.formats.elimination import KnockoutRound
from arena.tournament.knockout_tree import TreeBox, TreeColumn, tree_layouts
from arena.tournament.outcome import (
    TournamentEvent,
    TournamentForecast,
    TournamentProgress,
    TournamentResult,
    TournamentStarted,
)

SECONDS_BETWEEN_LINES = 10.0
"""Where the output is not a terminal."""
MAX_WORKERS_SHOWN = 16
TREE_GAP = 4
"""Columns between two rounds, for the connecting lines."""
LEFT, RIGHT, UP, DOWN = 1, 2, 4, 8
LINES = " ╴╶─╵┘└┴╷┐┌┬│┤├┼"
"""The characters by the sum of their directions."""


class Display:
    """Shows the events of a tournament."""

    def __init__(self) -> None:
        self.started: TournamentStarted | None = None
        self._progress: TournamentProgress | None = None
        self._activity = ""
        self._live = Live(console=err, transient=True, auto_refresh=False, get_renderable=self._picture)
        self._last_line = time.monotonic()

    def __enter__(self) -> Self:
        if err.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def show(self, event: TournamentEvent) -> None:
        """Show an event; the `on_progress` of `Arena.tournament`."""
        if isinstance(event, Note):
            print_note(event)
        elif isinstance(event, TournamentStarted):
            self.started = event
            if event.resumed:
                err.print(f"Resuming {harmless(event.name)}.", markup=False)
        elif isinstance(event, TournamentProgress):
            self._progress = event
        else:
            self._activity = event.text
        if err.is_terminal:
            self._live.refresh()
        elif self._progress and time.monotonic() - self._last_line > SECONDS_BETWEEN_LINES:
            self._last_line = time.monotonic()
            err.print(_headline(self._progress), soft_wrap=True)

    def _picture(self) -> RenderableType:
        progress = self._progress
        if progress is None or not progress.matches:
            bracket = f"{progress.bracket}: " if progress else ""
            return Text(harmless(self._activity) or (f"{bracket}starting the bots" if self.started else ""))
        total = progress.total or progress.time_limit
        done = progress.matches if progress.total else progress.elapsed
        line = Table.grid()  # a bar by itself does not end its line
        line.add_row(ProgressBar(total=total, completed=min(done, total), width=60) if total else "")
        table = Table.grid(padding=(0, 2))
        if progress.leaders:
            table.add_row("", "[dim]best five[/]", "[dim]rating[/]", "[dim]mu ± sigma[/]")
        for rank, leader in enumerate(progress.leaders, start=1):
            rating = f"{leader.mu:.2f} ± {leader.sigma:.2f}"
            table.add_row(f"{rank}", Text(harmless(leader.bot)), f"{leader.rating:6.2f}", rating)
        if progress.workers:
            table.add_row("", "[dim]workers[/]", "[dim]matches/s[/]")
        for pace in progress.workers[:MAX_WORKERS_SHOWN]:
            table.add_row("", Text(harmless(pace.worker)), f"{pace.matches_per_second:,.0f}")
        if others := progress.workers[MAX_WORKERS_SHOWN:]:
            speed = sum(pace.matches_per_second for pace in others)
            table.add_row("", f"{len(others)} others", f"{speed:,.0f}")
        return Group(_headline(progress), line, table)


def _headline(progress: TournamentProgress) -> Text:
    total = f" of {progress.total:,}" if progress.total else ""
    parts = [f"{progress.bracket}: {progress.matches:,}{total} matches", f"{progress.matches_per_second:,.0f}/s"]
    if progress.seconds_left is not None:
        parts.append(f"{duration(progress.seconds_left)} left")
    if progress.round:
        parts.append(harmless(progress.round))
    line = Text(" · ".join(parts))
    if progress.workers and not err.is_terminal:
        each = ", ".join(f"{harmless(pace.worker)} {pace.matches_per_second:,.0f}/s" for pace in progress.workers)
        line.append(f" · {each}")
    if progress.faults:
        kinds = ", ".join(f"{count} {kind}" for kind, count in progress.faults.items())
        line.append(f" · {sum(progress.faults.values())} faults ({kinds})", style="bold red")
    if progress.replayed:
        line.append(f" · {progress.replayed} to be played again: {harmless(progress.last_host_fault)}", style="yellow")
    return line


def print_outcome(result: TournamentResult) -> None:
    """Print the leaderboard of the tournament, the tree of a knockout, and what went wrong."""
    out.print(f"[bold]{shown(result.name)}[/] ({result.format}): {result.matches:,} matches.")
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
        out.print("What a bot has printed: [bold]arena log NAME[/].")
    out.print(
        "More: [bold]arena web[/] (in the browser), [bold]arena leaderboard[/], [bold]arena history[/], "
        "[bold]arena replay show[/]",
    )


def print_forecast(forecast: TournamentForecast) -> None:
    """Print the schedule as far as it is known, and how long it takes."""
    for each in forecast.brackets:
        tables = "" if each.pairings is None else f", {each.pairings:,} meetings"
        matches = "" if each.matches is None else f", {each.matches:,} matches"
        out.print(
            f"[bold]{each.bracket}[/]: {forecast.format}, {each.bots} bots, {each.seats} at a table{tables}{matches}",
        )
        if each.seconds is not None:
            sure = "from what the bots have shown before" if each.known else "a guess: not all bots were seen before"
            out.print(f"  about {duration(each.seconds)} with {forecast.jobs} jobs, {sure}")
        elif forecast.seconds is not None:
            out.print(f"  for {duration(forecast.seconds)}")
        else:
            out.print("  how long it takes depends on the results")
        for number, table in enumerate(each.first_pairings, start=1):
            out.print(f"  table {number}: {harmless(', '.join(table))}", markup=False)
        if each.pairings is not None and each.pairings > len(each.first_pairings):
            out.print("  …")


@dataclass(slots=True)
class KnockoutTree:
    """The rounds of a knockout side by side, or below each other where the terminal is too narrow.

    `labels`: the names of the entrants, by number.
    """

    rounds: Sequence[KnockoutRound]
    labels: Sequence[str]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for columns in tree_layouts(self.rounds, self.labels):
            widths = [
                max([len(column.title), *(line.cell_len for box in column.boxes for line in _lines(box))])
                for column in columns
            ]
            if sum(widths) + TREE_GAP * (len(widths) - 1) > options.max_width:
                yield from _list(columns)
            else:
                yield from _draw(columns, widths)


def _lines(box: TreeBox) -> list[Text]:
    lines = []
    for line in box.lines:
        share = "" if line.points is None else f" {line.points:.0%}"
        style = "bold" if line.advances else "dim"
        lines.append(Text(f"{line.mark or ' '} {harmless(line.label)}{share}", style=style))
    return lines + [Text(f"  {note}", style="italic") for note in box.notes]


def _list(columns: Sequence[TreeColumn]) -> RenderResult:
    for column in columns:
        yield Text(column.title, style="bold")
        for box in column.boxes:
            yield from _lines(box)
            yield Text("")


def _middle(box: TreeBox) -> int:
    return int(box.top) + (int(box.height) - 1) // 2


def _draw(columns: Sequence[TreeColumn], widths: Sequence[int]) -> RenderResult:
    height = max(int(box.top + box.height) for column in columns for box in column.boxes)
    starts = [sum(widths[:number]) + TREE_GAP * number for number in range(len(widths))]
    strokes: Counter[tuple[int, int]] = Counter()
    for number in range(1, len(columns)):
        turn = starts[number] - TREE_GAP // 2
        for box in columns[number].boxes:
            for feeder in box.feeders:
                middle = _middle(feeder)
                end = starts[number - 1] + _lines(feeder)[middle - int(feeder.top)].cell_len
                _connect(strokes, end + 1, middle, turn, _middle(box), starts[number] - 1)
    titles = "".join(column.title.ljust(width + TREE_GAP) for column, width in zip(columns, widths, strict=True))
    yield Text(titles, style="bold")
    for line in range(height):
        row = Text()

        def fill(until: int, row: Text = row, line: int = line) -> None:
            """Append the connecting lines up to this column."""
            row.append("".join(LINES[strokes[line, column]] for column in range(row.cell_len, until)), style="dim")

        for start, column in zip(starts, columns, strict=True):
            fill(start)
            for box in column.boxes:
                if box.top <= line < box.top + box.height:
                    row.append_text(_lines(box)[line - int(box.top)])
        fill(starts[-1] + widths[-1])
        row.rstrip()
        yield row


def _connect(strokes: Counter[tuple[int, int]], left: int, top: int, turn: int, bottom: int, right: int) -> None:
    """Draw a connection: to the right, up or down at the turn, and to the right again."""
    for column in range(left, turn):
        strokes[top, column] |= LEFT | RIGHT
    for column in range(turn + 1, right):
        strokes[bottom, column] |= LEFT | RIGHT
    strokes[top, turn] |= LEFT
    strokes[bottom, turn] |= RIGHT
    for line in range(min(top, bottom), max(top, bottom)):
        strokes[line, turn] |= DOWN
        strokes[line + 1, turn] |= UP
