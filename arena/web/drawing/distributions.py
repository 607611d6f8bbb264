"""Plots of distributions: places and think times."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from arena.reports import words
from arena.reports.board import THINK_MS_BOUNDS, BoardRow
from arena.reports.words import NOTHING
from arena.web.drawing.colours import step_of
from arena.web.drawing.plots import MAX_BOTS, Axis, drawing, label, line, text
from arena.web.drawing.svg import joined, tag

PATTERNS = (None, "hatch", "dots", "bars")
"""Fill patterns, so that neighbouring places differ by more than lightness."""
SWATCH = 54


def patterns() -> Markup:
    """Return the definitions of the fill patterns, needed once on a page."""
    return tag(
        "svg",
        tag(
            "defs",
            _pattern("hatch", 7, tag("path", d="M-1 8L8 -1M-1 1L1 -1M6 8L8 6", class_="stroke")),
            _pattern("dots", 6, tag("circle", cx=3, cy=3, r=1.1, class_="dot")),
            _pattern("bars", 6, tag("path", d="M3 0V6", class_="stroke")),
        ),
        width=0,
        height=0,
        class_="defs",
        aria_hidden="true",
    )


def _pattern(name: str, size: int, *children: str) -> Markup:
    return tag("pattern", *children, id=name, width=size, height=size, patternUnits="userSpaceOnUse")


def placements(rows: Sequence[BoardRow], width: float) -> Markup:
    """Draw how often each bot finished first, second and so on: one bar per bot."""
    rows = rows[:MAX_BOTS]
    names = words.labels(rows)
    places = max(len(row.placements) for row in rows)
    left = 150 if width > 400 else 122
    in_line = int((width - left) // SWATCH)
    top = 26 * -(-places // in_line) + 8
    x = Axis(0, 1, left, width)
    parts = []
    for place in range(places):
        across, down = left + SWATCH * (place % in_line), 26 * (place // in_line)
        parts += [
            _segment(place, places, across, down + 2, 16, 16),
            text(across + 21, down + 15, ordinal(place + 1), "axis"),
        ]
    for index, (row, name) in enumerate(zip(rows, names, strict=True)):
        y = top + 30 * index
        parts += [label(row, name, 0, y + 17, left - 8), *_bar(row, places, x, y)]
    said = (f"{name}: {_placements_in_words(row)}" for row, name in zip(rows, names, strict=True))
    return drawing(width, top + 30 * len(rows), "Places", "; ".join(said), *parts)


def _bar(row: BoardRow, places: int, x: Axis, y: float) -> list[Markup]:
    total, before, parts = sum(row.placements), 0, []
    for place, count in enumerate(row.placements):
        if not count:
            continue
        share = count / total
        start, end = x(before / total), x((before + count) / total)
        before += count
        about = tag("title", f"{row.bot} {row.version}: {ordinal(place + 1)} in {count:,} of {total:,} matches")
        parts.append(_segment(place, places, start, y, end - start, 24, about))
        if end - start >= 26:
            tint = _tint(place, places)
            parts.append(text((start + end) / 2, y + 17, f"{100 * share:.0f}", f"{tint} inside", "middle"))
    return parts or [text(x.start, y + 17, NOTHING, "axis")]


def _segment(place: int, places: int, x: float, y: float, width: float, height: float, *children: str) -> Markup:
    shape = {"x": x, "y": y, "width": max(width - 1, 0.5), "height": height}
    pattern = PATTERNS[place % len(PATTERNS)]
    over = tag("rect", **shape, fill=f"url(#{pattern})") if pattern else ""
    return tag("g", *children, tag("rect", **shape, class_=f"{_tint(place, places)} tinted"), over)


def _tint(place: int, places: int) -> str:
    """Return the style class of a place: the first is the strongest, the last is still visible."""
    return step_of(1 - 0.9 * place / max(places - 1, 1))


def ordinal(place: int) -> str:
    ending = "th" if 10 < place % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"


def _placements_in_words(row: BoardRow) -> str:
    total = sum(row.placements)
    shares = (f"{ordinal(place)} {count / total:.0%}" for place, count in enumerate(row.placements, 1) if count)
    return ", ".join(shares) or "no matches"


def think_times(rows: Sequence[BoardRow]) -> Markup:
    """Draw a small histogram for each bot, all with the same axes."""
    rows = rows[:MAX_BOTS]
    names = words.labels(rows)
    highest = max((max(row.think_times, default=0) / max(sum(row.think_times), 1) for row in rows), default=0.0)
    return joined(*(_histogram(row, name, highest or 1.0) for row, name in zip(rows, names, strict=True)))


def _histogram(row: BoardRow, name: str, highest: float) -> Markup:
    width, height, base = 196.0, 112.0, 90.0
    classes = len(THINK_MS_BOUNDS) + 1
    x = Axis(0, classes, 4, width - 4)
    y = Axis(0, highest, base, 26)
    total = max(sum(row.think_times), 1)
    parts = [label(row, name, 4, 14, 124), text(width - 4, 14, _mean(row), "value", "end")]
    parts.append(line(x.start, base, x.end, base, "base"))
    for index, bound in enumerate(THINK_MS_BOUNDS, 1):
        if bound in {0.1, 1.0, 10.0, 100.0, 1000.0}:
            parts += [line(x(index), base, x(index), base + 4, "tick")]
            parts += [text(x(index), base + 17, "1 s" if bound == 1000 else f"{bound:g}", "axis", "middle")]
    for index, count in enumerate(row.think_times):
        if count:
            about = tag("title", f"{_class(index)}: {count:,} of {total:,} matches")
            top = min(y(count / total), base - 1)
            parts.append(
                tag("rect", about, x=x(index) + 0.7, y=top, width=x(1) - x(0) - 1.4, height=base - top, class_="bar")
            )
    most = max(range(classes), key=lambda index: row.think_times[index] if index < len(row.think_times) else 0)
    said = f"{_mean(row)} per move on average; most matches {_class(most)}" if any(row.think_times) else "no moves"
    return drawing(width, height, f"Think times of {name}", said, *parts)


def _mean(row: BoardRow) -> str:
    return NOTHING if row.think_ms is None else f"{words.milliseconds(row.think_ms)} ms"


def _class(index: int) -> str:
    if index == len(THINK_MS_BOUNDS):
        return f"more than {THINK_MS_BOUNDS[-1]:g} ms"
    below = THINK_MS_BOUNDS[index - 1] if index else 0
    return f"{below:g} to {THINK_MS_BOUNDS[index]:g} ms"
