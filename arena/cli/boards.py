"""Leaderboards in the terminal. A table drops its least important columns until it fits; no cell is wrapped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, JustifyMethod, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from arena.rating.standings import Meetings
from arena.reports import words
from arena.reports.board import Board, BoardRow, OverallBoard, Strength
from arena.reports.words import NOT_SEPARATED, NOTHING, SIGMA_SIGN

GAP = 2
SHADES = " ░▒▓█"


@dataclass(frozen=True, slots=True)
class Form:
    """One way to write a column."""

    heading: str
    cells: Sequence[Text]

    @property
    def width(self) -> int:
        return max([cell_len(self.heading), *(cell.cell_len for cell in self.cells)])


@dataclass(frozen=True, slots=True)
class Column:
    """A column and its shorter forms."""

    meaning: str
    forms: Sequence[Form]
    yields: Sequence[int] = ()
    """The priority of each step to the next form, and finally to none: columns with low numbers shrink first."""
    justify: JustifyMethod = "right"


@dataclass(frozen=True, slots=True)
class Fitted:
    """A table that shows as many columns as fit, and names those that it leaves out."""

    columns: Sequence[Column]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = Table(box=box.SIMPLE_HEAD, padding=(0, GAP - 1, 0, 0), pad_edge=False, show_edge=False)
        forms, hidden = [], []
        for column, stage in zip(self.columns, self._fit(options.max_width), strict=True):
            if stage < len(column.forms):
                form = column.forms[stage]
                forms.append(form)
                table.add_column(Text(form.heading), justify=column.justify, no_wrap=True, overflow="ellipsis")
            else:
                hidden.append(column.meaning)
        for cells in zip(*(form.cells for form in forms), strict=True):
            table.add_row(*cells)
        yield table
        if hidden:
            yield Text(f"\nNot shown for want of room: {', '.join(hidden)}.", style="dim", end="")

    def _fit(self, width: int) -> list[int]:
        """Return the form of each column that is shown; one past the last: none."""
        stages = [len(column.yields) for column in self.columns]  # the shortest forms
        full: set[int] = set()
        steps = sorted((when, index) for index, column in enumerate(self.columns) for when in column.yields)
        for _, index in reversed(steps):
            stages[index] -= 1
            if index in full or self._width(stages) > width:
                stages[index] += 1
                full.add(index)  # a longer form of this column does not fit either
        return stages

    def _width(self, stages: Sequence[int]) -> int:
        pairs = zip(self.columns, stages, strict=True)
        widths = [column.forms[stage].width for column, stage in pairs if stage < len(column.forms)]
        return sum(widths) + GAP * (len(widths) - 1)


def render(board: Board) -> RenderableType:
    """Return the board of a bracket."""
    title = _title(board.bracket, words.heading(board))
    if not board.rows:
        return Group(title, Text(words.verdict(board)))
    return Group(title, "", Fitted(_columns(board.rows)), *_legend(board))


def _title(bracket: str, rest: str) -> Text:
    return Text.assemble((words.harmless(bracket), "bold"), f": {rest}")


def _legend(board: Board) -> Iterable[Text]:
    yield Text("")
    if any(row.separated is False for row in board.rows):
        yield Text(f"{NOT_SEPARATED}  statistically tied with the next bot (95 %).")
    said = [f"Rating: μ - 3{SIGMA_SIGN}."]
    if any(row.strength for row in board.rows):
        said.append("Strength: Elo points from all results, regardless of their order, with the 95 % interval.")
    if any(row.history for row in board.rows):
        said.append("History: μ over a bot's matches, one scale for all.")
    yield Text(" ".join(said), style="dim")


def _columns(rows: Sequence[BoardRow]) -> list[Column]:
    columns = [
        Column("rank", [Form("#", _ranks(rows))]),
        _names([row.bot for row in rows]),
        _column("version", (row.version for row in rows), 16, "left"),
        _column("language", (row.language for row in rows), 3, "left"),
        _ratings([row.conservative for row in rows]),
        _column(f"μ ± {SIGMA_SIGN}", (words.spread(row.mu, row.sigma) for row in rows), 11),
    ]
    if any(row.strength for row in rows):
        columns.append(_strengths([row.strength for row in rows]))
    columns += [
        _column("matches", (f"{row.matches:,}" for row in rows), 12),
        _column("wins", (words.percent(row.win_share) for row in rows), 18),
        _column("place", (words.placement(row) for row in rows), 10, meaning="mean place"),
        _column("ms/move", (words.milliseconds(row.think_ms) for row in rows), 9),
    ]
    if any(any(row.faults.values()) for row in rows):
        forms = (words.faults, words.faults_in_short, words.faults_in_all)
        texts = [Form("faults", [_red(form(row.faults)) for row in rows]) for form in forms]
        columns.append(Column("faults", texts, (2, 6, 15), "left"))
    if any(row.history for row in rows):
        columns.append(_histories(rows))
    return columns


def _ranks(rows: Sequence[BoardRow]) -> list[Text]:
    """Return the ranks, padded where they have no mark."""
    if all(row.separated is not False for row in rows):
        return [Text(str(row.rank)) for row in rows]
    marks = [" " if row.separated is not False else NOT_SEPARATED for row in rows]
    return [Text.assemble(f"{row.rank} ", (mark, "bold yellow")) for row, mark in zip(rows, marks, strict=True)]


def _ratings(values: Iterable[float]) -> Column:
    return Column("rating", [Form("rating", [Text(words.rating(value), "bold") for value in values])])


def _strengths(fits: Sequence[Strength | None]) -> Column:
    strengths = [words.elo(fit.elo) if fit else NOTHING for fit in fits]
    intervals = [words.interval(fit) if fit else "" for fit in fits]
    wide = max(map(len, intervals))
    both = [f"{strength}  {interval:>{wide}}" for strength, interval in zip(strengths, intervals, strict=True)]
    forms = [
        ("strength (95 %)", both),
        ("strength (95 %)", [interval or NOTHING for interval in intervals]),
        ("strength", strengths),
    ]
    return Column("strength", [Form(heading, list(map(Text, texts))) for heading, texts in forms], (13, 14, 17))


def _histories(rows: Sequence[BoardRow]) -> Column:
    low, high = words.history_range(rows)
    forms = [[Text(words.sparkline(row, low, high, width), "cyan") for row in rows] for width in (20, 12, 8)]
    return Column("history", [Form("history", form) for form in forms], (1, 4, 19), "left")


def _column(
    heading: str, texts: Iterable[str], yields: int, justify: JustifyMethod = "right", meaning: str = ""
) -> Column:
    cells = [Text(words.cut(words.harmless(text), 18)) for text in texts]
    return Column(meaning or heading, [Form(heading, cells)], (yields,), justify)


def _names(names: Iterable[str]) -> Column:
    harmless = [words.harmless(name) for name in names]
    forms = [Form("bot", [Text(words.cut(name, longest)) for name in harmless]) for longest in (32, 20, 14)]
    return Column("bot", forms, (5, 8), "left")


def _red(text: str) -> Text:
    return Text(text, "" if text == NOTHING else "bold red")


def render_head_to_head(board: Board) -> RenderableType:
    """Return the matrix of how often the row's bot was placed before the column's."""
    if len(board.rows) < 2:
        return Text("Only one bot: no head-to-head results.")
    return Group(
        _title(board.bracket, "how often the row's bot was placed before the column's, in %, ties half"),
        "",
        Matrix(board),
    )


@dataclass(frozen=True, slots=True)
class Matrix:
    """A head-to-head matrix with as many columns as fit."""

    board: Board

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        rows = self.board.rows
        longest = 20 if options.max_width >= 60 else 12
        names = [Text(words.cut(label, longest)) for label in words.labels(rows)]
        used = len(str(len(rows))) + GAP + max(name.cell_len for name in names)
        most = max(1, (options.max_width - used) // (4 + 1 + 1))
        table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
        table.add_column("", justify="right", no_wrap=True)
        table.add_column("bot", no_wrap=True, overflow="ellipsis")
        for index in range(min(most, len(rows))):
            table.add_column(f"{index + 1} ", justify="right", no_wrap=True, min_width=4)
        for index, (name, line) in enumerate(zip(names, self.board.head_to_head, strict=True), 1):
            table.add_row(str(index), name, *map(_meeting, line[:most]))
        yield table
        if most < len(rows):
            yield Text(f"\nThe first {most} of {len(rows)} columns; a wider terminal shows more.", style="dim", end="")
        yield Text(
            f"\n{SHADES[1]} from 20 %, {SHADES[2]} from 40, {SHADES[3]} from 60, {SHADES[4]} from 80.", style="dim"
        )


def _meeting(meeting: Meetings | None) -> Text:
    if meeting is None:
        return Text("\\ ", "dim")
    if meeting.share is None:
        return Text("· ", "dim")
    percent = round(100 * meeting.share)
    shade = SHADES[min(int(meeting.share * len(SHADES)), len(SHADES) - 1)]
    return Text.assemble((str(percent), "bold" if meeting.share > 0.5 else ""), (shade, "blue"))


def render_overall(overall: OverallBoard) -> RenderableType:
    """Return the board across brackets."""
    rows = overall.rows
    if not rows:
        return _title("overall", "nothing has been played yet")
    names = list(map(words.harmless, overall.brackets))
    title = _title("overall", f"{words.counted(len(rows), 'bot', 'bots')} in {', '.join(names)}")
    columns = [
        Column("rank", [Form("#", [Text(str(row.rank)) for row in rows])]),
        _names([row.bot for row in rows]),
        _column("version", (row.version for row in rows), 2, "left"),
        _ratings([row.conservative for row in rows]),
        _column("brackets", (words.brackets_played(row, overall) for row in rows), 4),
    ]
    for number, (bracket, name) in enumerate(zip(overall.brackets, names, strict=True)):
        ratings = (words.rating(row.by_bracket[bracket]) if bracket in row.by_bracket else NOTHING for row in rows)
        # The last brackets go first, all of them after everything else.
        columns.append(_column(name, ratings, 1000 - number))
    columns.append(_column("matches", (f"{row.matches:,}" for row in rows), 3))
    legend = f"Rating: the mean over the brackets that a bot has played, each standardised, minus 3{SIGMA_SIGN}."
    return Group(title, "", Fitted(columns), Text(""), Text(legend, style="dim"))
