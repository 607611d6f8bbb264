"""Submitting bots: real files, real builds, real processes."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest

from arena.errors import ArenaError, BadSubmission
from arena.requests import SubmitRequest, UploadTerms
from arena.sandbox import Sandbox
from arena.store.bots import BotVersion
from arena.store.home import Home
from arena.store.store import Store
from arena.submissions.files import content_hash
from arena.submissions.install import Installations, is_installed, launch_of
from arena.submissions.submission import find_launch
from arena.submissions.submit import submit

BOT = """
import sys
from arena.bot import Bot

class Simple(Bot):
    def mantis(self, turn):
        return turn.legal[{choice}]

Simple().run()
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def store(home: Home) -> Store:
    return Store.open(home.database)


def bot_file(tmp_path: Path, text: str = BOT.format(choice=0), name: str = "simple.py") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


class Submitted(NamedTuple):
    version: BotVersion
    is_new: bool


def submit_bot(
    home: Home, store: Store, path: Path | str, name: str | None = None, *, thorough: bool = True
) -> Submitted:
    request = SubmitRequest(path=str(path), name=name, time_to_start=60.0, time_per_move=20.0)
    return Submitted(*submit(home, store, request, Sandbox(), thorough=thorough))


def submit_quickly(home: Home, store: Store, path: Path | str, name: str | None = None) -> Submitted:
    """Submit a bot that only has to start."""
    return submit_bot(home, store, path, name, thorough=False)


def test_a_file_is_copied_checked_and_registered(home: Home, store: Store, tmp_path: Path) -> None:
    path = bot_file(tmp_path)
    submitted = submit_bot(home, store, path)
    assert submitted.is_new
    assert (submitted.version.label, submitted.version.games) == ("simple 1", ("mantis",))
    assert submitted.version.language.startswith("python")
    path.unlink()
    program = launch_of(home, submitted.version)
    assert (program.label, program.folder.parent) == ("simple 1", home.bots.resolve())
    assert Path(program.command[1]).read_text(encoding="utf-8") == BOT.format(choice=0)


def test_the_same_content_again_changes_nothing_and_new_content_is_a_new_version(
    home: Home, store: Store, tmp_path: Path
) -> None:
    path = bot_file(tmp_path)
    first = submit_quickly(home, store, path)
    again = submit_quickly(home, store, path)
    assert not again.is_new
    assert again.version == first.version
    bot_file(tmp_path, BOT.format(choice=-1))
    second = submit_quickly(home, store, path)
    assert second.version.label == "simple 2"
    assert store.bots.find("simple@1").content_hash == first.version.content_hash
    assert launch_of(home, first.version).folder != launch_of(home, second.version).folder


def test_an_archive_is_the_same_version_as_its_folder(home: Home, store: Store, tmp_path: Path) -> None:
    folder = folder_bot(tmp_path, "mkdir out && sed s/{choice}/0/ template.py > out/bot.py")
    with zipfile.ZipFile(tmp_path / "any-name.zip", "w") as archive:
        for path in folder.iterdir():
            archive.write(path, f"built/{path.name}")
        archive.writestr("built/out/bot.py", "raise SystemExit('excluded')")
        archive.writestr("built/.git/config", "")
    first = submit_quickly(home, store, tmp_path / "any-name.zip")
    assert first.version.label == "built 2.5"
    assert submit_quickly(home, store, folder) == Submitted(first.version, is_new=False)
    assert not [path for path in home.bots.iterdir() if path.name.startswith(".")]


def test_files_without_the_announced_hash_are_refused(home: Home, store: Store, tmp_path: Path) -> None:
    request = SubmitRequest(path=str(bot_file(tmp_path)), upload=UploadTerms("0" * 64, 10**6, 10))
    with pytest.raises(BadSubmission, match="announced content hash"):
        submit(home, store, request, Sandbox())
    assert list(home.bots.iterdir()) == []


def test_a_home_with_the_archive_of_an_earlier_release(home: Home, store: Store, tmp_path: Path) -> None:
    folder = folder_bot(tmp_path, "mkdir out && sed s/{choice}/0/ template.py > out/bot.py")
    version = submit_quickly(home, store, folder).version
    installations = Installations(home.bots)
    archive = installations.archive(version)
    installations.archive_path(version.content_hash).rename(home.bots / f"{version.content_hash}.parcel")
    assert installations.archive(version) == archive


def test_two_bots_may_have_the_same_content(home: Home, store: Store, tmp_path: Path) -> None:
    path = bot_file(tmp_path)
    first = submit_quickly(home, store, path)
    twin = submit_quickly(home, store, path, name="twin")
    assert twin.is_new
    assert twin.version.content_hash == first.version.content_hash
    assert launch_of(home, twin.version).label == "twin 1"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("raise SystemExit('I am not in the mood')", "I am not in the mood"),
        (BOT.format(choice="99"), "plays mantis classic, 2 seats"),
        ("from arena.bot import Bot\nimport friend_that_was_not_copied\n", "friend_that_was_not_copied"),
    ],
    ids=["does not start", "crashes in a game", "needs another file"],
)
def test_a_bot_that_fails_is_refused_and_leaves_nothing(
    text: str, why: str, home: Home, store: Store, tmp_path: Path
) -> None:
    with pytest.raises(BadSubmission, match=why):
        submit_bot(home, store, bot_file(tmp_path, text))
    assert store.bots.all_versions() == []
    assert list(home.bots.iterdir()) == []


def folder_bot(tmp_path: Path, build: str) -> Path:
    folder = tmp_path / "built"
    folder.mkdir()
    (folder / "template.py").write_text(BOT, encoding="utf-8")
    (folder / "arena.toml").write_text(
        f'name = "built"\nversion = "2.5"\ngames = ["mantis"]\ncommand = ["python", "out/bot.py"]\n'
        f'build = ["sh", "-c", "{build}"]\nexclude = ["out"]\n',
        encoding="utf-8",
    )
    return folder


def test_a_folder_is_built_in_the_home(home: Home, store: Store, tmp_path: Path) -> None:
    folder = folder_bot(tmp_path, "mkdir out && sed s/{choice}/0/ template.py > out/bot.py")
    (folder / "out").mkdir()
    (folder / "out" / "bot.py").write_text("raise SystemExit('built before')")
    submitted = submit_quickly(home, store, folder)
    assert submitted.version.label == "built 2.5"
    assert (launch_of(home, submitted.version).folder / "out" / "bot.py").exists()
    # what the build made does not count: the same files are the same version
    assert not submit_quickly(home, store, folder).is_new
    # a change without a new version in the manifest is a new version
    (folder / "README").write_text("Now with a manual.")
    assert submit_quickly(home, store, folder).version.label == "built 2.5-2"


def test_a_build_that_fails_is_told_with_its_output(home: Home, store: Store, tmp_path: Path) -> None:
    folder = folder_bot(tmp_path, "echo no flour; exit 3")
    with pytest.raises(ArenaError, match=r"the build ended with exit code 3.\n    \| no flour"):
        submit_bot(home, store, folder)
    assert list(home.bots.iterdir()) == []


@pytest.mark.parametrize("name", ["", " ", "a@b", "x" * 61, "two\nlines", " padded"])
def test_names_that_are_none(name: str, home: Home, store: Store, tmp_path: Path) -> None:
    with pytest.raises(BadSubmission, match="Invalid name"):
        submit_bot(home, store, bot_file(tmp_path), name=name)


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("nowhere", "not a regular file, or a broken link"),
        ("/etc/hostname", "a link that leaves the bot's folder"),
        ("/dev/zero", "a link that leaves the bot's folder"),
        (".", "a link to a folder"),
        ("..", "a link that leaves the bot's folder"),
    ],
)
def test_links_that_would_copy_what_is_not_the_bots_are_refused(
    target: str, why: str, home: Home, store: Store, tmp_path: Path
) -> None:
    folder = folder_bot(tmp_path, "true")
    (folder / "link").symlink_to(target)
    with pytest.raises(BadSubmission, match=f"link` is {why}"):
        submit_bot(home, store, folder)


def test_what_an_interrupted_submission_left_behind_is_built_anew(home: Home, store: Store, tmp_path: Path) -> None:
    folder = folder_bot(tmp_path, "mkdir out && sed s/{choice}/0/ template.py > out/bot.py")
    content = submit_quickly(home, store, folder).version.content_hash
    other_home = Home(tmp_path / "other")
    (other_home.bots / content / "half").mkdir(parents=True)
    with Store.open(other_home.database) as other_store:
        assert submit_quickly(other_home, other_store, folder).is_new
    assert not (other_home.bots / content / "half").exists()


def test_a_home_that_shares_the_store_gets_the_files_and_no_version_more(
    home: Home, store: Store, tmp_path: Path
) -> None:
    folder = folder_bot(tmp_path, "mkdir out && sed s/{choice}/0/ template.py > out/bot.py")
    first = submit_quickly(home, store, folder).version
    other_home = Home(tmp_path / "other")
    assert not is_installed(other_home, first)
    (other_home.bots / first.content_hash / "half").mkdir(parents=True)  # what an interrupted submission left behind
    (other_home.bots / f".begun-{first.content_hash}").touch()
    for _ in range(2):
        assert submit_quickly(other_home, store, folder) == Submitted(first, is_new=False)
        assert launch_of(other_home, first).label == first.label
        assert (other_home.bots / first.content_hash / "out" / "bot.py").exists()
        assert not (other_home.bots / first.content_hash / "half").exists()
    assert store.bots.all_versions() == [first]


def test_bundled_bots_are_taken_in_by_name(home: Home, store: Store) -> None:
    submitted = submit_quickly(home, store, "random")
    assert submitted.version.label == find_launch("random").label == "random 1.0"
    assert set(submitted.version.games) == {"mantis", "tentagram"}


def test_the_content_hash_knows_names_contents_and_what_can_be_executed(tmp_path: Path) -> None:
    hashes = set()
    folder = tmp_path / "files"
    folder.mkdir()
    for change in (
        lambda: (folder / "a").write_text("1"),
        lambda: (folder / "a").write_text("2"),
        lambda: (folder / "a").rename(folder / "b"),
        lambda: (folder / "b").chmod(0o755),
    ):
        change()
        hashes.add(content_hash(folder))
    assert len(hashes) == 4
    os.utime(folder / "b", (0, 0))
    assert content_hash(folder) in hashes
