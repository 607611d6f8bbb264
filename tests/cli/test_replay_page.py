"""`arena replay export --html`: a match as a page."""

from __future__ import annotations

from pathlib import Path

from arena.replay import dumps
from arena.web.exported import match_page
from arena.web.viewer.chances import chances_of
from arena.web.viewer.film import film_of
from tests.support.cli import arena, complaint, said
from tests.support.films import random_match, variant


def test_a_replay_file_becomes_a_page(tmp_path: Path) -> None:
    replay = random_match(variant("mantis-grab-2"))
    (tmp_path / "a.match.jsonl").write_text(dumps(replay), encoding="utf-8")
    done = arena("replay", "export", "a.match.jsonl", "--html", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout == ""
    assert said(done) == ["The page is in a.match.html: open it in a browser."]
    page = (tmp_path / "a.match.html").read_text("utf-8")
    assert page == match_page(film_of(replay), chances_of(replay))
    assert page.startswith("<!doctype html>")


def test_a_replay_that_does_not_hold_becomes_no_page(tmp_path: Path) -> None:
    replay = random_match(variant("mantis-grab-2"))
    replay.result = {**replay.result, "winners": []}
    (tmp_path / "match.jsonl").write_text(dumps(replay), encoding="utf-8")
    sentence = complaint("replay", "export", tmp_path / "match.jsonl", tmp_path / "match.html", "--html")
    assert "by the rules the result is winners" in sentence
    assert not (tmp_path / "match.html").exists()
