"""Tournaments through the command line, and what they leave in a home."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.cli import ARENA, ROOT, SLOW_MACHINE, arena

FIELD = ("random", "greedy", "counter")
EVENT = (*FIELD, "--seed", "7", "--rounds", "30", *SLOW_MACHINE)
PATIENCE = 300.0


def play(home: Path, *arguments: str) -> str:
    done = arena("tournament", *arguments, "--home", home)
    assert done.returncode == 0, done
    return done.stdout


def board(home: Path, *arguments: str) -> Any:
    """The leaderboard, without what hangs on the clock."""
    done = arena("leaderboard", "--json", "--home", home, *arguments)
    assert done.returncode == 0, done
    found = json.loads(done.stdout)
    for each in found["brackets"]:
        for row in each["rows"]:
            del row["ms_per_move"], row["think_times"]
    return found


def results(home: Path) -> list[Any]:
    """Every match with everything that does not hang on the clock."""
    with sqlite3.connect(f"file:{home / 'arena.db'}?mode=ro", uri=True) as connection:
        return connection.execute(
            "SELECT m.name, m.seed, m.ending, s.seat, s.version_id, s.placement, s.won, s.fault "
            "FROM matches m JOIN seats s ON s.match_id = m.id ORDER BY m.bracket, m.block, m.rotation, s.seat"
        ).fetchall()


def kept(home: Path) -> list[Any]:
    """Everything that is kept up to date with the matches and does not hang on the clock, to the last digit."""
    with sqlite3.connect(f"file:{home / 'arena.db'}?mode=ro", uri=True) as connection:
        return [
            connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4, 5").fetchall()  # noqa: S608, our own
            for table in ("rating_points", "head_to_head", "seat_tallies", "surprises")
        ]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which a tournament was played."""
    home = tmp_path_factory.mktemp("home")
    text = play(home, *EVENT, "--jobs", "2")
    for line in (
        "mantis: 90 matches, 3 bots",
        "tentagram: 90 matches, 3 bots",
        "tournament 1 (round-robin): 180 matches",
    ):
        assert line in text
    return home


def on_record(home: Path) -> int:
    try:
        with sqlite3.connect(f"file:{home / 'arena.db'}?mode=ro", uri=True) as connection:
            return int(connection.execute("SELECT count(*) FROM matches").fetchone()[0])
    except sqlite3.OperationalError:
        return 0  # it is not there yet


def start(home: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [*ARENA, "tournament", *arguments, "--home", str(home)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)
