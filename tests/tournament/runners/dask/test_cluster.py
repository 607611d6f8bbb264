"""Tournaments on a cluster of real processes: the same as on one machine, whatever is killed meanwhile."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from arena.errors import BadTournament
from arena.requests import ClusterAddress
from arena.tournament.runners.dask.link import check_cluster
from tests.support.cli import ARENA, ROOT, complaint
from tests.support.tournaments import board, on_record, play
from tests.support.waiting import until
from tests.tournament.runners.dask.events import FIELD, FIRST_CHOICE, Record, check_equal, event, record, take_in
from tests.tournament.runners.dask.machines import HEAD, PATIENCE, Machines

EVENT = event(500)


@pytest.fixture(scope="module")
def with_bots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return take_in(tmp_path_factory.mktemp("bots"))


@pytest.fixture
def home(tmp_path: Path, with_bots: Path) -> Path:
    return shutil.copytree(with_bots, tmp_path / "home")


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory, with_bots: Path) -> Record:
    home = shutil.copytree(with_bots, tmp_path_factory.mktemp("straight") / "home")
    play(home, *EVENT)
    return record(home)


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    """A scheduler and the workers a and b."""
    found = Machines(tmp_path_factory.mktemp("machines"))
    for name in (HEAD, "a", "b"):
        found.start(name)
    until(lambda: found.workers() == 2, "both workers are there")
    yield found
    found.stop()
    assert "Traceback" not in found.said()


def bots_in(cache: Path) -> dict[str, tuple[int, int]]:
    """The bots that a worker has, with what changes when one is laid out anew."""
    assert not list(cache.glob("*.tar.gz")), "an archive was sent and not unpacked"
    seals = {seal.stem: seal.stat() for seal in cache.glob("*.checksum")}
    return {name: (kept.st_ino, kept.st_mtime_ns) for name, kept in seals.items()}  # a number may be given again


def test_a_tournament_is_the_same_as_on_one_machine(home: Path, machines: Machines, straight: Record) -> None:
    most = 0
    conductor = machines.begin(home, *EVENT)
    until(lambda: machines.plays("a", "b"), "both workers play")
    while conductor.poll() is None:
        most = max(most, len(machines.tables("a")), len(machines.tables("b")))
        time.sleep(0.1)
    assert "2 workers, 2 cores" in machines.end()
    assert most == 1, "each worker offers one core, and has one process that plays"
    check_equal(home, straight)
    assert board(home) == straight.board


def test_bots_travel_once_are_built_there_and_do_not_play_when_they_were_changed(
    home: Path, machines: Machines, straight: Record
) -> None:
    shutil.copytree(home, home.parent / "first")
    machines.begin(home.parent / "first", *EVENT)
    machines.end()
    before = {name: bots_in(machines.cache(name)) for name in ("a", "b")}
    assert [len(bots) for bots in before.values()] == [3, 3]
    (changed,) = [path.with_name("bot.py") for path in machines.cache("a").glob("*/source.txt")]
    assert changed.read_text(encoding="utf-8") == FIRST_CHOICE, "built where it plays"
    changed.write_text("raise SystemExit('somebody else')", encoding="utf-8")
    machines.begin(home, *EVENT)
    assert "have changed, and they are sent again" in machines.end()
    assert changed.read_text(encoding="utf-8") == FIRST_CHOICE
    check_equal(home, straight)
    after = {name: bots_in(machines.cache(name)) for name in ("a", "b")}
    assert after["b"] == before["b"]
    assert {content for content, seal in after["a"].items() if before["a"][content] != seal} == {changed.parent.name}


def test_a_worker_that_is_killed_costs_nothing(home: Path, machines: Machines, straight: Record) -> None:
    machines.freeze("b")  # or the tournament might be over before it is noticed, once a second, that a worker is lost
    machines.begin(home, *EVENT)
    until(lambda: machines.plays("a"), "a worker plays")
    tables = machines.tables("a")
    machines.kill("a")
    until(lambda: "lost: a" in machines.output(), "the loss is noticed")
    machines.thaw("b")
    machines.end()
    check_equal(home, straight)
    psutil.wait_procs(tables, timeout=PATIENCE)
    assert not any(table.is_running() for table in tables), "who plays for a dead worker ends"
    machines.start("a")


def test_a_scheduler_that_is_killed_costs_nothing(home: Path, machines: Machines, straight: Record) -> None:
    machines.begin(home, *EVENT)
    until(lambda: machines.plays("a") or machines.plays("b"), "a worker plays")
    machines.kill(HEAD)
    machines.start(HEAD)
    assert "the scheduler at" in machines.end()
    check_equal(home, straight)


def test_a_tournament_goes_on_here_and_there(home: Path, machines: Machines, straight: Record) -> None:
    """Begun on the cluster, killed, gone on with on this machine, killed, and ended on the cluster."""
    machines.begin(home, *EVENT)
    until(lambda: on_record(home), "something is on record")
    machines.kill_conductor()
    acknowledged = on_record(home)
    here = subprocess.Popen(
        [*ARENA, "tournament", "--resume", "--jobs", "1", "--home", str(home)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until(lambda: on_record(home) > acknowledged, "more is on record")
    here.kill()
    here.wait()
    machines.begin(home, "--resume")
    machines.end()
    check_equal(home, straight)


@pytest.mark.parametrize(
    ("address", "certificates", "sentence"),
    [
        ("head", (), "Invalid address of a cluster `head`"),
        ("tls://head:8786", (), "needs `--tls-ca`, `--tls-cert` and `--tls-key`"),
        ("tcp://head:8786", ("ca.pem",), "`--tls-cert` and `--tls-key` is missing"),
    ],
)
def test_what_cannot_be_reached_is_said(address: str, certificates: tuple[str, ...], sentence: str) -> None:
    ca, cert, key = (*certificates, None, None, None)[:3]
    with pytest.raises(BadTournament, match=sentence):
        check_cluster(ClusterAddress(address=address, ca=ca, cert=cert, key=key))


def test_certificates_without_a_cluster_are_refused(tmp_path: Path) -> None:
    assert "apply only to a cluster" in complaint("tournament", *FIELD, "--tls-ca", "ca.pem", "--home", tmp_path / "x")


def test_the_workers_say_how_many_cores_play(tmp_path: Path) -> None:
    sentence = complaint("tournament", *FIELD, "--cluster", "tcp://head:8786", "--jobs", "2", "--home", tmp_path / "x")
    assert "The option `jobs` does not apply to a cluster" in sentence
    assert not (tmp_path / "x").exists()


def test_a_local_cluster_restarts_its_processes_and_leaves_none_behind() -> None:
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
            assert any("worker local-1 has ended (signal SIGKILL) and is started again" in line for line in said)
            until(lambda: len(psutil.Process(local.pid).children()) == 2, "it is started again")
            left = psutil.Process(local.pid).children()
        finally:
            local.terminate()
    assert local.returncode == 143
    psutil.wait_procs(left, timeout=PATIENCE)
    assert not any(process.is_running() for process in left)
