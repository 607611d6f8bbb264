"""Boards for other programs: what is in them, and that a name cannot become anything else."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from dataclasses import replace

import pytest

from arena.replay import FaultKind
from arena.reports.board import Strength
from arena.reports.exports import CSV_FIELDS, as_csv, as_json, as_markdown
from tests.support.boards import Bot, board, overall, two_brackets


def test_json_has_the_documented_keys() -> None:
    boards = two_brackets()
    read = json.loads(json.dumps(as_json(boards, overall(boards)), allow_nan=False))
    assert list(read) == ["format", "think_ms_bounds", "brackets", "overall"]
    assert read["format"] == "arena.leaderboard/1"
    mantis = read["brackets"][0]
    assert list(mantis) == ["bracket", "tournament", "matches", "rows", "head_to_head"]
    row = mantis["rows"][0]
    assert list(row) == [
        *("rank", "bot", "version", "language", "rating", "mu", "sigma", "refit", "separated", "matches", "wins"),
        *("win_share", "mean_placement", "ms_per_move", "faults", "placements", "think_times", "history"),
    ]
    assert row["rating"] == boards[0].rows[0].conservative
    assert row["faults"] == {"timeout": 12, "crash": 1}
    assert list(row["refit"]) == ["strength", "low", "high"]
    assert list(row["history"][0]) == ["matches", "mu", "sigma"]
    assert len(row["think_times"]) == len(read["think_ms_bounds"]) + 1
    assert mantis["head_to_head"][0][0] is None
    assert list(mantis["head_to_head"][0][1]) == ["points", "matches", "share"]
    assert list(read["overall"]["rows"][0]) == ["rank", "bot", "version", "rating", "by_bracket", "matches"]


def test_json_says_null_where_nothing_is_known() -> None:
    sample = board()
    endless = replace(sample.rows[0], strength=Strength(math.inf, 100.0, math.inf))
    idle = replace(sample.rows[1], strength=None, matches=0, mean_placement=math.nan, think_ms=None)
    read = json.loads(json.dumps(as_json([replace(sample, rows=[endless, idle])], None), allow_nan=False))
    rows = read["brackets"][0]["rows"]
    assert rows[0]["refit"] == {"strength": None, "low": 100.0, "high": None}
    assert [rows[1][key] for key in ("refit", "win_share", "mean_placement", "ms_per_move")] == [None] * 4
    assert read["overall"] is None


def test_csv_has_a_line_for_each_row_of_each_bracket() -> None:
    boards = two_brackets()
    lines = list(csv.DictReader(io.StringIO(as_csv(boards))))
    assert [line["bracket"] for line in lines] == ["mantis"] * 6 + ["tentagram"] * 5
    assert tuple(lines[0]) == (*CSV_FIELDS, *(f"faults_{kind.value}" for kind in FaultKind))
    for line, row in zip(lines, [*boards[0].rows, *boards[1].rows], strict=True):
        assert line["bot"] == row.bot
        assert float(line["rating"]) == row.conservative
        assert row.strength
        assert float(line["refit_high"]) == row.strength.high
        assert line["separated"] == {True: "true", False: "false", None: ""}[row.separated]
    assert lines[0]["faults"] == "13"
    assert lines[0]["faults_timeout"] == "12"
    assert lines[0]["faults_illegal"] == "0"


def test_csv_without_boards_is_its_heading() -> None:
    assert as_csv([]).startswith("bracket,tournament,rank,bot,")
    assert as_csv([]).count("\n") == 1


def test_csv_has_a_column_for_every_kind_of_fault_that_occurs() -> None:
    sample = board()
    rows = [replace(sample.rows[0], faults={"flood": 3}), *sample.rows[1:]]
    lines = list(csv.DictReader(io.StringIO(as_csv([replace(sample, rows=rows)]))))
    assert [line["faults_flood"] for line in lines] == ["3", "0", "0", "0", "0", "0"]


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\uff1d1", '=HYPERLINK("x")', "=a,b"])
def test_csv_holds_no_formula(name: str) -> None:
    sample = board("=b", [(name, name, name, 1.0, 1.0, {})], seats=1)
    (line,) = csv.DictReader(io.StringIO(as_csv([sample])))
    assert line["bot"] == line["version"] == line["language"] == f"'{name}"
    assert line["bracket"] == "'=b"


def test_csv_of_a_name_with_line_breaks_and_quotes_is_one_line() -> None:
    sample = board(bots=[('a\n"b",\r=1\t', "1", "x", 1.0, 1.0, {})], seats=1)
    (line,) = csv.DictReader(io.StringIO(as_csv([sample])))
    assert line["bot"] == 'a\ufffd"b",\ufffd=1\ufffd'
    assert as_csv([sample]).count("\n") == 2


def test_markdown_has_every_board() -> None:
    boards = two_brackets()
    text = as_markdown(boards, overall(boards))
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["Overall", "mantis", "tentagram"]
    assert "| strength | 95 % |" in text
    assert "| searcher | 2.1.0 | Python |" in text
    assert "≈ statistically tied with the next bot (95 %)." in text
    assert "Overall" not in as_markdown(boards, None)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a|b", r"a\|b"),
        ("a\\|b", r"a\\\|b"),
        ("random_js", "random_js"),
        ("_x_", r"\_x\_"),
        ("**x**", r"\*\*x\*\*"),
        ("<script>", r"\<script\>"),
        ("[x](y)", r"\[x\]\(y\)"),
        ("`x`", r"\`x\`"),
        ("http://x", r"http\://x"),
        ("www.x", r"www\.x"),
        ("&amp;", r"\&amp;"),
        ("a\n## b", "a\ufffd\\#\\# b"),
    ],
)
def test_markdown_shows_names_as_they_are(name: str, written: str) -> None:
    bots: list[Bot] = [(name, "1", "x", 1.0, 1.0, {}), ("other", "1", "x", 0.5, 1.0, {})]
    sample = board(bots=bots, seats=2)
    text = as_markdown([sample], overall([sample]))
    assert f"| {written} |" in text
    for table in re.findall(r"(?:^\|.*\n?)+", text, re.MULTILINE):
        cells = {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in table.splitlines()}
        assert len(cells) == 1, table


def test_markdown_of_boards_with_nobody_and_one_bot() -> None:
    sample = board(bots=[("solo", "1", "x", 1.0, 1.0, {})], seats=1)
    assert "the only bot" in as_markdown([sample], None)
    assert "No matches in this bracket" in as_markdown([replace(sample, rows=[], head_to_head=[])], None)
