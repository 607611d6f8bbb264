"""SVG without scripts: ratings, strengths, places, think times and knockout trees (templates/plots/).

A bot is identified by its marker, its dash and the label at the end of its line, not by colour alone. Each plot is
drawn for a given width in pixels, so that its text is readable on a phone and on a large screen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

from markupsafe import Markup

from arena.rating.standings import THINK_MS_BOUNDS
from arena.reports import words
from arena.reports.board import BoardRow
from arena.tournament.course import OpenPairing
from arena.tournament.formats.elimination import KnockoutRound
from arena.tournament.knockout_tree import Spacing, tree_layouts
from arena.web.drawing.svg import Axis, path, spread_out
from arena.web.templating import render

MAX_BOTS = 12
"""A plot shows at most this many bots, from the top of the board."""
LINE = 17
"""Distance between labels below each other."""
CURVE_POINTS = 80
"""A curve has at most this many points."""
FULL_WIDTHS = {"on-desk": 1180.0, "on-tablet": 720.0, "on-phone": 330.0}
"""The widths for which a plot as wide as the page is drawn, by the style class that shows it."""
HALF_WIDTHS = {"on-wide": 560.0, "on-phone": 330.0}
"""The same for a plot in half of a wide page."""

TREE_SPACING = Spacing(line=22.0, padding=5.0, gap=14.0, whole=False)
MAX_BOXES = 32
"""Rounds of a knockout with more meetings are left out: they would not be readable."""


def ratings(rows: Sequence[BoardRow], width: float) -> Markup:
    """Draw each bot's μ over its own matches, with a band of two sigmas on either side."""
    rows = rows[:MAX_BOTS]
    wide = width > 600
    room = 190 if wide else 118
    height = max(400 if wide else 340, LINE * len(rows) + 70)
    histories = [words.sampled(row.history, CURVE_POINTS) for row in rows]
    x = Axis(0, max(point.matches for history in histories for point in history) or 1, 40, width - room - 20)
    levels = [point.mu for history in histories for point in history]
    for history in histories:
        for point in history[len(history) // 4 :]:  # before that, bands are wide
            levels += [point.mu - 2 * point.sigma, point.mu + 2 * point.sigma]
    low, high = math.floor(min(levels)), math.ceil(max(levels))
    y = Axis(low, max(high, low + 1), height - 44, 26)
    names = words.labels(rows)
    curves = []
    for index, (row, points) in enumerate(zip(rows, histories, strict=True)):
        if points:
            above = [(x(point.matches), y(point.mu + 2 * point.sigma)) for point in points]
            below = [(x(point.matches), y(point.mu - 2 * point.sigma)) for point in reversed(points)]
            # Markers of different bots are shifted, so that they do not cover each other where curves coincide.
            step = max(1, len(points) // (6 if wide else 3))
            marked = points[step * (index % 4 + 1) // 5 : -1 : step] + points[-1:]
            curve = path((x(point.matches), y(point.mu)) for point in points)
            curves.append((index, row, names[index], path(above + below), curve, marked))
    ends = spread_out([y(marked[-1].mu) for *_, marked in curves], LINE, y.end, y.start)
    return render(
        "plots/ratings.html",
        rows=rows, names=names, width=width, height=height, wide=wide, room=room, x=x, y=y, curves=curves, ends=ends,
    )  # fmt: skip


def strengths(rows: Sequence[BoardRow], width: float) -> Markup:
    """Draw each bot's strength as a dot and its 95 % interval as a whisker."""
    rows = rows[:MAX_BOTS]
    wide = width > 400
    left, right = (150, 172) if wide else (122, 46)
    limits = [0.0]
    for row in rows:
        if row.strength:
            limits += filter(math.isfinite, (row.strength.low, row.strength.high, row.strength.elo))
    margin = max((max(limits) - min(limits)) * 0.06, 1.0)
    x = Axis(min(limits) - margin, max(limits) + margin, left, width - right)
    return render("plots/strengths.html", rows=rows, names=words.labels(rows), width=width, wide=wide, left=left, x=x)


def placements(rows: Sequence[BoardRow], width: float) -> Markup:
    """Draw how often each bot finished first, second and so on: one bar per bot."""
    rows = rows[:MAX_BOTS]
    places = max(len(row.placements) for row in rows)
    left = 150 if width > 400 else 122
    in_line = int((width - left) // 54)
    x = Axis(0, 1, left, width)
    bars = []
    for row in rows:
        ends = [x(end / max(sum(row.placements), 1)) for end in accumulate(row.placements, initial=0)]
        bars.append([(place, count, *ends[place : place + 2]) for place, count in enumerate(row.placements) if count])
    return render(
        "plots/placements.html",
        rows=rows,
        names=words.labels(rows),
        bars=bars,
        width=width,
        places=places,
        left=left,
        in_line=in_line,
        top=26 * math.ceil(places / in_line) + 8,
        ordinal=ordinal,
    )


def ordinal(place: int) -> str:
    ending = "th" if 10 < place % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"


def think_times(rows: Sequence[BoardRow]) -> Markup:
    """Draw a small histogram for each bot, all with the same axes."""
    rows = rows[:MAX_BOTS]
    highest = max((max(row.think_times, default=0) / max(sum(row.think_times), 1) for row in rows), default=0.0)
    return render(
        "plots/think_times.html",
        rows=rows,
        names=words.labels(rows),
        bounds=THINK_MS_BOUNDS,
        x=Axis(0, len(THINK_MS_BOUNDS) + 1, 4, 192),
        y=Axis(0, highest or 1.0, 90, 26),
    )


def knockout_tree(
    bracket: str,
    rounds: Sequence[KnockoutRound],
    labels: Sequence[str],
    under_way: Sequence[OpenPairing],
    champion: int | None,
) -> Markup:
    """Draw the tree, with its heading. `labels`: the names of the entrants, by number."""
    readable = [each for each in rounds if len(each.pairings) <= MAX_BOXES]
    trees = [
        (columns, max(box.top + box.height for column in columns for box in column.boxes))
        for columns in tree_layouts(readable, labels, under_way, champion, TREE_SPACING)
    ]
    omitted = len(rounds) - len(readable)
    return render("plots/tree.html", bracket=bracket, trees=trees, spacing=TREE_SPACING, omitted=omitted)
