"""Tournaments whose record is in PostgreSQL, which several homes share: real conductors, a real server."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.requests import SubmitRequest
from arena.sandbox import Sandbox
from arena.store.copying import copy_records
from arena.store.home import Home
from arena.store.schema import ALL
from arena.store.store import Store
from arena.submissions.submit import submit
from tests.support.cli import SLOW_MACHINE, arena
from tests.support.tournaments import FIELD, PATIENCE, board, kept, play, results, start
from tests.support.waiting import until
from tests.support.web_play import Visitor
from tests.support.web_server import serving

pytestmark = pytest.mark.slow

MATCHES = 120
EVENT = (*FIELD, "--seed", "shared", "--matches", str(MATCHES), "--bracket", "mantis", *SLOW_MACHINE)
SLEEPY = """
import time

from arena.bot import Bot

class Sleepy(Bot):
    def mantis(self, turn):
        time.sleep(0.02)
        return turn.legal[0]

Sleepy().run()
"""
"""Who plays without end beside others leaves the machine to them."""
ENDLESS = ("random", "sleepy", "--seed", "1", "--matches", "100000", "--bracket", "mantis", *SLOW_MACHINE)
AT_LEISURE = ("--jobs", "1", "--at-once", "1")
"""One match after the other: seconds pass between the first that is counted and the last."""


@contextmanager
def ended(conductor: subprocess.Popen[str]) -> Iterator[None]:
    """It plays without end, so it is interrupted, whatever comes of the test."""
    try:
        yield
    finally:
        conductor.send_signal(signal.SIGINT)
        conductor.communicate(timeout=PATIENCE)


def enter(home: Path, store: Store) -> None:
    """Takes the bots in."""
    sleepy = home / "sleepy.py"
    sleepy.write_text(SLEEPY, encoding="utf-8")
    for bot in (*FIELD, str(sleepy)):
        submit(Home(home), store, SubmitRequest(path=bot, time_to_start=60.0), Sandbox(), thorough=False)


def counted(store: Store, tournament: int) -> int:
    """How many of its matches are in the standings."""
    return sum(
        bracket.matches
        for record in store.tournaments.latest()
        if record.id == tournament
        for bracket in record.brackets
    )


def goes_on(store: Store, conductor: subprocess.Popen[str]) -> None:
    """Waits until the first tournament has counted more than it has now."""
    before = counted(store, 1)
    until(lambda: counted(store, 1) > before or conductor.poll() is not None)
    assert conductor.poll() is None


def of_the_second(home: Path) -> list[Any]:
    """What is on record of the second tournament, and what is kept up to date with it."""
    played = [row for row in results(home) if row[0].startswith("2-")]
    return [played, *([row for row in rows if row[0] == 2] for rows in kept(home))]


def test_two_homes_play_at_once_one_is_killed_and_comes_to_the_same_end_as_with_sqlite(
    postgresql_url: str, tmp_path: Path
) -> None:
    straight, one, other, third, copied = (tmp_path / n for n in ("straight", "one", "other", "third", "copied"))
    shared = ("--store", postgresql_url)
    with Store.open(straight / "arena.db") as store, Store.open(postgresql_url) as target:
        enter(straight, store)
        copy_records(store, target)  # the bots have the same numbers here and there
        store.tournaments.begin("", "ladder", {}, "s", [1, 2], ["mantis"])  # so that the next one is the second
    for home in (one, other):
        shutil.copytree(straight / "bots", home / "bots")
    with Store.open(postgresql_url) as store:
        with start(one, *ENDLESS, "--jobs", "1", *shared) as conductor, ended(conductor):
            play(straight, *EVENT, "--jobs", "1")
            until(lambda: counted(store, 1) > 0 or conductor.poll() is not None)
            with start(other, *EVENT, *AT_LEISURE, *shared) as killed:
                until(lambda: counted(store, 2) > 0 or killed.poll() is not None)
                killed.send_signal(signal.SIGKILL)
                killed.communicate(timeout=PATIENCE)
            assert 0 < counted(store, 2) < MATCHES
            goes_on(store, conductor)
            play(other, "--resume", "2", "--jobs", "1", *shared)
            refused = arena("tournament", "--resume", "1", "--home", other, *shared)
            assert (refused.returncode, refused.stdout) == (2, "")
            assert "Tournament 1 is being played by another process that shares the store" in refused.stderr
            assert "Interrupted" not in refused.stderr
            goes_on(store, conductor)
            with serving(third, *shared) as served:
                page = Visitor(served).get("/tournaments").text
            assert re.findall(r'class="state [^"]*">(\w+)', page) == ["done", "running"]
        with Store.open(copied / "arena.db") as target:
            copy_records(store, target)
        assert not (other / "arena.db").exists()
        assert board(other, "--tournament", "2", *shared) == board(straight, "--tournament", "2")
        assert of_the_second(copied) == of_the_second(straight)
        assert all(of_the_second(copied))
        own = [store.standings.load(number, "mantis").bots for number in (1, 2)]
        together = store.standings.load(ALL, "mantis").bots
        assert counted(store, 2) == MATCHES
        assert len(together) == len(FIELD) + 1
        for version, standing in together.items():
            parts = [standings[version] for standings in own if version in standings]
            assert standing.matches == sum(part.matches for part in parts)
            assert standing.wins == pytest.approx(sum(part.wins for part in parts))
        assert sum(standing.matches for standing in together.values()) == 2 * counted(store, 1) + 3 * MATCHES
