"""The bots that a worker has received."""

from __future__ import annotations

import importlib.util
import io
from pathlib import Path

import pytest

from arena.errors import BadSubmission, BadTournament, BuildFailed
from arena.sandbox import Sandbox
from arena.store.bots import BotVersion
from arena.submissions.archive import pack
from arena.submissions.files import content_hash
from arena.tournament.runners.dask.cache import BotCache, BotNotCached, bundled_contents
from arena.tournament.runners.dask.link import require_distributed

MANIFEST = 'name = "built"\ncommand = ["python", "bot.py"]\nbuild = ["sh", "-c", "cp source.txt made.txt"]\n'
HERE = Sandbox()
"""The tier `none`, which works on every machine."""


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    folder = tmp_path / "bot"
    (folder / "data").mkdir(parents=True)
    (folder / "arena.toml").write_text(MANIFEST, encoding="utf-8")
    (folder / "bot.py").write_text("print('hello')", encoding="utf-8")
    (folder / "source.txt").write_text("source", encoding="utf-8")
    (folder / "data" / "run.sh").write_text("true", encoding="utf-8")
    (folder / "data" / "run.sh").chmod(0o700)
    (folder / "data" / "link").symlink_to("run.sh")
    return folder


def packed(folder: Path) -> bytes:
    target = io.BytesIO()
    pack(folder, target)
    return target.getvalue()


def cached(folder: Path) -> BotVersion:
    content = content_hash(folder)
    return BotVersion(1, "built", "1", content, f"{content}/", "", ("mantis",), "", "", retired=False)


def test_a_bot_is_received_verified_built_and_kept(tmp_path: Path, bot: Path) -> None:
    cache, wanted = BotCache(tmp_path / "cache"), cached(bot)
    with pytest.raises(BotNotCached) as missing:
        cache.launch(wanted, HERE)
    assert (missing.value.content, missing.value.why) == (wanted.content_hash, "")
    cache.receive(wanted.content_hash, packed(bot))
    launch = cache.launch(wanted, HERE)
    assert launch.label == "built 1"
    assert (launch.folder / "made.txt").read_text(encoding="utf-8") == "source"
    assert (launch.folder / "data" / "run.sh").stat().st_mode & 0o100
    assert BotCache(tmp_path / "cache").launch(wanted, HERE) == launch


def test_an_archive_without_the_announced_hash_is_refused(tmp_path: Path, bot: Path) -> None:
    cache, wanted = BotCache(tmp_path / "cache"), cached(bot)
    (bot / "bot.py").write_text("print('another bot')", encoding="utf-8")
    for wrong in (packed(bot), b"", b"no archive", packed(bot)[:-20]):
        cache.receive(wanted.content_hash, wrong)
        with pytest.raises(BadSubmission):
            cache.launch(wanted, HERE)
        with pytest.raises(BotNotCached):
            cache.launch(wanted, HERE)


@pytest.mark.parametrize("changed", ["bot.py", "made.txt", "more.py"])
def test_a_changed_bot_is_requested_again(tmp_path: Path, bot: Path, changed: str) -> None:
    cache, wanted = BotCache(tmp_path / "cache"), cached(bot)
    cache.receive(wanted.content_hash, packed(bot))
    launch = cache.launch(wanted, HERE)
    (launch.folder / changed).write_text("changed", encoding="utf-8")
    with pytest.raises(BotNotCached) as missing:
        cache.launch(wanted, HERE)
    assert "have changed" in missing.value.why
    cache.receive(wanted.content_hash, packed(bot))
    assert cache.launch(wanted, HERE) == launch


def test_a_build_that_fails_leaves_nothing(tmp_path: Path, bot: Path) -> None:
    (bot / "source.txt").unlink()
    cache, wanted = BotCache(tmp_path / "cache"), cached(bot)
    cache.receive(wanted.content_hash, packed(bot))
    with pytest.raises(BuildFailed):
        cache.launch(wanted, HERE)
    with pytest.raises(BotNotCached):
        cache.launch(wanted, HERE)


def test_invalid_content_hashes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSubmission):
        BotCache(tmp_path / "cache").receive("../outside", b"")
    assert not (tmp_path / "outside.tar.gz").exists()


def test_the_bundled_bots_are_known() -> None:
    assert all(len(content) == 64 for content in bundled_contents())


def test_a_missing_dask_is_reported_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(BadTournament, match="need Dask") as refused:
        require_distributed()
    assert "pip install 'arena[cluster]'" in (refused.value.hint or "")
