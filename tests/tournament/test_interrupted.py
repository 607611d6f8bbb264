"""Tournaments that are interrupted, killed and resumed: nothing is lost, and no process is left behind.

Tests that look for remaining processes run alone: an arena that starts ends the processes of killed ones, so another
test could hide that a tournament leaves its bots behind.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import psutil
import pytest

from tests.support.cli import SLOW_MACHINE, arena, complaint
from tests.support.tournaments import FIELD, PATIENCE, board, kept, on_record, play, results, start
from tests.support.waiting import until

EVENT = (*FIELD, "--seed", "killed", "--rounds", "600", "--bracket", "mantis", *SLOW_MACHINE)
ENDLESS = (*FIELD, "--seed", "1", "--matches", "100000", "--bracket", "mantis", *SLOW_MACHINE)


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which the tournament was played without any trouble."""
    home = tmp_path_factory.mktemp("straight")
    play(home, *EVENT)
    return home


def processes_of(home: Path) -> Iterator[psutil.Process]:
    """Conductors, workers and bots that work for this home."""
    for process in psutil.process_iter():
        try:
            if str(home) in " ".join(process.cmdline()) or process.cwd().startswith(str(home)):
                yield process
        except psutil.Error:
            continue


def until_gone(home: Path) -> None:
    until(lambda: not list(processes_of(home)), "no process of the home is left")


def test_processes_of_a_home_are_found(tmp_path: Path) -> None:
    """The tests below rely on it."""
    with subprocess.Popen(("sleep", "60"), cwd=tmp_path) as process:
        try:
            assert [found.pid for found in processes_of(tmp_path)] == [process.pid]
        finally:
            os.kill(process.pid, signal.SIGKILL)


def wait_until_something_counts(home: Path) -> None:
    until(lambda: counted(home), "a block counts")


def counted(home: Path) -> int:
    """How many blocks are in the standings."""
    try:
        with sqlite3.connect(f"file:{home / 'arena.db'}?mode=ro", uri=True) as connection:
            return int(connection.execute("SELECT sum(folded) FROM brackets").fetchone()[0] or 0)
    except sqlite3.OperationalError:
        return 0  # it is not there yet


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.timeout(1800)  # ten tournaments, or parts of them
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT], ids=["kill -9", "Ctrl-C"])
def test_ten_times_ended_and_resumed_comes_to_the_same_end(
    sign: signal.Signals, straight: Path, tmp_path: Path
) -> None:
    """Ended at ten random moments: nothing that was written is lost, nothing is played twice, all of it is counted."""
    rng = Random("kill")
    home = tmp_path
    moments = sorted(rng.sample(range(1, 430), 10))
    arguments: tuple[str, ...] = (*EVENT, "--at-once", "32")
    seen = 0
    for moment in moments:
        with start(home, *arguments) as conductor:
            deadline = time.monotonic() + PATIENCE
            while on_record(home) < moment and conductor.poll() is None:
                assert time.monotonic() < deadline
                time.sleep(0.01 * rng.random())
            conductor.send_signal(sign)
            conductor.communicate(timeout=PATIENCE)
        assert on_record(home) >= seen
        seen = on_record(home)
        until_gone(home)
        if seen:
            arguments = ("--resume",)
    done = arena("tournament", "--resume", "--home", home)
    assert done.returncode == 0 or "No tournament was interrupted" in done.stderr, done
    assert results(home) == results(straight)
    assert board(home) == board(straight)
    assert kept(home) == kept(straight)
    assert all(kept(home))


def workers_of(conductor: int) -> list[psutil.Process]:
    found = []
    with suppress(psutil.Error):  # it has ended
        for process in psutil.Process(conductor).children():
            with suppress(psutil.Error):  # this one has
                if "arena.tournament.runners" in " ".join(process.cmdline()):
                    found.append(process)
    return found


@pytest.mark.alone
def test_a_worker_that_is_killed_is_replaced_and_nothing_changes(straight: Path, tmp_path: Path) -> None:
    with start(tmp_path, *EVENT, "--at-once", "8", "--jobs", "2") as conductor:
        deadline = time.monotonic() + PATIENCE
        while not (workers := workers_of(conductor.pid)):
            assert time.monotonic() < deadline
            assert conductor.poll() is None
        # It is stopped as soon as it is there, so that it is certain not to be done before it is killed.
        workers[0].suspend()
        time.sleep(1.0)
        assert conductor.poll() is None
        workers[0].kill()
        _, errors = conductor.communicate(timeout=PATIENCE)
    assert conductor.returncode == 0, errors
    assert results(tmp_path) == results(straight)
    assert board(tmp_path) == board(straight)
    assert kept(tmp_path) == kept(straight)
    until_gone(tmp_path)


@pytest.mark.alone
@pytest.mark.parametrize(("sign", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["Ctrl-C", "SIGTERM"])
def test_an_interrupted_tournament_says_how_to_go_on(sign: signal.Signals, code: int, tmp_path: Path) -> None:
    with start(tmp_path, *ENDLESS) as conductor:
        wait_until_something_counts(tmp_path)
        conductor.send_signal(sign)
        _, errors = conductor.communicate(timeout=PATIENCE)
    assert conductor.returncode == code
    assert f"Resume with: arena tournament --resume 1 --home {tmp_path}" in errors
    assert "Traceback" not in errors
    until_gone(tmp_path)
    played = on_record(tmp_path)
    assert board(tmp_path, "--tournament", "1")["brackets"][0]["matches"] in range(1, played + 1)
    assert "arena tournament --resume 1" in arena("history", "--home", tmp_path, columns=200).stdout


def test_a_home_in_use_is_left_alone(tmp_path: Path) -> None:
    with start(tmp_path, *ENDLESS) as conductor:
        wait_until_something_counts(tmp_path)
        assert "Another tournament is running" in complaint("tournament", "--home", tmp_path)
        assert arena("leaderboard", "--home", tmp_path).returncode == 0  # looking is always possible
        conductor.send_signal(signal.SIGINT)
        conductor.communicate(timeout=PATIENCE)
    until_gone(tmp_path)
