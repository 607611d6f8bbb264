"""Tournaments on a cluster of real processes: the same as on one machine, whatever is killed meanwhile."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.cli.run import ARENA, ROOT, SLOW_MACHINE, arena, complaint
from tests.tournament.cluster.machines import PATIENCE, Machines, wait_until
from tests.tournament.test_tournaments import FIELD, board, kept, play, results

EVENT = (*FIELD, "--seed", "cluster", "--rounds", "300", "--bracket", "mantis", *SLOW_MACHINE)
SHORT = (*FIELD, "--seed", "cluster", "--rounds", "5", "--bracket", "tentagram", *SLOW_MACHINE)


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which the tournament was played on one machine."""
    home = tmp_path_factory.mktemp("straight")
    play(home, *EVENT)
    return home


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    """A scheduler and the workers a and b."""
    found = Machines(tmp_path_factory.mktemp("machines"))
    found.start_scheduler()
    found.start_worker("a")
    found.start_worker("b")
    yield found
    found.stop()
    assert "Traceback" not in found.said()


def begin(home: Path, machines: Machines) -> subprocess.Popen[str]:
    command = [*ARENA, "tournament", *EVENT, "--cluster", machines.address, "--home", str(home)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def end(conductor: subprocess.Popen[str]) -> str:
    printed, said = conductor.communicate(timeout=PATIENCE)
    assert conductor.returncode == 0, said
    assert "Traceback" not in printed + said
    return said


def check_equal(home: Path, straight: Path) -> None:
    assert results(home) == results(straight)
    assert kept(home) == kept(straight)
    assert board(home) == board(straight)


def test_a_tournament_is_the_same_as_on_one_machine(tmp_path: Path, machines: Machines, straight: Path) -> None:
    conductor = begin(tmp_path, machines)
    wait_until("both workers play", lambda: machines.plays("a") and machines.plays("b"))
    assert "2 workers, 2 cores" in end(conductor)
    check_equal(tmp_path, straight)


def test_a_bot_that_was_changed_on_a_worker_does_not_play(tmp_path: Path, machines: Machines) -> None:
    play(tmp_path / "here", *SHORT)
    played = arena("tournament", *SHORT, "--cluster", machines.address, "--home", tmp_path / "before")
    assert played.returncode == 0, played
    (changed,) = [path for path in machines.cache.glob("*/bot.py") if "counter" in path.read_text(encoding="utf-8")]
    honest = changed.read_bytes()
    changed.write_text("raise SystemExit('somebody else')", encoding="utf-8")
    played = arena("tournament", *SHORT, "--cluster", machines.address, "--home", tmp_path / "after")
    assert played.returncode == 0, played
    assert "had been changed, and they are sent anew" in played.stderr
    assert changed.read_bytes() == honest
    assert results(tmp_path / "before") == results(tmp_path / "after") == results(tmp_path / "here")


def test_a_worker_that_is_killed_costs_nothing(tmp_path: Path, machines: Machines, straight: Path) -> None:
    conductor = begin(tmp_path, machines)
    wait_until("both workers play", lambda: machines.plays("a") and machines.plays("b"))
    machines.kill("a")
    assert "lost: a" in end(conductor)
    check_equal(tmp_path, straight)
    machines.start_worker("a")


def test_a_scheduler_that_is_killed_costs_nothing(tmp_path: Path, machines: Machines, straight: Path) -> None:
    conductor = begin(tmp_path, machines)
    wait_until("somebody plays", lambda: machines.plays("a") or machines.plays("b"))
    machines.kill("scheduler")
    machines.start_scheduler()
    assert "the scheduler at" in end(conductor)
    check_equal(tmp_path, straight)


def test_what_cannot_be_reached_is_said(tmp_path: Path) -> None:
    for options, sentence in {
        ("--cluster", "head"): "'head' is no address of a cluster",
        ("--cluster", "tls://head:8786"): "needs --tls-ca, --tls-cert and --tls-key",
        ("--cluster", "tcp://head:8786", "--tls-ca", "ca.pem"): "--tls-cert and --tls-key is missing",
        ("--cluster", "tcp://head:8786", "--jobs", "2"): "leave out --jobs",
        ("--tls-ca", "ca.pem"): "certificates are for clusters",
    }.items():
        assert sentence in complaint("tournament", *FIELD, *options, "--home", tmp_path / "home")
    assert not (tmp_path / "home").exists()


def test_a_cluster_on_this_machine_comes_back_and_leaves_nobody_behind() -> None:
    command = [*ARENA, "cluster", "local", "--workers", "1", "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as local:
        try:
            assert local.stdout is not None
            assert local.stderr is not None
            assert local.stdout.readline().startswith("1 worker at tcp://127.0.0.1:")
            both = psutil.Process(local.pid).children()
            assert len(both) == 2
            both[1].kill()
            said = iter(local.stderr.readline, "")
            assert any("worker local-1 has ended with exit code -9, and is started again" in line for line in said)
            wait_until("it is started again", lambda: len(psutil.Process(local.pid).children()) == 2)
            left = psutil.Process(local.pid).children()
        finally:
            local.terminate()
    assert local.returncode == 143
    psutil.wait_procs(left, timeout=PATIENCE)
    assert not any(process.is_running() for process in left)
