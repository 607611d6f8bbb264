"""The plots: nothing overlaps, nothing leaves the picture, and colour is never the only difference."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import resources
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from arena.reports.board import BoardRow, HistoryPoint, Strength
from arena.web.drawing import colours, distributions, plots
from arena.web.drawing.svg import joined, tag
from tests.support.boards import BOTS, board, crowd

WIDTHS = (330.0, 560.0, 720.0, 1180.0)


@given(st.lists(st.floats(-1000, 1000), min_size=1, max_size=12))
def test_labels_are_spread_out_in_their_order(wanted: list[float]) -> None:
    places = plots.spread_out(wanted, 17, 20, 20 + 17 * 11)
    assert all(20 - 1e-6 <= place <= 20 + 17 * 11 + 1e-6 for place in places)
    ordered = [place for _, place in sorted(zip(wanted, places, strict=True), key=lambda pair: pair)]
    assert all(following - place >= 17 - 1e-6 for place, following in pairwise(ordered))


def test_labels_with_room_stay_where_they_belong() -> None:
    assert plots.spread_out([100, 50, 52], 10, 0, 200) == [100, 46, 56]
    assert plots.spread_out([], 10, 0, 200) == []


@given(st.floats(-1e5, 1e5), st.floats(0.01, 1e5), st.integers(2, 10))
def test_ticks_are_few_and_inside(low: float, length: float, most: int) -> None:
    found = plots.ticks(low, low + length, most)
    assert len(found) <= most + 1
    assert all(low - 1e-6 * length <= tick <= low + length * (1 + 1e-6) for tick in found)


def test_ticks_are_round() -> None:
    assert plots.ticks(0, 400, 8) == [0, 100, 200, 300, 400]
    assert plots.ticks(-138, 120, 6) == [-100, -50, 0, 50, 100]


def test_what_is_beyond_the_axis_lies_at_its_end() -> None:
    scale = plots.Axis(0, 10, 100, 200)
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
@pytest.mark.parametrize("plot", [plots.ratings, plots.strengths, distributions.placements])
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
    for drawn in (plots.ratings(rows, 560), plots.strengths(rows, 560), distributions.placements(rows, 560)):
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
    shapes = {re.sub(r"\bc\d ", "", plots.marker(index, 50, 50)) for index in range(plots.MAX_BOTS)}
    assert len(shapes) == plots.MAX_BOTS
    looks = {(plots.colour(index), plots.DASHES[index % len(plots.DASHES)]) for index in range(plots.MAX_BOTS)}
    assert len(looks) == plots.MAX_BOTS


@pytest.mark.parametrize("anchors", [colours.LIGHT, colours.DARK])
def test_the_scale_is_one_of_lightness_and_can_be_written_on(anchors: tuple[str, ...]) -> None:
    scale = colours.scale(anchors)
    assert len(scale) == colours.SCALE_STEPS + 1
    assert (scale[0], scale[-1]) == (anchors[0], anchors[-1])
    lightness = [colours.luminance(colour) for colour in scale]
    assert lightness in (sorted(lightness), sorted(lightness, reverse=True))
    assert all(colours.contrast(colour, colours.ink(colour)) >= 4.5 for colour in scale)


def test_lines_and_letters_stand_out_from_their_ground() -> None:
    style = resources.files("arena.web.drawing").joinpath("page.css").read_text("utf-8")
    light, dark = (dict(re.findall(r"--([\w-]+): (#\w{6})", part)) for part in style.split("prefers-color-scheme")[:2])
    for scheme in (light, dark):
        for ground in (scheme["card"], scheme["page"]):
            for name in ("text", "muted", "accent", "alarm"):
                assert colours.contrast(scheme[name], ground) >= 4.5, (name, ground)
        assert colours.contrast(scheme["alarm"], scheme["alarm-tint"]) >= 4.5
        for index in range(6):
            assert colours.contrast(scheme[f"c{index}"], scheme["card"]) >= 3


def test_a_bar_of_places_is_as_long_as_all_others() -> None:
    rows: list[BoardRow] = [replace(board().rows[0], placements=(1, 0, 3)), replace(board().rows[1], placements=())]
    drawn = distributions.placements(rows, 560)
    assert "1st in 1 of 4 matches" in drawn
    assert "3rd in 3 of 4 matches" in drawn
    assert "2nd in" not in drawn
    assert "\u2013" in drawn


def test_ordinals() -> None:
    found = [distributions.ordinal(place) for place in (1, 2, 3, 4, 11, 12, 13, 16, 21, 22)]
    assert found == ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "16th", "21st", "22nd"]


def test_think_times_have_a_histogram_for_each_bot() -> None:
    idle = replace(board().rows[0], think_ms=None, think_times=())
    drawn = distributions.think_times([idle, *board().rows])
    assert drawn.count("<svg") == len(BOTS) + 1
    assert "no moves" in drawn
    assert distributions.think_times(board(bots=crowd(60)).rows).count("<svg") == plots.MAX_BOTS


def test_only_markup_is_markup() -> None:
    assert tag("a", "<b>", tag("i", "&"), href='"x"') == '<a href="&#34;x&#34;">&lt;b&gt;<i>&amp;</i></a>'
    assert tag("rect", x=-0.04, y=2.0, stroke_width=1.25, class_="c", fill=None) == (
        '<rect x="0" y="2" stroke-width="1.2" class="c"></rect>'
    )
    assert isinstance(joined("<"), Markup)
    assert joined("\x00\u202e") == "\ufffd\ufffd"
