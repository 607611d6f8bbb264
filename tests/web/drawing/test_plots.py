"""The plots: nothing overlaps, nothing leaves the picture, and colour is never the only difference."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from arena.reports.board import BoardRow, HistoryPoint, Strength
from arena.web import assets
from arena.web.drawing import plots, svg
from arena.web.templating import environment
from tests.support.boards import BOTS, board, crowd

WIDTHS = (330.0, 560.0, 720.0, 1180.0)


@given(st.lists(st.floats(-1000, 1000), min_size=1, max_size=12))
def test_labels_are_spread_out_in_their_order(wanted: list[float]) -> None:
    places = svg.spread_out(wanted, 17, 20, 20 + 17 * 11)
    assert all(20 - 1e-6 <= place <= 20 + 17 * 11 + 1e-6 for place in places)
    ordered = [place for _, place in sorted(zip(wanted, places, strict=True), key=lambda pair: pair)]
    assert all(following - place >= 17 - 1e-6 for place, following in pairwise(ordered))


def test_labels_with_room_stay_where_they_belong() -> None:
    assert svg.spread_out([100, 50, 52], 10, 0, 200) == [100, 46, 56]
    assert svg.spread_out([], 10, 0, 200) == []


@given(st.floats(-1e5, 1e5), st.floats(0.01, 1e5), st.integers(2, 10))
def test_ticks_are_few_and_inside(low: float, length: float, most: int) -> None:
    found = svg.Axis(low, low + length, 0, 1).ticks(most)
    assert len(found) <= most + 1
    assert all(low - 1e-6 * length <= tick <= low + length * (1 + 1e-6) for tick in found)


def test_ticks_are_round() -> None:
    assert svg.Axis(0, 400, 0, 1).ticks(8) == [0, 100, 200, 300, 400]
    assert svg.Axis(-138, 120, 0, 1).ticks(6) == [-100, -50, 0, 50, 100]


def test_what_is_beyond_the_axis_lies_at_its_end() -> None:
    scale = svg.Axis(0, 10, 100, 200)
    assert [scale(value) for value in (0, 5, 10, -math.inf, math.inf)] == [100, 150, 200, 100, 200]


def numbers(markup: str, pattern: str) -> list[float]:
    return [float(found) for found in re.findall(pattern, markup)]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("count", [1, 2, 12, 60])
def test_the_labels_at_the_lines_ends_do_not_overlap(width: float, count: int) -> None:
    drawn = plots.ratings(board(bots=crowd(count)).rows, width)
    heights = sorted(numbers(drawn, r'y="([\d.]+)" class="name"'))
    assert len(heights) == min(count, plots.MAX_BOTS)
    assert all(following - height >= plots.LINE - 0.2 for height, following in pairwise(heights))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("plot", [plots.ratings, plots.strengths, plots.placements])
@pytest.mark.parametrize("seats", [2, 6, 16])
def test_everything_is_inside_the_picture(
    width: float, plot: Callable[[Sequence[BoardRow], float], Markup], seats: int
) -> None:
    drawn = plot(board(bots=crowd(12), seats=seats).rows, width)
    (size,) = re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', drawn)
    assert float(size[0]) == width
    assert all(0 <= x <= width for x in numbers(drawn, r'\bx[12]?="(-?[\d.]+)"'))
    assert all(0 <= y <= float(size[1]) for y in numbers(drawn, r'\by[12]?="(-?[\d.]+)"'))


def test_plots_can_be_read_out() -> None:
    rows = board().rows
    for drawn in (plots.ratings(rows, 560), plots.strengths(rows, 560), plots.placements(rows, 560)):
        assert re.match(
            r'<svg viewBox="[\d. ]+" role="img" aria-label="[^"]+" class="board-plot"><title>.+?</title><desc>', drawn
        )
        for row in rows:
            assert row.bot in drawn.split("</desc>")[0]


def test_numbers_that_are_not_finite_are_drawn_to_the_end_of_the_axis() -> None:
    rows = [replace(row, strength=Strength(math.inf, 10.0, math.inf)) for row in board().rows[:2]]
    rows += [replace(row, strength=None) for row in board().rows[2:3]]
    drawn = plots.strengths(rows, 560)
    assert not re.search(r'[xy][12]?="[^"]*(inf|nan)', drawn)
    assert not re.search(r' d="[^"]*(inf|nan)', drawn)


def test_one_point_of_history_is_enough() -> None:
    row = replace(board().rows[0], history=[HistoryPoint(1, 25.0, 8.0)])
    assert "searcher" in plots.ratings([row], 560)
    without = replace(row, history=())
    assert plots.ratings([row, without], 560).count('class="name"') == 1


def test_no_two_bots_of_a_plot_look_alike_without_their_colour() -> None:
    drawn = plots.ratings(board(bots=crowd(plots.MAX_BOTS)).rows, 560)
    shapes = re.findall(r' d="([^"]+)" class="c\d marker (\w+)"', drawn)
    assert len(set(shapes)) == plots.MAX_BOTS
    curves = re.findall(r'class="(c\d) curve"(?: stroke-dasharray="([^"]+)")?', drawn)
    assert len(set(curves)) == len(curves) == plots.MAX_BOTS


def luminance(colour: str) -> float:
    """Return the relative luminance as WCAG defines it."""
    parts = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio as WCAG defines it, from 1 to 21."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_the_scale_is_one_of_lightness_and_can_be_written_on() -> None:
    light, dark = assets.text("scale.css").split("@media screen and (prefers-color-scheme: dark)")
    for scheme, reverse in ((light, True), (dark, False)):
        steps = re.findall(r"\.h(\d+) { --fill: (#\w{6}); --ink: (#\w{6}); }", scheme)
        assert [int(number) for number, *_ in steps] == list(range(21))
        lightness = [luminance(fill) for _, fill, _ in steps]
        assert lightness == sorted(lightness, reverse=reverse)
        assert all(contrast(fill, ink) >= 4.5 for _, fill, ink in steps)
    heat = environment().filters["heat"]
    assert [heat(share) for share in (-1, 0, 0.5, 1, 2)] == ["h0", "h0", "h10", "h20", "h20"]


def test_lines_and_letters_stand_out_from_their_ground() -> None:
    style = assets.text("page.css")
    light, dark = (dict(re.findall(r"--([\w-]+): (#\w{6})", part)) for part in style.split("prefers-color-scheme")[:2])
    for scheme in (light, dark):
        for ground in (scheme["card"], scheme["page"]):
            for name in ("text", "muted", "accent", "alarm"):
                assert contrast(scheme[name], ground) >= 4.5, (name, ground)
        assert contrast(scheme["alarm"], scheme["alarm-tint"]) >= 4.5
        for index in range(6):
            assert contrast(scheme[f"c{index}"], scheme["card"]) >= 3


def test_a_bar_of_places_is_as_long_as_all_others() -> None:
    rows: list[BoardRow] = [replace(board().rows[0], placements=(1, 0, 3)), replace(board().rows[1], placements=())]
    drawn = plots.placements(rows, 560)
    assert "1st in 1 of 4 matches" in drawn
    assert "3rd in 3 of 4 matches" in drawn
    assert "2nd in" not in drawn
    assert "\u2013" in drawn


def test_ordinals() -> None:
    found = [plots.ordinal(place) for place in (1, 2, 3, 4, 11, 12, 13, 16, 21, 22)]
    assert found == ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "16th", "21st", "22nd"]


def test_think_times_have_a_histogram_for_each_bot() -> None:
    idle = replace(board().rows[0], think_ms=None, think_times=())
    drawn = plots.think_times([idle, *board().rows])
    assert drawn.count("<svg") == len(BOTS) + 1
    assert "no moves" in drawn
    assert plots.think_times(board(bots=crowd(60)).rows).count("<svg") == plots.MAX_BOTS


def test_names_are_text_in_every_plot() -> None:
    evil = "</text><script>\x00\u202e\"'&"
    rows = [replace(row, bot=evil, version=evil) for row in board().rows]
    for plot in (plots.ratings, plots.strengths, plots.placements, lambda rows, _: plots.think_times(rows)):
        drawn = plot(rows, 560.0)
        assert "<script" not in drawn
        assert "&lt;/text&gt;&lt;script&gt;\ufffd\ufffd&#34;&#39;&amp;" in drawn
        assert not set(drawn) & {"\x00", "\u202e"}


def test_coordinates_have_at_most_one_decimal() -> None:
    assert [svg.px(value) for value in (-0.04, 2.0, 1.25, -3.14)] == ["0", "2", "1.2", "-3.1"]
    assert svg.path([(0, 1), (2.5, 3)]) == "M0 1L2.5 3"
