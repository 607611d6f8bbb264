"""The tree of a knockout as SVG."""

from __future__ import annotations

import itertools
import re
from xml.etree import ElementTree

import pytest

from arena.rating.standings import pair_points
from arena.tournament.course import Retrace
from arena.tournament.formats.knockout import Knockout
from arena.web.drawing.plots import MAX_BOXES, knockout_tree
from tests.support.formats import a_field

EVIL = "</svg><script>alert(1)</script> & \"'>"
NAMES = [EVIL, "a name that is far too long for the drawing", *(f"bot {number}" for number in range(200))]


def drawn(retrace: Retrace) -> str:
    knockout = retrace.format
    assert isinstance(knockout, Knockout)
    return knockout_tree("mantis", knockout.tree, NAMES, retrace.under_way, knockout.champion)


def play_round(retrace: Retrace) -> None:
    """One deal at each table; who is listed first wins."""
    for table in list(retrace.under_way):
        seats = len(table.pairing.entrants)
        retrace.take_outcome(pair_points([list(range(1, seats + 1))] * seats))


def texts(drawing: str, class_: str) -> list[str]:
    root = ElementTree.fromstring(drawing)  # noqa: S314, we have made it ourselves
    return ["".join(each.itertext()) for each in root.iter("text") if each.get("class") == class_]


def test_a_tree_fills_in() -> None:
    retrace = Retrace(Knockout(a_field(4, 2, 2), deals=1))
    before = drawn(retrace)
    assert texts(before, "title") == ["semi-final"]
    assert texts(before, "how") == ["0 of 1 deals"] * 2
    assert not any(texts(before, "mark"))
    play_round(retrace)
    between = drawn(retrace)
    assert texts(between, "title") == ["semi-final", "final"]
    assert sorted(texts(between, "mark"))[-2:] == ["✓", "✓"]
    play_round(retrace)
    after = drawn(retrace)
    assert "★" in texts(after, "mark"), "more than colour tells who has won"
    assert ", champion" in after


def test_names_are_texts_and_cut_with_the_whole_in_a_title() -> None:
    drawing = drawn(Retrace(Knockout(a_field(4, 2, 2), deals=1)))
    assert "<script" not in drawing
    assert "a name that is fa…" in texts(drawing, "name")
    assert re.search(r"<title>a name that is far too long for the drawing</title>", drawing)


@pytest.mark.parametrize("double", [False, True])
@pytest.mark.parametrize("size", [2, 3, 5, 16, 40, 130])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_tables_of_a_round_do_not_overlap(size: int, seats: int, double: bool) -> None:
    if seats > size:
        return
    retrace = Retrace(Knockout(a_field(size, seats, 2), double=double, deals=1))
    while retrace.under_way:
        play_round(retrace)
    drawing = drawn(retrace)
    root = ElementTree.fromstring(drawing)  # noqa: S314, we have made it ourselves
    for svg in root.iter("svg"):
        width, height = (float(number) for number in svg.get("viewBox", "").split()[2:])
        columns: dict[float, list[tuple[float, float]]] = {}
        for rect in svg.iter("rect"):
            left, top, across, down = (float(rect.get(name, "")) for name in ("x", "y", "width", "height"))
            assert left + across <= width + 2
            assert top + down <= height
            columns.setdefault(left, []).append((top, top + down))
        for boxes in columns.values():
            assert len(boxes) <= MAX_BOXES
            boxes.sort()
            assert all(one[1] < other[0] for one, other in itertools.pairwise(boxes))
    assert ("too large to draw" in drawing) == any(len(each.pairings) > MAX_BOXES for each in retrace.format.tree)  # type: ignore[attr-defined]
