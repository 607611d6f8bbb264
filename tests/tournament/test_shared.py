"""Tournaments whose record is in PostgreSQL, which several homes share: real conductors, a real server."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.store.copying import copy
from arena.store.schema import ALL
from arena.store.store import Store
from tests.cli.run import SLOW_MACHINE, arena
from tests.tournament.test_interrupted import start
from tests.tournament.test_tournaments import FIELD, PATIENCE, board, kept, play, results
from tests.web.server import serving
from tests.web.visitor import Visitor

EVENT = (*FIELD, "--seed", "shared", "--rounds", "20", "--bracket", "mantis", *SLOW_MACHINE)
ENDLESS = (*FIELD, "--seed", "1", "--matches", "100000", "--bracket", "mantis", *SLOW_MACHINE)


def until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@contextmanager
def ended(conductor: subprocess.Popen[str]) -> Iterator[None]:
    """It plays without end, so it is interrupted, whatever comes of the test."""
    try:
        yield
    finally:
        conductor.send_signal(signal.SIGINT)
        conductor.communicate(timeout=PATIENCE)


def counted(store: Store, tournament: int) -> int:
    """How many of its matches are in the standings."""
    return sum(
        bracket.matches for record in store.tournaments.all() if record.id == tournament for bracket in record.brackets
    )


def test_killed_and_resumed_it_comes_to_the_same_end_as_with_sqlite(postgresql_url: str, tmp_path: Path) -> None:
    straight, home, copied = tmp_path / "straight", tmp_path / "home", tmp_path / "copied"
    play(straight, *EVENT)
    with Store.open(postgresql_url) as store:
        with start(home, *EVENT, "--at-once", "16", "--store", postgresql_url) as conductor:
            until(lambda: counted(store, 1) > 0 or conductor.poll() is not None)
            conductor.send_signal(signal.SIGKILL)
            conductor.communicate(timeout=PATIENCE)
        assert counted(store, 1) > 0
        play(home, "--resume", "1", "--store", postgresql_url)
        assert not (home / "arena.db").exists()
        assert board(home, "--store", postgresql_url) == board(straight)
        with Store.open(copied / "arena.db") as target:
            copy(store, target)
    assert results(copied) == results(straight)
    assert kept(copied) == kept(straight)


def test_two_homes_play_at_once_and_a_third_looks_on(postgresql_url: str, tmp_path: Path) -> None:
    one, other, third = (tmp_path / name for name in ("one", "other", "third"))
    shared = ("--store", postgresql_url)
    with Store.open(postgresql_url) as store:
        with start(one, *ENDLESS, *shared) as conductor, ended(conductor):
            until(lambda: counted(store, 1) > 0 or conductor.poll() is not None)
            play(other, *EVENT, *shared)
            refused = arena("tournament", "--resume", "1", "--home", other, *shared)
            assert (refused.returncode, refused.stdout) == (2, "")
            assert "tournament 1 is being played by somebody else who shares the store" in refused.stderr
            assert "Interrupted" not in refused.stderr
            before = counted(store, 1)
            until(lambda: counted(store, 1) > before or conductor.poll() is not None)
            with serving(third, *shared) as served:
                page = Visitor(served).get("/tournaments").text
            states = re.findall(r'class="state [^"]*">(\w+)', page)
            assert states == ["done", "running"]
        own = [store.standings.load(number, "mantis").bots for number in (1, 2)]
        together = store.standings.load(ALL, "mantis").bots
        assert counted(store, 2) == 60
        for version, standing in together.items():
            assert standing.matches == own[0][version].matches + own[1][version].matches
            assert standing.wins == pytest.approx(own[0][version].wins + own[1][version].wins)
        assert sum(standing.matches for standing in together.values()) == 3 * (counted(store, 1) + counted(store, 2))
