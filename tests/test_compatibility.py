"""A home that an earlier version wrote opens, shows the same leaderboards, and its tournament resumes to the same end.

tests/homes/COMMIT.tar.gz is the home: a submitted bot, a round robin in two brackets, a knockout, a comparison, and a
tournament that was interrupted halfway. COMMIT.json has the leaderboards that the same commit printed, before and after
it resumed that tournament.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.cli import ROOT, arena

HOMES = ROOT / "tests" / "homes"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    shutil.unpack_archive(HOMES / "3fc4c53.tar.gz", tmp_path)
    return tmp_path / "home"


def expected(when: str) -> Any:
    boards = json.loads((HOMES / "3fc4c53.json").read_text(encoding="utf-8"))[when]
    for board in boards:  # the default has changed since
        board["bracket"] = {"tentagram": "tentagram/free"}.get(board["bracket"], board["bracket"])
    return [{**board, "rows": [[rounded(cell) for cell in row] for row in board["rows"]]} for board in boards]


def rounded(cell: Any) -> Any:
    """Round strengths, which linear algebra on another machine gives with other last digits. All else is exact."""
    return {name: round(value, 6) for name, value in cell.items()} if isinstance(cell, dict) else cell


def without_intervals(board: Any) -> Any:
    """Leave out the intervals of strengths: where blocks share a deal, they have become wider."""
    rows = [[cell["strength"] if isinstance(cell, dict) else cell for cell in row] for row in board["rows"]]
    return {**board, "rows": rows}


def leaderboards(home: Path) -> list[Any]:
    done = arena("leaderboard", "--json", "--home", home)
    assert done.returncode == 0, done.stderr
    columns = ("bot", "version", "rating", "mu", "sigma", "refit", "matches", "wins", "placements")
    return [
        {
            "bracket": board["bracket"],
            "matches": board["matches"],
            "rows": [[rounded(row[column]) for column in columns] for row in board["rows"]],
        }
        for board in json.loads(done.stdout)["brackets"]
    ]


def test_an_old_home_shows_the_same_leaderboards(home: Path) -> None:
    assert leaderboards(home) == expected("before")


def test_an_interrupted_tournament_of_an_old_home_resumes_to_the_same_end(home: Path) -> None:
    done = arena("tournament", "--resume", "4", "--home", home)
    assert done.returncode == 0, done.stderr
    assert [*map(without_intervals, leaderboards(home))] == [*map(without_intervals, expected("resumed"))]


def test_what_an_old_home_holds_can_be_listed_and_verified(home: Path) -> None:
    history = arena("history", "--home", home).stdout
    assert "interrupted" in history
    assert "knockout" in history
    assert "my_bot" in arena("bots", "--home", home).stdout
    matches = [f"1-{bracket}-1-1" for bracket in ("mantis", "tentagram")]
    verified = arena("replay", "verify", *matches, "2-mantis-1-1", "3-mantis-1-1", "4-mantis-1-1", "--home", home)
    assert verified.returncode == 0, verified.stderr + verified.stdout
