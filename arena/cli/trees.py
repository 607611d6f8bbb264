"""The tree of a knockout, drawn: a column for each round, and lines from each table to the one it leads to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from arena.cli.console import harmless
from arena.tournament.formats.elimination import DecidedBy, KnockoutPairing, KnockoutRound, Part

GAP = 4
"""Columns between two rounds, for the lines."""
LEFT, RIGHT, UP, DOWN = 1, 2, 4, 8
LINES = {
    LEFT | RIGHT: "─",
    UP | DOWN: "│",
    LEFT | DOWN: "┐",
    LEFT | UP: "┘",
    RIGHT | DOWN: "┌",
    RIGHT | UP: "└",
    LEFT | UP | DOWN: "┤",
    RIGHT | UP | DOWN: "├",
    LEFT | RIGHT | UP: "┴",
    LEFT | RIGHT | DOWN: "┬",
    LEFT | RIGHT | UP | DOWN: "┼",
}
HOW = {DecidedBy.TIE_BREAK: "after more deals", DecidedBy.LOT: "by lot", DecidedBy.BYE: "bye"}


@dataclass(slots=True)
class Box:
    """A table of the tree on the drawing."""

    table: KnockoutPairing
    lines: list[Text]
    top: int = 0

    @property
    def middle(self) -> int:
        return self.top + (len(self.lines) - 1) // 2


@dataclass(slots=True)
class Tree:
    """A knockout as it is drawn; where the terminal is too narrow for that, its rounds one below the other."""

    rounds: Sequence[KnockoutRound]
    labels: Sequence[str]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        double = any(each.part is Part.UPPER for each in self.rounds)
        drawings = ((Part.UPPER,), (Part.LOWER,), (Part.FINAL,)) if double else ((Part.MAIN, Part.FINAL),)
        for parts in drawings:
            if rounds := [each for each in self.rounds if each.part in parts]:
                yield from self._draw(rounds, options.max_width)

    def _draw(self, rounds: Sequence[KnockoutRound], width: int) -> RenderResult:
        columns = [[Box(table, self._lines(table)) for table in each.tables] for each in rounds]
        widths = [
            max([len(each.title)] + [line.cell_len for box in column for line in box.lines])
            for each, column in zip(rounds, columns, strict=True)
        ]
        if sum(widths) + GAP * (len(widths) - 1) > width:
            for each, column in zip(rounds, columns, strict=True):
                yield Text(each.title, style="bold")
                for box in column:
                    yield from box.lines
                    yield Text("")
            return
        _place(columns)
        yield from _paint([each.title for each in rounds], columns, widths)

    def _lines(self, table: KnockoutPairing) -> list[Text]:
        points = dict(zip(table.entrants, table.points, strict=False))
        lines = []
        for entrant in table.entrants:
            goes_on = entrant in table.advanced
            share = f" {points[entrant]:.0%}" if entrant in points else ""
            mark = "✓ " if goes_on else "  "
            lines.append(Text(f"{mark}{harmless(self.labels[entrant])}{share}", style="bold" if goes_on else "dim"))
        if table.decision in HOW:
            lines.append(Text(f"  {HOW[table.decision]}", style="italic"))
        return lines


def _place(columns: Sequence[Sequence[Box]]) -> None:
    """Says at which line each box begins: beside the middle of the tables that lead to it, and below the one before."""
    for number, column in enumerate(columns):
        free = 0
        for box in column:
            feeders = _feeders(columns[number - 1], box) if number else []
            wanted = 0
            if feeders:
                middle = (feeders[0].middle + feeders[-1].middle) // 2
                wanted = middle - (len(box.lines) - 1) // 2
            box.top = max(free, wanted)
            free = box.top + len(box.lines) + 1


def _feeders(before: Sequence[Box], box: Box) -> list[Box]:
    """The tables of the round before from which somebody came."""
    return [each for each in before if set(each.table.advanced) & set(box.table.entrants)]


def _paint(titles: Sequence[str], columns: Sequence[Sequence[Box]], widths: Sequence[int]) -> RenderResult:
    height = max(box.top + len(box.lines) for column in columns for box in column)
    starts = [sum(widths[:number]) + GAP * number for number in range(len(widths))]
    strokes: list[dict[int, int]] = [{} for _ in range(height)]
    for number in range(1, len(columns)):
        turn = starts[number] - GAP // 2
        for box in columns[number]:
            for feeder in _feeders(columns[number - 1], box):
                end = starts[number - 1] + feeder.lines[feeder.middle - feeder.top].cell_len
                _connect(strokes, end + 1, feeder.middle, turn, box.middle, starts[number] - 1)
    yield Text("".join(title.ljust(width + GAP) for title, width in zip(titles, widths, strict=True)), style="bold")
    cells = [{column: LINES.get(stroke, "─") for column, stroke in row.items()} for row in strokes]
    for line in range(height):
        row = Text()
        for start, column in zip(starts, columns, strict=True):
            _fill(row, cells[line], start)
            for box in column:
                if box.top <= line < box.top + len(box.lines):
                    row.append_text(box.lines[line - box.top])
        _fill(row, cells[line], starts[-1] + widths[-1])
        row.rstrip()
        yield row


def _fill(row: Text, cells: dict[int, str], until: int) -> None:
    """Draws the lines up to this column."""
    for column in range(row.cell_len, until):
        row.append(cells.get(column, " "), style="dim")


def _connect(strokes: list[dict[int, int]], left: int, top: int, turn: int, bottom: int, right: int) -> None:
    """A line from one table to another: to the right, up or down at the turn, and to the right again."""

    def stroke(line: int, column: int, directions: int) -> None:
        strokes[line][column] = strokes[line].get(column, 0) | directions

    for column in range(left, turn):
        stroke(top, column, LEFT | RIGHT)
    for column in range(turn + 1, right):
        stroke(bottom, column, LEFT | RIGHT)
    if top == bottom:
        stroke(top, turn, LEFT | RIGHT)
        return
    stroke(top, turn, LEFT | (DOWN if bottom > top else UP))
    for line in range(min(top, bottom) + 1, max(top, bottom)):
        stroke(line, turn, UP | DOWN)
    stroke(bottom, turn, RIGHT | (UP if bottom > top else DOWN))


def render_tree(rounds: Sequence[KnockoutRound], labels: Sequence[str]) -> Tree:
    """The tree of a knockout. The labels are those of the entrants, by number."""
    return Tree(rounds, labels)
