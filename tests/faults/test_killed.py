"""The referee is killed with kill -9, alone or with all that belongs to it: no bot stays behind."""

from __future__ import annotations

import signal
from hashlib import sha256
from pathlib import Path

import psutil
import pytest

from arena.sandbox.cgroups import find_hierarchies
from arena.store.home import Home
from arena.store.store import Store
from tests.support.scene import PATIENCE, SLOW_MACHINE, alive, bots, started, stubborn_folder, tagged
from tests.support.waiting import until

pytestmark = pytest.mark.slow

ENDLESS = ("--games", "100000", *SLOW_MACHINE)
# With control groups any arena that another test starts meanwhile would end what a killed one has left.
BOXES = pytest.mark.parametrize("box", [pytest.param("auto", marks=pytest.mark.alone), "none"])


def boxed(box: str, home: Path) -> tuple[str | Path, ...]:
    return "--sandbox", box, "--home", home


def until_all_are_gone(tag: str, *others: psutil.Process) -> None:
    until(lambda: not tagged(tag), "all bots were gone")
    until(lambda: not any(map(alive, others)), "all that belonged to the referee was gone")


def until_nothing_is_left_of(*referees: int) -> None:
    """Neither control groups nor folders of these processes."""

    def left() -> list[Path]:
        trees = {tree.folder for tree in find_hierarchies().values()}
        return [group for tree in trees for pid in referees for group in tree.glob(f"arena-{pid}-*")]

    until(lambda: not left(), "their control groups were gone")


@BOXES
def test_a_killed_match_leaves_no_bot_and_touches_no_other_match(box: str, tag: str, tmp_path: Path) -> None:
    """Neither those that ignore signals and the end of their stream nor what they have started in another session."""
    other = f"other-{tag}"
    victim = [stubborn_folder(tmp_path / "victim", mode, tag) for mode in ("outlives", "honest")]
    bystander = [stubborn_folder(tmp_path / "bystander", mode, other) for mode in ("outlives", "honest")]
    with (
        started("match", "mantis", *victim, *ENDLESS, *boxed(box, tmp_path / "a")) as killed,
        started("match", "mantis", *bystander, *ENDLESS, *boxed(box, tmp_path / "b")) as goes_on,
    ):
        until(lambda: len(bots(tag)) == len(bots(other)) == 3, "both matches were under way")
        family = psutil.Process(killed.pid).children(recursive=True)
        killed.kill()
        killed.communicate(timeout=PATIENCE)
        until_all_are_gone(tag, *family)
        until_nothing_is_left_of(killed.pid)
        assert len(bots(other)) == 3
        goes_on.send_signal(signal.SIGTERM)
        goes_on.communicate(timeout=PATIENCE)
        assert goes_on.returncode == 143
        until_all_are_gone(other)


@BOXES
def test_a_referee_that_is_killed_while_bots_start_leaves_none(box: str, tag: str, tmp_path: Path) -> None:
    late = stubborn_folder(tmp_path, "comes-late", tag)
    with started("match", "mantis", late, late, *ENDLESS, *boxed(box, tmp_path / "home")) as referee:
        until(lambda: bool(bots(tag)), "a bot had been started")
        referee.kill()
        referee.communicate(timeout=PATIENCE)
        until_all_are_gone(tag)


@BOXES
def test_a_bot_that_is_frozen_ends_with_its_referee(box: str, tag: str, tmp_path: Path) -> None:
    """What is frozen by a control group does not die before it is thawed."""
    bots_of_it = [stubborn_folder(tmp_path, mode, tag) for mode in ("burns", "one-answer")]
    home = tmp_path / "home"
    with started("match", "mantis", *bots_of_it, "--ponder", "off", *ENDLESS, *boxed(box, home)) as referee:
        log = home / "logs" / "burns.log"
        until(lambda: log.exists() and "it is frozen until" in log.read_text(), "the one that burns was frozen")
        referee.kill()
        referee.communicate(timeout=PATIENCE)
        until_all_are_gone(tag)
        until_nothing_is_left_of(referee.pid)


def tournament_of_stubborn_bots(home: Path, tag: str, box: str) -> tuple[str | Path, ...]:
    place = Home(home)
    with Store.open(place.database) as store:
        for mode in ("outlives", "honest"):  # past the check, which would take its time
            content = sha256(mode.encode()).hexdigest()
            stubborn_folder(place.bots, mode, tag).rename(place.bots / content)
            store.bots.register(mode, None, content, f"{content}/", "python", ["mantis"])
    options = ("--bracket", "mantis", "--matches", "1000000", "--jobs", "2", "--at-once", "4")
    return "tournament", "outlives", "honest", *options, *SLOW_MACHINE, *boxed(box, home)


@BOXES
def test_a_killed_conductor_leaves_neither_workers_nor_bots(box: str, tag: str, tmp_path: Path) -> None:
    with started(*tournament_of_stubborn_bots(tmp_path, tag, box)) as conductor:
        until(lambda: len(bots(tag)) == 6, "both workers had their bots")
        family = psutil.Process(conductor.pid).children(recursive=True)
        conductor.kill()
        conductor.communicate(timeout=PATIENCE)
        until_all_are_gone(tag, *family)
        until_nothing_is_left_of(*(process.pid for process in family))


@BOXES
def test_a_conductor_and_all_its_workers_killed_at_once_leave_no_bot(box: str, tag: str, tmp_path: Path) -> None:
    with started(*tournament_of_stubborn_bots(tmp_path, tag, box)) as conductor:
        until(lambda: len(bots(tag)) == 6, "both workers had their bots")
        whole = psutil.Process(conductor.pid)
        workers = [process for process in whole.children() if "arena.tournament.runners" in " ".join(process.cmdline())]
        assert len(workers) == 2
        family = whole.children(recursive=True)
        for process in (whole, *workers):  # so that none of them sees another one die
            process.suspend()
        for process in (whole, *workers):
            process.kill()
        conductor.communicate(timeout=PATIENCE)
        until_all_are_gone(tag, *family)
        until_nothing_is_left_of(*(process.pid for process in family))
