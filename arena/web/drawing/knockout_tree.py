"""The tree of a knockout as SVG: a column for each round, and lines from each table to the one that it leads to.

Who goes on has a tick and is bold, so that it does not hang on colour. Names are cut where there is no room, with the
whole name in a title. A large tree begins with the first round that can be read on a page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from arena.reports.words import cut, percent
from arena.tournament.formats.elimination import DecidedBy, KnockoutPairing, KnockoutRound, Part
from arena.tournament.retrace import UnderWay
from arena.web.drawing.svg import Markup, joined, number, tag

ROW, PADDING = 22.0, 5.0
WIDTH, GAP = 214.0, 34.0
"""Of a table, and between two of them."""
ABOVE = 30.0
"""Room for the rounds' titles."""
BETWEEN = 14.0
"""Between two tables of a round."""
LONGEST = 18
"""Letters of a name."""
MOST_TABLES = 32
"""Rounds with more tables than this are left out: nobody can read them."""
HOW = {DecidedBy.TIE_BREAK: "after more deals", DecidedBy.LOT: "by lot", DecidedBy.BYE: "bye"}


@dataclass(slots=True)
class Box:
    """A table on the drawing."""

    table: KnockoutPairing
    under_way: UnderWay | None
    is_last: bool
    """Whether who goes on from here is the champion."""
    top: float = 0.0
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.table.decision in HOW:
            self.notes.append(HOW[self.table.decision])
        if self.under_way:
            counted = f"{self.under_way.deals_counted} of {self.under_way.deals} deals"
            again = "more deals, because they are tied: " if self.table.points else ""
            self.notes.append(f"{again}{counted}")

    @property
    def height(self) -> float:
        return ROW * (len(self.table.entrants) + len(self.notes)) + 2 * PADDING

    @property
    def middle(self) -> float:
        return self.top + self.height / 2


@dataclass(frozen=True, slots=True)
class Drawing:
    """A tree as it is shown."""

    markup: Markup
    left_out: int
    """So many rounds at the beginning are not drawn."""


def draw_tree(
    rounds: Sequence[KnockoutRound],
    labels: Sequence[str],
    under_way: Mapping[frozenset[int], UnderWay],
    champion: int | None,
) -> Drawing:
    """The tree. The labels are those of the entrants, by number."""
    double = any(each.part is Part.UPPER for each in rounds)
    parts = ((Part.UPPER,), (Part.LOWER,), (Part.FINAL,)) if double else ((Part.MAIN, Part.FINAL),)
    drawings: list[str] = []
    left_out = 0
    for names in parts:
        ours = [each for each in rounds if each.part in names]
        readable = next((place for place, each in enumerate(ours) if len(each.tables) <= MOST_TABLES), len(ours))
        left_out += readable
        if ours[readable:]:
            drawings.append(_draw(ours[readable:], labels, under_way, champion))
    return Drawing(joined(*drawings), left_out)


def _draw(
    rounds: Sequence[KnockoutRound],
    labels: Sequence[str],
    under_way: Mapping[frozenset[int], UnderWay],
    champion: int | None,
) -> Markup:
    columns = []
    for each in rounds:
        is_open = [table.decision is DecidedBy.OPEN for table in each.tables]
        columns.append(
            [
                Box(
                    table,
                    _under_way(table, under_way) if still else None,
                    is_last=champion is not None and table.advanced == (champion,) and each.part is Part.FINAL,
                )
                for table, still in zip(each.tables, is_open, strict=True)
            ]
        )
    _place(columns)
    width = len(columns) * WIDTH + (len(columns) - 1) * GAP
    height = max(box.top + box.height for column in columns for box in column) + 2
    lines = [_line(feeder, box, place) for place in range(1, len(columns)) for feeder, box in _links(columns, place)]
    titles = [tag("text", each.title, x=_left(place) + 2, y=16, class_="title") for place, each in enumerate(rounds)]
    boxes = [_box(box, _left(place), labels) for place, column in enumerate(columns) for box in column]
    return tag(
        "svg",
        tag("title", f"The tree, from {rounds[0].title} to {rounds[-1].title}"),
        *lines,
        *titles,
        *boxes,
        viewBox=f"0 0 {number(width)} {number(height)}",
        class_="tree",
        style=f"--width:{number(width / 16)}rem",
        role="group",
        aria_label=f"The tree, from {rounds[0].title} to {rounds[-1].title}",
    )


def _under_way(table: KnockoutPairing, under_way: Mapping[frozenset[int], UnderWay]) -> UnderWay | None:
    """What is played at the table: by all of it, or in a tie-break by some."""
    seated = frozenset(table.entrants)
    return next((playing for who, playing in under_way.items() if who <= seated), None)


def _left(place: int) -> float:
    return place * (WIDTH + GAP) + 1


def _place(columns: Sequence[Sequence[Box]]) -> None:
    """Each table stands beside the middle of those that lead to it, and below the one before."""
    for place, column in enumerate(columns):
        free = ABOVE
        for box in column:
            wanted = free
            if feeders := [feeder for feeder, fed in _links(columns, place) if fed is box] if place else []:
                wanted = (feeders[0].middle + feeders[-1].middle - box.height) / 2
            box.top = max(free, wanted)
            free = box.top + box.height + BETWEEN


def _links(columns: Sequence[Sequence[Box]], place: int) -> list[tuple[Box, Box]]:
    """From which table of the round before somebody came to which table of this one."""
    seat_of = {entrant: box for box in columns[place] for entrant in box.table.entrants}
    links = []
    for feeder in columns[place - 1]:
        fed = {id(seat_of[entrant]): seat_of[entrant] for entrant in feeder.table.advanced if entrant in seat_of}
        links += [(feeder, box) for box in fed.values()]
    return links


def _line(feeder: Box, box: Box, place: int) -> Markup:
    start, end = _left(place - 1) + WIDTH, _left(place)
    turn = (start + end) / 2
    path = f"M{number(start)} {number(feeder.middle)}H{number(turn)}V{number(box.middle)}H{number(end)}"
    return tag("path", d=path, class_="way")


def _box(box: Box, left: float, labels: Sequence[str]) -> Markup:
    table = box.table
    points = dict(zip(table.entrants, table.points, strict=False))
    if box.under_way and not points:
        points = box.under_way.points
    rows = []
    order = sorted(table.entrants, key=lambda entrant: -points.get(entrant, 0.0)) if box.under_way else table.entrants
    for place, entrant in enumerate(order):
        goes_on = entrant in table.advanced
        base = box.top + PADDING + ROW * place + 16
        mark = ("★" if box.is_last else "✓") if goes_on else ""
        said = "" if table.decision is DecidedBy.OPEN else ", goes on" if goes_on else ", is beaten"
        if box.is_last and goes_on:
            said = ", the champion"
        share = percent(points[entrant]) if entrant in points else ""
        rows.append(
            tag(
                "g",
                tag("title", f"{labels[entrant]}{f', {share} of the points' if share else ''}{said}"),
                tag("text", mark, x=left + 8, y=base, class_="mark", aria_hidden="true"),
                tag("text", cut(labels[entrant], LONGEST), x=left + 26, y=base, class_="name"),
                tag("text", share, x=left + WIDTH - 10, y=base, class_="share", text_anchor="end"),
                class_="on" if goes_on else "open" if table.decision is DecidedBy.OPEN else "out",
            )
        )
    for place, note in enumerate(box.notes, start=len(order)):
        rows.append(tag("text", note, x=left + 26, y=box.top + PADDING + ROW * place + 15, class_="how"))
    state = "now" if box.under_way else "open" if table.decision is DecidedBy.OPEN else "decided"
    frame = tag("rect", x=left, y=box.top, width=WIDTH, height=box.height, rx=6)
    return tag("g", frame, *rows, class_=f"table {state}")
