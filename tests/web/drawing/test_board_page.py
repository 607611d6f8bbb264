"""The leaderboard page: well formed, complete, self-contained, with all names escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from arena.reports.board import Board, OverallBoard
from arena.web.exported import leaderboard_page
from tests.support.boards import BOTS, Bot, board, crowd, overall, two_brackets

NOW = "2026-05-04 12:30 UTC"
ELEMENTS = """
html head meta link title style body a header h1 h2 h3 p nav ul li main section div table thead tbody tr th td
abbr span bdi figure figcaption footer dl dt dd svg desc defs pattern path circle line rect text g
"""
EVIL = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onload='alert(1)",
    "</style><script>alert(1)</script>",
    "</title></svg><iframe src=http://example.com>",
    "&lt;b&gt;",
    "javascript:alert(1)",
    "\u202egnp.exe\x00\x1b[2J",
]


class Page(HTMLParser):
    """Reads a page strictly: every element must be closed, in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.tables: list[list[list[str]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        assert len(found) == len(attrs), f"an attribute occurs twice in {tag}"
        self.elements.append((tag, found))
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in {"th", "td"}:
            self.tables[-1][-1].append("")
        if tag not in {"link", "meta"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        # What a cell draws is not what it says.
        if {"th", "td"} & set(self.open) and "svg" not in self.open:
            self.tables[-1][-1][-1] += data

    def attributes(self, name: str) -> list[str]:
        return [found[name] for _, found in self.elements if name in found]


def page(boards: Sequence[Board], combined: OverallBoard | None = None, title: str = "Leaderboard") -> Page:
    return Page(leaderboard_page(boards, combined, title, NOW))


def check(found: Page) -> None:
    """Check what holds for every page."""
    assert {element for element, _ in found.elements} <= set(ELEMENTS.split())
    assert len(set(found.attributes("id"))) == len(found.attributes("id"))
    for link in found.attributes("href"):
        assert link == "data:," or link.removeprefix("#") in found.attributes("id")
    for fill in found.attributes("fill"):
        assert re.fullmatch(r"url\(#\w+\)", fill)
        assert fill[5:-1] in found.attributes("id")
    assert not [
        name for _, attributes in found.elements for name in attributes if name.startswith("on") or name == "src"
    ]
    for element, attributes in found.elements:
        assert element != "th" or attributes["scope"] in {"row", "col"}
        assert (
            element != "svg"
            or attributes.get("aria-hidden")
            or (attributes["role"] == "img" and attributes["aria-label"])
        )
    for table in found.tables:
        assert len({len(row) for row in table}) == 1


@pytest.mark.parametrize("count", [1, 2, 6, 12, 13, 60])
def test_pages_of_every_size_are_well_formed(count: int) -> None:
    sample = board(bots=crowd(count))
    found = page([sample], overall([sample]))
    check(found)
    said = " ".join(found.texts)
    assert (f"The plots show the first 12 of {count} bots." in said) == (count > 12)
    assert ("Head to head" in said) == (count > 1)
    for row in sample.rows:
        assert row.bot in said


def test_two_brackets_with_everything() -> None:
    boards = two_brackets()
    found = page(boards, overall(boards), "Spring <cup>")
    check(found)
    said = " ".join(found.texts)
    assert said.count("Spring <cup>") == 2
    assert "2026-05-04 12:30 UTC" in said
    links = [attributes["href"] for element, attributes in found.elements if element == "a"]
    assert links == ["#boards", "#overall", "#bracket-1", "#bracket-2"]
    for figure in ("Ratings over matches", "Strength by all results", "Head to head", "Places", "Think times"):
        assert sum(figure in text for text in found.texts) >= 2


def test_each_number_stands_under_its_heading() -> None:
    sample = board()
    standings = page([sample]).tables[0]
    first = sample.rows[0]
    assert first.strength
    expected = {
        "#": "1",
        "bot": "searcher",
        "rating": f"{first.conservative:.1f}",
        "history": "",
        "version": "2.1.0",
        "language": "Python",
        "μ ± \u03c3": f"{first.mu:.1f} ± {first.sigma:.1f}",
        "strength": f"{first.strength.elo:+.0f}",
        "95 % interval": f"{first.strength.low:+.0f} to {first.strength.high:+.0f}",
        "matches": "400",
        "wins": f"{first.wins / first.matches:.1%}",
        "place": f"{first.mean_placement:.2f}",
        "ms/move": "84.0",
        "faults": "12 timeout1 crash",
    }
    assert dict(zip(standings[0], standings[1], strict=True)) == expected
    marked = [row[0].startswith("≈") for row in standings[1:]]
    assert marked == [row.separated is False for row in sample.rows]
    assert len(re.findall("statistically tied", standings[1 + marked.index(True)][0])) == 1


def test_the_heat_map_has_the_numbers_and_their_shade() -> None:
    sample = board()
    text = leaderboard_page([sample], None, "x", NOW)
    heat = Page(text).tables[1]
    assert heat[0] == ["", "1", "2", "3", "4", "5", "6"]
    for row, (name, *cells) in zip(sample.rows, heat[1:], strict=True):
        assert name == f"{row.rank} {row.bot}"
        assert cells[row.rank - 1] == ""
    meeting = sample.head_to_head[0][1]
    assert meeting
    assert meeting.share
    assert heat[1][2] == f"{100 * meeting.share:.0f}"
    assert f'class="h{round(20 * meeting.share)}" title="' in text


def test_the_overall_board_has_every_bracket() -> None:
    boards = two_brackets()
    table = page(boards, overall(boards)).tables[0]
    assert table[0] == ["#", "bot", "rating", "version", "brackets", "mantis", "tentagram", "matches"]
    (searcher,) = (row for row in table if row[1] == "searcher")
    assert searcher[4] == "1 of 2"
    assert searcher[6] == "\u2013"


@pytest.mark.parametrize("name", EVIL)
def test_a_name_is_only_a_name(name: str) -> None:
    bots: list[Bot] = [(name, name, name, 1.0, 2.0, {name: 1}), *BOTS]
    sample = replace(board(name, bots), tournament=name)
    found = page([sample], overall([sample]), name)
    check(found)
    shown = "".join(letter if letter.isprintable() else "\ufffd" for letter in name)
    assert found.tables[1][1][1] == shown or shown in {row[1] for row in found.tables[1]}
    assert found.elements[-1][0] == "dd"


def test_the_page_loads_nothing() -> None:
    boards = two_brackets()
    text = leaderboard_page(boards, overall(boards), "Leaderboard", NOW)
    for loading in ("http:", "https:", "//", "@import", "<script", "src=", "@font-face", "<iframe", "<object"):
        assert loading not in text, loading
    assert set(re.findall(r"url\([^)]*\)", text)) <= {"url(#hatch)", "url(#dots)", "url(#bars)"}
    assert "default-src 'none'" in re.sub("&#39;", "'", text)


def test_the_style_knows_both_schemes_and_small_screens() -> None:
    text = leaderboard_page([board()], None, "x", NOW)
    assert text.count("prefers-color-scheme") == 2
    assert "max-width: 36em" in text
    assert text.count("</style>") == 1


def test_what_is_not_known_is_left_out() -> None:
    sample = board()
    bare = [
        replace(row, strength=None, history=(), faults={}, placements=(), think_times=(), think_ms=None, separated=None)
        for row in sample.rows
    ]
    found = page([replace(sample, rows=bare, tournament=None)])
    check(found)
    said = " ".join(found.texts)
    for absent in ("Ratings over matches", "Strength by all results", "Places", "Think times"):
        assert absent not in said
    assert "all tournaments" in said


def test_a_board_without_matches() -> None:
    found = page([Board("mantis", None, 0, [], [])], OverallBoard(["mantis"], []))
    check(found)
    assert "No matches in this bracket yet." in found.texts


def test_the_same_boards_give_the_same_page() -> None:
    assert leaderboard_page(two_brackets(), None, "x", NOW) == leaderboard_page(two_brackets(), None, "x", NOW)
