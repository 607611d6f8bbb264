"""A knockout tree as SVG.

Who advances has a tick and is bold, so that colour is not needed. Long names are shortened; the title has the full
name. A large tree starts with the first round that is readable on a page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from arena.reports.words import cut, percent
from arena.tournament.formats.elimination import KnockoutRound
from arena.tournament.knockout_tree import Spacing, TreeBox, TreeColumn, TreeLine, tree_layouts
from arena.tournament.retrace import UnderWay
from arena.web.drawing.svg import joined, number, tag

SPACING = Spacing(line=22.0, padding=5.0, gap=14.0, whole=False)
BOX_WIDTH, COLUMN_WIDTH = 214.0, 248.0
TITLE_HEIGHT = 30.0
MAX_BOXES = 32
"""Rounds with more meetings are left out: they would not be readable."""


@dataclass(frozen=True, slots=True)
class TreeDrawing:
    """The SVG of a knockout."""

    markup: Markup
    omitted_rounds: int
    """How many rounds at the beginning are not drawn."""


def draw_tree(
    rounds: Sequence[KnockoutRound],
    labels: Sequence[str],
    under_way: Mapping[frozenset[int], UnderWay],
    champion: int | None,
) -> TreeDrawing:
    """Draw the tree. `labels`: the names of the entrants, by number."""
    readable = [each for each in rounds if len(each.tables) <= MAX_BOXES]
    trees = tree_layouts(readable, labels, under_way, champion, SPACING)
    return TreeDrawing(joined(*map(_draw, trees)), len(rounds) - len(readable))


def _draw(columns: Sequence[TreeColumn]) -> Markup:
    width = (len(columns) - 1) * COLUMN_WIDTH + BOX_WIDTH + 2
    height = TITLE_HEIGHT + max(box.top + box.height for column in columns for box in column.boxes) + 2
    title = f"The tree, from {columns[0].title} to {columns[-1].title}"
    parts = [tag("title", title)]
    lefts = [place * COLUMN_WIDTH + 1 for place in range(len(columns))]
    for left, column in zip(lefts, columns, strict=True):
        parts += [_connection(feeder, box, left) for box in column.boxes for feeder in box.feeders]
    for left, column in zip(lefts, columns, strict=True):
        parts.append(tag("text", column.title, x=left + 2, y=16, class_="title"))
        parts += [_box(box, left) for box in column.boxes]
    return tag(
        "svg",
        *parts,
        viewBox=f"0 0 {number(width)} {number(height)}",
        class_="tree",
        style=f"--width:{number(width / 16)}rem",
        role="group",
        aria_label=title,
    )


def _connection(feeder: TreeBox, box: TreeBox, left: float) -> Markup:
    start = left - COLUMN_WIDTH + BOX_WIDTH
    levels = number(TITLE_HEIGHT + feeder.middle), number(TITLE_HEIGHT + box.middle)
    path = f"M{number(start)} {levels[0]}H{number((start + left) / 2)}V{levels[1]}H{number(left)}"
    return tag("path", d=path, class_="way")


def _box(box: TreeBox, left: float) -> Markup:
    top = TITLE_HEIGHT + box.top
    baseline = top + SPACING.padding + 16
    rows = [_line(line, box.state, left, baseline + SPACING.line * place) for place, line in enumerate(box.lines)]
    for place, note in enumerate(box.notes, start=len(box.lines)):
        rows.append(tag("text", note, x=left + 26, y=baseline + SPACING.line * place - 1, class_="how"))
    frame = tag("rect", x=left, y=top, width=BOX_WIDTH, height=box.height, rx=6)
    return tag("g", frame, *rows, class_=f"table {box.state}")


def _line(line: TreeLine, state: str, left: float, y: float) -> Markup:
    share = "" if line.points is None else percent(line.points)
    title = f"{line.label}, {share} of the points" if share else line.label
    if state == "decided":
        title += ", champion" if line.is_champion else ", advances" if line.advances else ", is eliminated here"
    return tag(
        "g",
        tag("title", title),
        tag("text", line.mark, x=left + 8, y=y, class_="mark", aria_hidden="true"),
        tag("text", cut(line.label, 18), x=left + 26, y=y, class_="name"),
        tag("text", share, x=left + BOX_WIDTH - 10, y=y, class_="share", text_anchor="end"),
        class_="on" if line.advances else "out" if state == "decided" else "open",
    )
