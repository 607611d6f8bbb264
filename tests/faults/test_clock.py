"""The wall clock jumps by hours, forwards and backwards, while bots play: no time limit hangs on it.

libfaketime stands between the programs and the wall clock, and leaves the clock alone that only counts seconds, as the
system does when the time is set.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from datetime import datetime
from itertools import cycle
from pathlib import Path

import pytest

from tests.support.cli import ARENA, ROOT, arena
from tests.support.scene import FIELD, PATIENCE
from tests.support.waiting import until

pytestmark = pytest.mark.slow

JUMPS = ("+5h", "-7h", "+2d", "-1d")
LIMITS = ("--time-per-move", "60s", "--time-per-match", "30m", "--time-to-start", "60s")
"""More than any honest bot needs on a busy machine, less than any jump."""


SLEEP = "import select, time; time.sleep = lambda seconds: select.select([], [], [], seconds) and None"
"""Replaces `time.sleep`: libfaketime fails a monotonic clock_nanosleep with EINVAL unless it fakes that clock too."""


def library() -> str:
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    if not found:
        pytest.skip("libfaketime is not installed: apt-get install libfaketime")
    return str(found[0])


def jump(clock: Path, offset: str) -> None:
    """The clock is wrong by this much from now on."""
    new = clock.with_suffix(".new")
    new.write_text(offset, encoding="utf-8")
    new.replace(clock)


def rows(home: Path, query: str) -> list[tuple[str | float | None, ...]]:
    try:
        with closing(sqlite3.connect(f"file:{home / 'arena.db'}?mode=ro", uri=True)) as connection:
            return connection.execute(query).fetchall()
    except sqlite3.OperationalError:
        return []  # it is not there yet


def test_a_tournament_under_a_clock_that_jumps(tmp_path: Path) -> None:
    home, clock = tmp_path / "home", tmp_path / "clock"
    jump(clock, "+0")
    (tmp_path / "sitecustomize.py").write_text(SLEEP, encoding="utf-8")
    environment = {
        **os.environ,
        "PYTHONPATH": str(tmp_path),
        "LD_PRELOAD": library(),
        "FAKETIME_TIMESTAMP_FILE": str(clock),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    event = (*FIELD, "--bracket", "mantis", "--matches", "1000000", "--time", "30m", "--at-once", "8", *LIMITS)
    command = [*ARENA, "tournament", *event, "--home", str(home)]
    began = time.monotonic()
    offsets = cycle(JUMPS)
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    ) as conductor:

        def days() -> set[object]:
            """The days on which matches were played, by the clock that jumps."""
            return {played for (played,) in rows(home, "SELECT DISTINCT substr(played, 1, 10) FROM matches")}

        def seen_enough() -> bool:
            jump(clock, next(offsets))
            counted = rows(home, "SELECT 1 FROM brackets WHERE folded > 0")
            return (len(days()) >= 3 and bool(counted)) or conductor.poll() is not None

        try:
            until(seen_enough, "matches had been played on three days")
            conductor.send_signal(signal.SIGINT)
            _, errors = conductor.communicate(timeout=PATIENCE)
        finally:
            conductor.kill()
    assert conductor.returncode == 130, errors  # it ended because we asked it to
    elapsed = 1000 * (time.monotonic() - began)
    assert rows(home, "SELECT fault, detail FROM seats WHERE fault IS NOT NULL") == []
    for (think_ms,) in rows(home, "SELECT think_ms FROM seats"):
        assert isinstance(think_ms, float)
        assert 0 <= think_ms < elapsed
    for (played,) in rows(home, "SELECT DISTINCT played FROM matches"):
        datetime.strptime(str(played), "%Y-%m-%d %H:%M:%S")
    (first,), *_ = rows(home, "SELECT name FROM matches ORDER BY id")
    assert arena("replay", "verify", str(first), "--home", home).returncode == 0
    assert arena("leaderboard", "--home", home).returncode == 0
    assert arena("history", "--home", home).returncode == 0
