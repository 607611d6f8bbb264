"""The disk is full, or read-only: a sentence that says what to do, and nothing is lost or left half written."""

from __future__ import annotations

import json
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from arena.requests import SubmitRequest
from arena.sandbox import Sandbox
from arena.store.home import Home
from arena.store.store import Store
from arena.submissions.submit import submit
from tests.support.cli import ARENA, ROOT, arena, complaint
from tests.support.scene import FIELD, PATIENCE, SLOW_MACHINE, Disk, started
from tests.support.tournaments import board, on_record, play, results
from tests.support.waiting import until

pytestmark = pytest.mark.slow

EVENT = (*FIELD, "--seed", "full", "--rounds", "40", "--bracket", "mantis", *SLOW_MACHINE)
MAKE_ROOM = "free some disk space, then run the command again"


def taken_in(path: Path) -> Home:
    """A home with the bots of the field."""
    home = Home(path)
    with Store.open(home.database) as store:
        for bot in FIELD:
            submit(home, store, SubmitRequest(path=bot, time_to_start=60.0), Sandbox(), thorough=False)
    return home


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which the tournament was played without any trouble."""
    home = tmp_path_factory.mktemp("straight")
    play(home, *EVENT)
    return home


# A full disk


def test_a_tournament_whose_disk_fills_up_goes_on_when_there_is_room(straight: Path, disk: Disk) -> None:
    home = taken_in(disk.path / "home").path
    disk.leave_room(100_000)  # much less than its matches take
    seen = 0
    with started("tournament", *EVENT, "--home", home) as conductor:

        def over() -> bool:
            nonlocal seen
            seen = max(seen, on_record(home))
            return conductor.poll() is not None

        until(over, "the tournament had noticed that its disk is full")
        printed, errors = conductor.communicate(timeout=PATIENCE)
    assert conductor.returncode == 2, errors
    assert "Traceback" not in printed + errors
    assert f"Resume with: arena tournament --resume 1 --home {home}" in errors
    assert "database or disk is full." in errors
    assert "hint: Free some disk space" in errors
    disk.make_room()
    kept = on_record(home)
    assert seen <= kept < len(results(straight)) // len(FIELD)
    before = results(home)
    play(home, "--resume")
    assert set(before) <= set(results(home))
    assert results(home) == results(straight)
    assert board(home) == board(straight)


def newcomer(folder: Path) -> Path:
    """A bot that is in no home yet, and quickly tried out."""
    place = folder / "newcomer"
    shutil.copytree(ROOT / "bots" / "random", place, ignore=shutil.ignore_patterns("__pycache__"))
    (place / "arena.toml").write_text('games = ["mantis"]\ncommand = ["python", "bot.py"]\n', encoding="utf-8")
    return place


def test_what_cannot_be_taken_in_for_want_of_room_leaves_nothing(disk: Disk, tmp_path: Path) -> None:
    home, bot = disk.path / "home", newcomer(tmp_path)
    disk.leave_room(0)
    assert "Free some disk space" in complaint("submit", "bots/random", "--home", home)
    disk.make_room()
    place = taken_in(home)
    bots = sorted(place.bots.iterdir())
    disk.leave_room(0)
    sentence = complaint("submit", bot, "--home", home)
    assert "No space left on device" in sentence or "disk space" in sentence
    assert sorted(place.bots.iterdir()) == bots
    disk.make_room()
    names = [bot["bot"] for bot in json.loads(arena("bots", "--json", "--home", home).stdout)]
    assert names == sorted(FIELD)
    assert arena("submit", bot, *SLOW_MACHINE, "--home", home).returncode == 0


FILES = [
    ("leaderboard", "--html"),
    ("export", "seats", "--format", "csv", "-o"),
    ("replay", "export", "1-mantis-1-1"),
]


@pytest.mark.parametrize("command", FILES, ids=" ".join)
def test_a_file_on_a_full_disk_is_named_and_an_older_one_stays(
    command: tuple[str, ...], straight: Path, disk: Disk
) -> None:
    older = disk.path / "older"
    older.write_text("what was here before", encoding="utf-8")
    disk.leave_room(0)
    for file in (older, Path("/dev/full")):
        sentence = complaint(*command, file, "--home", straight)
        assert sentence == f"error: `{file}`: No space left on device: {MAKE_ROOM}."
    assert older.read_text(encoding="utf-8") == "what was here before"
    assert list(disk.path.iterdir()) == [older]


@pytest.mark.parametrize(
    "command",
    [("leaderboard",), ("export", "seats")],
    ids=" ".join,
)
def test_standard_output_may_be_full_too(command: tuple[str, ...], straight: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*ARENA, *command, "--home", str(straight)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == f"error: standard output: No space left on device: {MAKE_ROOM}.\n"


def test_replays_and_starters_on_a_full_disk(disk: Disk) -> None:
    replays = disk.path / "replays"
    replays.mkdir()
    disk.leave_room(0)
    games = ("--games", "2", "--seed", "1")
    sentence = complaint("simulate", "mantis", *games, "--replays", replays)
    assert sentence == f"error: `{replays}/mantis-classic-4-1-1.jsonl`: No space left on device: {MAKE_ROOM}."
    home = ("--home", disk.path / "home", *SLOW_MACHINE)
    assert MAKE_ROOM in complaint("match", "mantis", "random", "random", *games, "--replays", replays, *home)
    assert list(replays.iterdir()) == []
    assert "No space left on device" in complaint("new", disk.path / "my_bot")
    assert not (disk.path / "my_bot").exists()


# A disk that can only be read


WRITING = [
    ("submit", "bots/searcher"),
    ("retire", "random"),
    ("tournament",),
]
READING = [
    ("leaderboard",),
    ("export", "seats"),
    ("replay", "verify", "1-mantis-1-1"),
]


def everything_in(folder: Path) -> dict[Path, str]:
    return {file: sha256(file.read_bytes()).hexdigest() for file in folder.rglob("*") if file.is_file()}


def test_a_home_that_can_only_be_read_can_be_read_and_says_that_it_cannot_be_written(
    straight: Path, disk: Disk
) -> None:
    home = disk.path / "home"
    shutil.copytree(straight, home)
    disk.remount("ro")
    before = everything_in(home)
    for command in WRITING:
        sentence = complaint(*command, "--home", home)
        assert str(home) in sentence
        assert "Read-only file system" in sentence or "The store is read-only" in sentence
        assert "make it writable" in sentence
    for command in READING:
        done = arena(*command, "--home", home)
        assert (done.returncode, done.stderr) == (0, ""), done
        assert done.stdout
    done = arena("match", "mantis", "random", "random", "--games", "2", *SLOW_MACHINE, "--home", home)
    assert done.returncode == 0
    assert done.stderr.startswith(f"The output of the bots is not kept: `{home}/logs`: Read-only file system: make it")
    assert everything_in(home) == before


def test_a_new_home_where_nothing_can_be_written(disk: Disk) -> None:
    disk.remount("ro")
    home = disk.path / "home"
    for command in (("tournament", "random", "greedy"), ("submit", "bots/random")):
        sentence = complaint(*command, "--home", home)
        assert sentence.startswith(
            f"error: Nothing can be written in `{home}`: Read-only file system: make it writable"
        )
    assert "There is no arena in" in complaint("leaderboard", "--home", home)
