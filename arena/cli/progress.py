"""The progress of a tournament on standard error: a live picture on a terminal, else one line now and then."""

from __future__ import annotations

import time
from typing import Self

from rich.console import Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arena.cli.console import err, harmless, print_note
from arena.events import Note
from arena.reports.words import duration
from arena.tournament.outcome import TournamentEvent, TournamentProgress, TournamentStarted

SECONDS_BETWEEN_LINES = 10.0
"""Where the output is not a terminal."""
MAX_WORKERS_SHOWN = 16


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
        bar: RenderableType = Text("")
        if progress.total:
            bar = ProgressBar(total=progress.total, completed=min(progress.matches, progress.total), width=60)
        elif progress.time_limit:
            bar = ProgressBar(total=progress.time_limit, completed=min(progress.elapsed, progress.time_limit), width=60)
        line = Table.grid()
        line.add_row(bar)  # a bar by itself does not end its line
        table = Table.grid(padding=(0, 2))
        if progress.leaders:
            table.add_row(
                "", Text("best five", style="dim"), Text("rating", style="dim"), Text("mu ± sigma", style="dim")
            )
        for rank, leader in enumerate(progress.leaders, start=1):
            rating = f"{leader.mu:.2f} ± {leader.sigma:.2f}"
            table.add_row(f"{rank}", Text(harmless(leader.bot)), f"{leader.rating:6.2f}", rating)
        if progress.workers:
            table.add_row("", Text("workers", style="dim"), Text("matches/s", style="dim"))
        for pace in progress.workers[:MAX_WORKERS_SHOWN]:
            table.add_row("", Text(harmless(pace.worker)), f"{pace.matches_per_second:,.0f}")
        if others := progress.workers[MAX_WORKERS_SHOWN:]:
            speed = sum(pace.matches_per_second for pace in others)
            table.add_row("", Text(f"{len(others)} others"), f"{speed:,.0f}")
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
