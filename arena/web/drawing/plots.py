"""Plots of a board as SVG without scripts: ratings over matches, and strengths with their intervals.

A bot is identified by its marker, its dash and the label at the end of its line, not by colour alone. Each plot is
drawn for a given width in pixels, so that its text is readable on a phone and on a large screen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from arena.reports import words
from arena.reports.board import BoardRow
from arena.reports.words import NOT_SEPARATED, NOTHING, SIGMA_SIGN, typeset
from arena.web.drawing.svg import joined, number, tag

MAX_BOTS = 12
"""A plot shows at most this many bots, from the top of the board."""
LETTER = 7.3
"""Width of a letter of a label, in a fixed-width font."""
LINE = 17
"""Distance between labels below each other."""
DASHES = (None, "7 4", "2 3", "10 4 2 4")
CURVE_POINTS = 80
"""A curve has at most this many points."""


@dataclass(frozen=True, slots=True)
class Axis:
    """Maps values to coordinates; values outside its range are moved to its ends."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def ticks(low: float, high: float, most: int) -> list[float]:
    """Return at most `most` round numbers between low and high, in steps of 1, 2 or 5 times a power of ten."""
    step = 10 ** math.floor(math.log10((high - low) / most))
    step = next(step * factor for factor in (1, 2, 5, 10, 20) if (high - low) / (step * factor) < most)
    first = math.ceil(low / step - 1e-9)
    return [step * index for index in range(first, math.floor(high / step + 1e-9) + 1)]


def drawing(width: float, height: float, title: str, description: str, *children: str) -> Markup:
    """Return an SVG that scales with its container, with a title and a description for screen readers."""
    about = tag("title", title), tag("desc", description)
    size = f"0 0 {number(width)} {number(height)}"
    return tag("svg", *about, *children, viewBox=size, role="img", aria_label=title, class_="board-plot")


def text(x: float, y: float, content: str, class_: str = "", anchor: str | None = None) -> Markup:
    return tag("text", content, x=x, y=y, class_=class_ or None, text_anchor=anchor)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def label(row: BoardRow, name: str, x: float, y: float, room: float) -> Markup:
    """Return the bot's rank and name, shortened to fit; the title has the full name."""
    whole = tag("title", f"{row.bot} {row.version}")
    return tag("text", whole, words.cut(f"{row.rank} {name}", int(room / LETTER)), x=x, y=y, class_="name")


def colour(index: int) -> str:
    """Return the style class of the bot's colour."""
    return f"c{index % 6}"


def _polygon(*corners: tuple[float, float]) -> Callable[[float, float], str]:
    def path(x: float, y: float) -> str:
        return "M" + "L".join(f"{number(x + right)} {number(y + down)}" for right, down in corners) + "Z"

    return path


def _disc(x: float, y: float) -> str:
    return f"M{number(x - 4.5)} {number(y)}a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0Z"


MARKERS = (
    _disc,
    _polygon((-4, -4), (4, -4), (4, 4), (-4, 4)),
    _polygon((0, -5.5), (5.2, 4), (-5.2, 4)),
    _polygon((0, -5.8), (5.8, 0), (0, 5.8), (-5.8, 0)),
    _polygon((0, 5.5), (5.2, -4), (-5.2, -4)),
    _polygon(
        (-2, -6), (2, -6), (2, -2), (6, -2), (6, 2), (2, 2), (2, 6), (-2, 6), (-2, 2), (-6, 2), (-6, -2), (-2, -2)
    ),
)


def marker(index: int, x: float, y: float, *children: str) -> Markup:
    """Return the bot's marker: six shapes, first filled, then hollow."""
    shape = MARKERS[index % len(MARKERS)](x, y)
    kind = "filled" if index < len(MARKERS) else "hollow"
    return tag("path", *children, d=shape, class_=f"{colour(index)} marker {kind}")


def spread_out(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return the positions nearest to the wanted ones, in the same order, at least `gap` apart, from low to high."""
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    # With the gaps subtracted, positions only need to ascend: neighbours that do not are moved to their mean.
    blocks: list[tuple[float, int]] = []
    for position, index in enumerate(order):
        blocks.append((wanted[index] - position * gap, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (one, ones), (other, others) = blocks[-2:]
            blocks[-2:] = [((one * ones + other * others) / (ones + others), ones + others)]
    bare = [mean for mean, count in blocks for _ in range(count)]
    last = max(low, high - gap * (len(wanted) - 1))
    places = [0.0] * len(wanted)
    for position, (index, mean) in enumerate(zip(order, bare, strict=True)):
        places[index] = min(max(mean, low), last) + position * gap
    return places


def ratings(rows: Sequence[BoardRow], width: float) -> Markup:
    """Draw each bot's μ over its own matches, with a band of two sigmas on either side."""
    rows = rows[:MAX_BOTS]
    names = words.labels(rows)
    room = 190 if width > 600 else 118
    height = max(400 if width > 600 else 340, LINE * len(rows) + 70)
    x = Axis(0, max(point.matches for row in rows for point in row.history) or 1, 40, width - room - 20)
    y = Axis(*_rating_range(rows), height - 44, 26)
    parts = [text(4, 12, f"μ, with a band of ± 2 {SIGMA_SIGN}", "axis")]
    for tick in ticks(y.low, y.high, 7):
        parts += [line(x.start, y(tick), x.end, y(tick), "grid"), text(32, y(tick) + 4, f"{tick:g}", "axis", "end")]
    for tick in ticks(x.low, x.high, 8 if width > 600 else 4):
        parts += [line(x(tick), y.start, x(tick), y.start + 5, "tick")]
        parts += [text(x(tick), y.start + 19, f"{tick:,.0f}", "axis", "middle")]
    parts += [text((x.start + x.end) / 2, height - 6, "matches of the bot", "axis", "middle")]
    drawn = [(index, row) for index, row in enumerate(rows) if row.history]
    ends = spread_out([y(row.history[-1].mu) for _, row in drawn], LINE, y.end, y.start)
    parts += [_band(index, row, x, y) for index, row in drawn]
    parts += [_curve(index, row, x, y, 6 if width > 600 else 3) for index, row in drawn]
    for (index, row), end in zip(drawn, ends, strict=True):
        left = x.end + 30
        parts += [
            line(x(row.history[-1].matches) + 7, y(row.history[-1].mu), left - 10, end, "leader"),
            marker(index, left, end),
            label(row, names[index], left + 10, end + 4, room - 20),
        ]
    said = [f"{name} ended at {words.spread(row.mu, row.sigma)}" for row, name in zip(rows, names, strict=True)]
    return drawing(width, height, "Ratings over matches", "; ".join(said), *parts)


def _rating_range(rows: Sequence[BoardRow]) -> tuple[float, float]:
    """Return the range of all curves, and of their bands after the first quarter, where they are wide."""
    histories = [words.sampled(row.history, CURVE_POINTS) for row in rows]
    levels = [point.mu for history in histories for point in history]
    for history in histories:
        for point in history[len(history) // 4 :]:
            levels += [point.mu - 2 * point.sigma, point.mu + 2 * point.sigma]
    low, high = math.floor(min(levels)), math.ceil(max(levels))
    return low, max(high, low + 1)


def _band(index: int, row: BoardRow, x: Axis, y: Axis) -> Markup:
    points = words.sampled(row.history, CURVE_POINTS)
    above = [f"{number(x(point.matches))} {number(y(point.mu + 2 * point.sigma))}" for point in points]
    below = [f"{number(x(point.matches))} {number(y(point.mu - 2 * point.sigma))}" for point in reversed(points)]
    return tag("path", d=f"M{'L'.join(above + below)}Z", class_=f"{colour(index)} band")


def _curve(index: int, row: BoardRow, x: Axis, y: Axis, marks: int) -> Markup:
    points = words.sampled(row.history, CURVE_POINTS)
    path = "L".join(f"{number(x(point.matches))} {number(y(point.mu))}" for point in points)
    curve = tag("path", d=f"M{path}", class_=f"{colour(index)} curve", stroke_dasharray=DASHES[index % len(DASHES)])
    # Markers of different bots are shifted, so that they do not cover each other where curves coincide.
    step = max(1, len(points) // marks)
    marked = points[step * (index % 4 + 1) // 5 : -1 : step] + points[-1:]
    markers = [
        marker(
            index,
            x(point.matches),
            y(point.mu),
            tag("title", f"{row.bot} {row.version}, {point.matches:,} matches: {words.spread(point.mu, point.sigma)}"),
        )
        for point in marked
    ]
    return tag("g", curve, *markers)


def strengths(rows: Sequence[BoardRow], width: float) -> Markup:
    """Draw each bot's strength as a dot and its 95 % interval as a whisker."""
    rows = rows[:MAX_BOTS]
    names = words.labels(rows)
    wide = width > 400
    left, right, step, top = (150, 172, 30, 30) if wide else (122, 46, 30, 30)
    height = top + step * len(rows) + 34
    limits = [
        value for row in rows if row.strength for value in (row.strength.low, row.strength.high, row.strength.elo)
    ]
    known = [value for value in limits if math.isfinite(value)] or [0.0]
    low, high = min(0.0, *known), max(0.0, *known)
    margin = max((high - low) * 0.06, 1.0)
    x = Axis(low - margin, high + margin, left, width - right)
    bottom = height - 32
    parts = [text(left, 14, "Elo, relative to the mean of the field", "axis")]
    for tick in ticks(x.low, x.high, 6 if wide else 4):
        parts += [line(x(tick), top - 8, x(tick), bottom, "zero" if tick == 0 else "grid")]
        parts += [text(x(tick), bottom + 18, typeset(words.elo(tick)), "axis", "middle")]
    for index, (row, name) in enumerate(zip(rows, names, strict=True)):
        y = top + step * (index + 0.5)
        parts.append(label(row, name, 0, y + 4, left - 12))
        if row.separated is False and index + 1 < len(rows):
            parts.append(text(left - 14, y + step / 2 + 5, NOT_SEPARATED, "mark", "middle"))
        parts.append(_whisker(index, row, x, y, width, wide=wide))
    said = [f"{name} {_strength_in_words(row)}" for row, name in zip(rows, names, strict=True)]
    return drawing(width, height, "Strength by all results", "; ".join(said), *parts)


def _whisker(index: int, row: BoardRow, x: Axis, y: float, width: float, *, wide: bool) -> Markup:
    strength = row.strength
    if strength is None:
        return text(width, y + 4, NOTHING, "value", "end")
    low, high = x(strength.low), x(strength.high)
    short = typeset(words.elo(strength.elo))
    return joined(
        line(low, y, high, y, f"{colour(index)} whisker"),
        *(line(end, y - 5, end, y + 5, f"{colour(index)} whisker") for end in (low, high)),
        marker(index, x(strength.elo), y, tag("title", f"{row.bot} {row.version}: {_strength_in_words(row)}")),
        text(width - (112 if wide else 0), y + 4, short, "value strong", "end"),
        text(width, y + 4, typeset(words.interval(strength)), "value", "end") if wide else "",
    )


def _strength_in_words(row: BoardRow) -> str:
    return f"{words.elo(row.strength.elo)}, {words.interval(row.strength)}" if row.strength else "not known"
