"""Live files, read while they are written by workers or by an attacker."""

from __future__ import annotations

import json
import os
from pathlib import Path
from random import Random

import pytest

from arena.games.registry import find_game
from arena.replay import dumps, loads, simulate_game
from arena.tournament.live import LiveFolder
from arena.web.config import CONFIG
from arena.web.live.match import LiveMatch, joined
from arena.web.viewer.film import film_of


def replay_of(game: str) -> bytes:
    return dumps(simulate_game(find_game(game), {}, 3, "seed", "1-m-1-1").replay).encode()


def live_match(file: Path) -> LiveMatch:
    file.touch()
    return LiveMatch("1-m-1-1", file, file.stat().st_ino, 0.0)


@pytest.mark.parametrize("game", ["mantis", "tentagram"])
def test_a_film_grows_with_its_file_wherever_that_is_cut(tmp_path: Path, game: str) -> None:
    whole = replay_of(game)
    file = tmp_path / "match"
    shown = live_match(file)
    rng = Random(1)
    more = None
    read = 0
    while read < len(whole):
        read += rng.randrange(1, 300)
        file.write_bytes(whole[:read])
        if added := shown.read_more():
            more = added if more is None else joined(more, added)
        assert not shown.is_broken
        if shown.maker:
            message = json.loads(shown.message(0.0) or "")
            assert message["film"] == json.loads(json.dumps(shown.film))
    assert shown.is_over
    expected = film_of(loads(whole))
    del expected["seed"]  # it is secret
    assert shown.film == expected
    assert more is not None
    assert (more["start"], more["entries"]) == (0, expected["entries"])
    assert more.get("frames", []) == expected.get("frames", [])[1:]
    assert more["result"] == expected["result"]
    assert "seed" not in more


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe\n",
        b"{}\n",
        b'{"format": "arena.replay/1"}\n',
        b"[" * 100_000 + b"\n",
        b"x" * (LiveFolder.max_bytes + 1),
    ],
)
def test_what_is_no_match_is_not_shown(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "match"
    shown = live_match(file)
    file.write_bytes(content)
    assert shown.read_more() is None
    shown.read_more()
    assert shown.is_broken
    assert shown.message(0.0) is None


def test_moves_that_the_rules_do_not_allow_end_the_display(tmp_path: Path) -> None:
    file = tmp_path / "match"
    shown = live_match(file)
    header = replay_of("mantis").split(b"\n")[0]
    file.write_bytes(header + b'\n{"seat": 2, "action": "score", "ms": 1}\n')
    assert shown.read_more() is None
    assert shown.is_broken


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(replay_of("mantis"))
    file = tmp_path / "match"
    shown = live_match(file)
    file.unlink()
    file.symlink_to(tmp_path / "other")
    with pytest.raises(OSError, match="Too many levels"):
        shown.read_more()


def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    file = tmp_path / "match"
    shown = live_match(file)
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(OSError, match="seek"):
        shown.read_more()


def test_a_match_that_is_over_at_once_is_shown_at_a_speed_that_people_can_follow(tmp_path: Path) -> None:
    file = tmp_path / "match"
    shown = live_match(file)
    file.write_bytes(replay_of("mantis"))
    shown.read_more()
    shown.restart(100.0)
    assert [shown.step_at(100.0 + CONFIG.seconds_per_step * steps) for steps in (0, 1.1, 5.1)] == [0, 1, 5]
    assert not shown.is_through(100.0 + CONFIG.seconds_per_step * (shown.steps - 1), 0.0)
    assert not shown.is_through(101.0 + CONFIG.seconds_per_step * shown.steps, 5.0), "the end is shown for a while"
    assert shown.is_through(106.0 + CONFIG.seconds_per_step * shown.steps, 5.0)


def test_who_comes_in_the_middle_of_a_match_is_near_its_end(tmp_path: Path) -> None:
    file = tmp_path / "match"
    shown = live_match(file)
    file.write_bytes(b"".join(line + b"\n" for line in replay_of("mantis").split(b"\n")[:21]))
    shown.read_more()
    assert shown.steps == 20
    assert 15 <= shown.step_at(0.0) < 20
    assert shown.step_at(100.0) == 20
    assert not shown.is_through(1000.0, 0.0), "it is still running"
