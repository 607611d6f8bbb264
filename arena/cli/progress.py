"""How a tournament goes, while it goes: a bar, the best five, and the faults."""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from rich.console import Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arena.cli.console import err, harmless
from arena.reports.words import duration
from arena.store.bots import BotVersion
from arena.store.tournaments import TournamentRecord
from arena.tournament.conductor import Progress

LINE_EVERY = 10.0
"""Seconds between two lines where the output is no terminal."""


MOST_WORKERS = 16
"""So many workers of a cluster are shown one by one."""


class Display:
    """Shows the progress on standard error: live on a terminal, as a line now and then elsewhere."""

    def __init__(self, record: TournamentRecord, versions: Mapping[int, BotVersion]) -> None:
        self.record = record
        self.versions = versions
        self.progress = Progress()
        self.spoiled = 0
        """Matches that the host has spoiled and that were played again."""
        self._live = Live(console=err, transient=True, auto_refresh=False, get_renderable=self._picture)
        self._last_line = time.monotonic()
        self._last_notice = ""

    def __enter__(self) -> Self:
        if err.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def show(self, progress: Progress) -> None:
        self.progress = progress
        self.spoiled = progress.spoiled
        if progress.notice != self._last_notice:
            self._last_notice = progress.notice
            err.print(Text(f"cluster: {harmless(progress.notice)}", style="dim"), highlight=False, soft_wrap=True)
        if err.is_terminal:
            self._live.refresh()
        elif time.monotonic() - self._last_line > LINE_EVERY:
            self._last_line = time.monotonic()
            err.print(self._headline(), highlight=False, soft_wrap=True)

    def _headline(self) -> Text:
        progress = self.progress
        total = f" of {progress.expected:,}" if progress.expected else ""
        parts = [
            f"{progress.bracket}: {progress.played:,}{total} matches",
            f"{progress.matches_per_second:,.0f}/s",
        ]
        if (left := self._seconds_left()) is not None:
            parts.append(f"{duration(left)} left")
        if progress.round:
            parts.append(harmless(progress.round))
        line = Text(" · ".join(parts))
        if progress.paces and not err.is_terminal:
            each = ", ".join(f"{harmless(pace.worker)} {pace.matches_per_second:,.0f}/s" for pace in progress.paces)
            line.append(f" · {each}")
        if progress.faults:
            kinds = ", ".join(f"{count} {kind}" for kind, count in progress.faults.most_common())
            line.append(f" · {progress.faults.total()} faults ({kinds})", style="bold red")
        if progress.spoiled:
            line.append(f" · {progress.spoiled} to be played again: {harmless(progress.last_trouble)}", style="yellow")
        return line

    def _seconds_left(self) -> float | None:
        progress = self.progress
        by_clock = None if progress.seconds is None else max(0.0, progress.seconds - progress.elapsed)
        if not progress.expected or progress.played <= progress.played_before:
            return by_clock
        by_count = max(0, progress.expected - progress.played) / progress.matches_per_second
        return by_count if by_clock is None else min(by_clock, by_count)

    def _picture(self) -> RenderableType:
        progress = self.progress
        if not progress.played:
            return Text(f"{progress.bracket}: starting the bots" if progress.bracket else "starting")
        bar: RenderableType = Text("")
        if progress.expected:
            bar = ProgressBar(total=progress.expected, completed=min(progress.played, progress.expected), width=60)
        elif progress.seconds:
            bar = ProgressBar(total=progress.seconds, completed=min(progress.elapsed, progress.seconds), width=60)
        line = Table.grid()
        line.add_row(bar)  # a bar by itself does not end its line
        table = Table.grid(padding=(0, 2))
        if progress.top:
            table.add_row(
                "", Text("best five", style="dim"), Text("rating", style="dim"), Text("mu ± sigma", style="dim")
            )
        for rank, (label, mu, sigma) in enumerate(progress.top, start=1):
            table.add_row(f"{rank}", Text(harmless(label)), f"{mu - 3 * sigma:6.2f}", f"{mu:.2f} ± {sigma:.2f}")
        if progress.paces:
            table.add_row("", Text("workers", style="dim"), Text("matches/s", style="dim"))
        for pace in progress.paces[:MOST_WORKERS]:
            table.add_row("", Text(harmless(pace.worker)), f"{pace.matches_per_second:,.0f}")
        if len(progress.paces) > MOST_WORKERS:
            others = progress.paces[MOST_WORKERS:]
            speed = sum(pace.matches_per_second for pace in others)
            table.add_row("", Text(f"{len(others)} others"), f"{speed:,.0f}")
        return Group(self._headline(), line, table)
