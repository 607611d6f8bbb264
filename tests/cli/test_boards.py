"""Boards in the terminal: all of it where there is room, the important part where there is not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console, RenderableType

from arena.cli.boards import render, render_head_to_head, render_overall
from arena.rating.standings import Meetings
from arena.reports.board import Board, HistoryPoint, OverallBoard, OverallRow
from arena.reports.words import cut, elo, faults, faults_in_short, harmless, milliseconds, sampled, sparkline
from tests.support.boards import BOTS, Bot, board, crowd, overall, two_brackets


def printed(renderable: RenderableType, width: int) -> str:
    console = Console(width=width, color_system=None, force_terminal=False)
    with console.capture() as capture:
        console.print(renderable)
    return capture.get()


def line_of(text: str, name: str) -> str:
    """The one line that has the name as a word of its own."""
    (line,) = (line for line in text.splitlines() if name in line.split())
    return line


@pytest.mark.parametrize("width", [24, 40, 60, 80, 100, 120, 160, 240])
def test_nothing_is_wider_than_the_terminal_or_wrapped(width: int) -> None:
    sample = board()
    for renderable in (render(sample), render_head_to_head(sample), render_overall(overall([sample]))):
        text = printed(renderable, width)
        assert max(cell_len(line) for line in text.splitlines()) <= width
        lines = text.splitlines()
        (rule,) = (index for index, line in enumerate(lines) if line.startswith("───"))
        assert [bool(line.strip()) for line in lines[rule + 1 : rule + 8]] == [True] * 6 + [False], text


def test_a_wide_terminal_shows_everything() -> None:
    sample = board()
    text = printed(render(sample), 170)
    assert "Not shown" not in text
    first = sample.rows[0]
    assert first.strength
    cells = line_of(text, first.bot)
    for expected in (
        first.version,
        first.language,
        f"{first.conservative:.1f}",
        f"{first.mu:.1f} ± {first.sigma:.1f}",
        f"{first.strength.elo:+.0f}",
        f"{first.strength.low:+.0f} to {first.strength.high:+.0f}",
        f"{first.matches}",
        f"{first.wins / first.matches:.1%}",
        f"{first.mean_placement:.2f}",
        "84.0",
        "12 timeout, 1 crash",
    ):
        assert expected in cells
    assert len(cells.split()[-1]) == 20
    assert set(cells.split()[-1]) <= set("▁▂▃▄▅▆▇█")


def test_80_columns_show_what_matters_and_say_what_they_leave_out() -> None:
    text = printed(render(board()), 80)
    for heading in ("bot", "version", "rating", "strength (95 %)", "wins", "faults", "history"):
        assert heading in text
    assert "Not shown for want of room: language, μ ± \u03c3, matches, mean place, ms/move." in text


def test_bots_that_are_statistically_tied_are_marked() -> None:
    sample = board()
    assert [row.separated for row in sample.rows].count(False) == 2
    text = printed(render(sample), 100)
    assert "≈  statistically tied with the next bot (95 %)." in text
    for row in sample.rows:
        assert line_of(text, row.bot).split()[1].startswith("≈") == (row.separated is False)
    sure = replace(sample, rows=[replace(row, separated=True) for row in sample.rows])
    assert "≈" not in printed(render(sure), 100)


def test_names_are_neither_markup_nor_control_codes() -> None:
    bots = [("[red]evil[/]", "[b]1", "[i]", 1.0, 1.0, {"[u]": 1}), ("\x1b[2Jx\r\n", "\u202e1", "\t", 0.5, 1.0, {})]
    sample = board("[blink]", bots, seats=2)
    boards = (render(sample), render_head_to_head(sample), render_overall(overall([sample])))
    texts = [printed(renderable, 160) for renderable in boards]
    for text in texts:
        assert "[red]evil[/]" in text
        assert "[blink]" in text
        assert "\ufffd[2Jx\ufffd\ufffd" in text
        assert all(letter.isprintable() or letter == "\n" for letter in text)
    assert "1 [u]" in texts[0]


def test_a_long_name_is_cut_and_pushes_nothing_out() -> None:
    long: Bot = ("x" * 90, "9" * 90, "L" * 90, 1.0, 1.0, {})
    text = printed(render(board(bots=[long, *BOTS])), 100)
    assert "x…" in text
    assert "history" in text


def test_what_no_bot_has_gets_no_column() -> None:
    sample = board()
    bare = [replace(row, strength=None, faults={}, history=(), separated=None) for row in sample.rows]
    text = printed(render(replace(sample, rows=bare)), 170)
    for absent in ("strength", "Strength", "faults", "history", "History", "Not shown"):
        assert absent not in text


def test_boards_with_nobody_or_one_bot() -> None:
    nobody = Board("mantis", None, 0, [], [])
    assert "No matches in this bracket" in printed(render(nobody), 80)
    assert "no head-to-head results" in printed(render_head_to_head(nobody), 80)
    alone = board(bots=BOTS[:1], seats=1)
    assert "searcher" in printed(render(alone), 80)
    assert "nothing has been played" in printed(render_overall(OverallBoard([], [])), 80)


def test_a_bot_without_matches_has_no_shares() -> None:
    sample = board()
    idle = replace(sample.rows[0], matches=0, wins=0, mean_placement=0, think_ms=None, placements=())
    text = printed(render(replace(sample, rows=[idle])), 170)
    assert line_of(text, "searcher").split().count("\u2013") == 3


def test_head_to_head_has_percent_shading_and_gaps() -> None:
    sample = board(bots=BOTS[:3], seats=3)
    matrix = [
        [None, Meetings(90, 100), Meetings(50, 100)],
        [Meetings(10, 100), None, Meetings(0, 0)],
        [Meetings(50, 100), Meetings(0, 0), None],
    ]
    text = printed(render_head_to_head(replace(sample, head_to_head=matrix)), 80)
    lines = [line.split() for line in text.splitlines()]
    assert ["bot", "1", "2", "3"] in lines
    names = [row.bot for row in sample.rows]
    assert ["1", names[0], "\\", "90█", "50▒"] in lines
    assert ["2", names[1], "10", "\\", "·"] in lines
    assert ["3", names[2], "50▒", "·", "\\"] in lines


def test_a_crowd_head_to_head_shows_the_columns_that_fit() -> None:
    text = printed(render_head_to_head(board(bots=crowd(60))), 80)
    assert "The first 11 of 60 columns; a wider terminal shows more." in text
    assert "bot_59" in text


def test_the_overall_board_has_every_bracket() -> None:
    text = printed(render_overall(overall(two_brackets())), 80)
    heading = ["#", "bot", "version", "rating", "brackets", "mantis", "tentagram", "matches"]
    assert heading in [line.split() for line in text.splitlines()]
    assert line_of(text, "searcher").split()[-2] == "\u2013"
    many = [f"bracket-{number}" for number in range(12)]
    row = OverallRow(1, "solo", "1", 20.0, {"bracket-0": 240.0}, 10)
    text = printed(render_overall(OverallBoard(many, [row])), 80)
    assert "240.0" in line_of(text, "solo")
    assert "Not shown for want of room: version" in text


def test_two_versions_of_a_bot_are_told_apart_in_the_matrix() -> None:
    old: Bot = ("counter", "0.9", "Python", 0.3, 1.0, {})
    text = printed(render_head_to_head(board(bots=[*BOTS, old])), 100)
    assert "counter 0.9" in text
    assert "counter 1.0.0" in text
    assert "greedy 1.0.0" not in text


def test_a_sparkline_is_even_over_the_matches() -> None:
    row = board().rows[0]
    points = [HistoryPoint(matches, 20.0, 1.0) for matches in range(1, 50)] + [HistoryPoint(100, 30.0, 1.0)]
    assert sparkline(replace(row, history=points), 20, 30, 11) == "▁▁▁▁▁▁█"
    assert sparkline(replace(row, history=points), 20, 20, 3) in {"▄▄▄", "▄▄"}
    assert sparkline(replace(row, history=()), 20, 30, 11) == ""
    assert sampled(points, 5)[0] == points[0]
    assert sampled(points, 5)[-1] == points[-1]


def test_words() -> None:
    assert harmless("a\x1b\u202e\nb") == "a\ufffd\ufffd\ufffdb"
    assert cut("short", 5) == "short"
    assert cut("longer", 5) == "long…"
    assert cut("漢字漢字", 5) == "漢字…"
    assert [elo(value) for value in (0.4, -0.4, 12.6, -7)] == ["0", "0", "+13", "-7"]
    assert [milliseconds(value) for value in (None, 0.071, 8.44, 1234.5)] == ["\u2013", "0.07", "8.4", "1,234"]
    assert faults({"crash": 1, "timeout": 2, "start": 0}) == "2 timeout, 1 crash"
    assert faults_in_short({"crash": 1, "timeout": 2}) == "2 timeout +1"
    assert faults_in_short({}) == "\u2013"
