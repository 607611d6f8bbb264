"""bench/scale.py: every measurement works, exponents are found, and docs/scale.md covers every cost."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from bench import scale
from bench.scale import COSTS, QUICK_SIZES, Point, amount, measured_exponent, report

DOCUMENT = Path(scale.__file__).parent.parent / "docs" / "scale.md"


def test_every_cost_can_be_measured_and_reported() -> None:
    measured = {cost.name: [Point(bots, cost.measure(bots)) for bots in QUICK_SIZES] for cost in COSTS}
    assert all(point.value > 0 for points in measured.values() for point in points)
    text = StringIO()
    Console(width=200, file=text).print(report(measured))
    assert all(cost.name in text.getvalue() for cost in COSTS)


@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0, 3.0])
def test_the_exponent_of_a_power_law_is_found(exponent: float) -> None:
    points = [Point(bots, 3 * bots**exponent) for bots in (10, 50, 200, 900)]
    assert measured_exponent(points) == pytest.approx(exponent, abs=1e-9)


def test_large_fields_follow_from_the_largest_measured_one() -> None:
    table = report({cost.name: [Point(10, 1.0), Point(1000, 2.0)] for cost in COSTS})
    by_name = dict(zip(table.columns[0].cells, table.columns[-1].cells, strict=True))
    assert by_name["fold a match"] == "2 s"
    assert by_name["fit strengths: memory"] == "2 MB"


def test_amounts_have_two_digits_and_a_unit() -> None:
    amounts = [amount(0.00042, "s"), amount(5400, "s"), amount(2.34e12, "B"), amount(36_000, "B")]
    assert amounts == ["420 µs", "1.5 h", "2.3 TB", "36 kB"]


def test_the_document_has_a_line_for_every_cost() -> None:
    lines = re.findall(r"^\| ([^|]+?) \|", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    assert {cost.name for cost in COSTS} <= set(lines)
