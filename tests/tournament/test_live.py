"""Live files: what is written while there are spectators, and that nothing is written otherwise."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from arena.games.registry import codec_of
from arena.protocol.clock import Spent
from arena.referee.match import Limits, Match, MatchPlan
from arena.replay import Decision, FaultKind, dumps, loads, verify
from arena.tournament.config import CONFIG
from arena.tournament.live import LiveFolder, LiveWriter


class Stage:
    """Matches that go on move by move, and a writer that looks on."""

    def __init__(self, path: Path) -> None:
        self.folder = LiveFolder(path)
        self.under_way: dict[str, Match] = {}
        self.writer = LiveWriter(self.folder, self.under_way)
        self.now = 100.0

    def begin(self, name: str, game: str = "mantis") -> Match:
        plan = MatchPlan(name, game, {}, f"secret {name}", ("a 1", "b 1", "c 1"))
        self.under_way[name] = match = Match(plan, Limits())
        return match

    def move(self, match: Match, times: int = 1) -> None:
        for _ in range(times):
            seat = match.seat_to_ask
            if seat is not None:
                match.answer(seat, codec_of(match.plan.game).codes.code_of[match.state.legal()[0]], Spent(1.0))

    def end(self, match: Match) -> None:
        self.move(match, 1000)
        assert match.over
        del self.under_way[match.plan.id]
        match.outcome()

    def look(self, after: float = 0.0) -> None:
        self.now += after
        self.writer.update(self.now)

    @property
    def shown(self) -> set[str]:
        return {name for name, _ in self.folder.matches()}

    def text(self, name: str) -> str:
        return self.folder.file(name).read_text("utf-8")


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    stage = Stage(tmp_path / "live")
    stage.folder.ask()
    return stage


@pytest.mark.parametrize("game", ["mantis", "tentagram"])
def test_a_match_is_written_line_by_line_and_is_its_replay_in_the_end(stage: Stage, game: str) -> None:
    match = stage.begin("1-m-1-1", game)
    stage.look()
    assert stage.text("1-m-1-1").count("\n") == 1
    for moves in range(1, 6):
        stage.move(match)
        stage.look()
        assert stage.text("1-m-1-1").count("\n") == 1 + moves
    match.forfeit(2, FaultKind.CRASH, "It said: </script>\n")
    stage.look()
    assert '"fault": "crash"' in stage.text("1-m-1-1")
    stage.end(match)
    stage.look()
    replay = loads(stage.text("1-m-1-1").encode())
    verify(replay)
    whole = dumps(match.replay)
    assert stage.text("1-m-1-1").splitlines()[1:] == whole.splitlines()[1:]


def test_the_seed_is_not_told(stage: Stage) -> None:
    stage.end(stage.begin("1-m-1-1"))
    match = stage.begin("1-m-1-2")
    stage.look()
    assert "secret" in dumps(match.replay)
    assert "secret" not in stage.text("1-m-1-2")


def test_a_match_that_has_begun_already_is_taken_up_where_it_is(stage: Stage) -> None:
    match = stage.begin("1-m-1-1")
    stage.move(match, 7)
    stage.look()
    assert stage.text("1-m-1-1").count("\n") == 8


def test_a_few_matches_at_a_time_the_latest_first_and_a_new_one_every_other_second(stage: Stage) -> None:
    matches = [stage.begin(f"1-m-{number}-1") for number in range(10)]
    stage.look()
    assert stage.shown == {"1-m-9-1"}
    stage.look(CONFIG.live_start_interval / 2)
    assert stage.shown == {"1-m-9-1"}
    for _ in range(5):
        stage.look(CONFIG.live_start_interval)
    assert stage.shown == {"1-m-9-1", "1-m-8-1", "1-m-7-1"}
    assert len(stage.shown) == CONFIG.live_matches
    stage.end(matches[9])
    stage.look(CONFIG.live_start_interval)
    assert stage.shown == {"1-m-9-1", "1-m-8-1", "1-m-7-1", "1-m-6-1"}, "who came to see the end can still see it"
    stage.look(CONFIG.live_linger + 1)
    assert "1-m-9-1" not in stage.shown


def test_a_match_that_is_broken_off_is_no_longer_shown(stage: Stage) -> None:
    stage.begin("1-m-1-1")
    stage.look()
    del stage.under_way["1-m-1-1"]
    stage.look()
    assert stage.shown == set()


def test_a_worker_that_ends_leaves_only_what_has_ended(stage: Stage) -> None:
    first, second = stage.begin("1-m-1-1"), stage.begin("1-m-2-1")
    stage.look()
    stage.look(CONFIG.live_start_interval)
    assert stage.shown == {"1-m-1-1", "1-m-2-1"}
    stage.end(first)
    stage.move(second)
    stage.writer.close()
    assert stage.shown == {"1-m-1-1"}
    verify(loads(stage.text("1-m-1-1").encode()))


def test_what_a_killed_worker_has_left_is_written_anew(stage: Stage) -> None:
    stage.folder.file("1-m-1-1").write_text("half a li")
    stage.end(stage.begin("1-m-1-1"))
    match = stage.begin("1-m-1-1")
    stage.look()
    stage.end(match)
    stage.look()
    verify(loads(stage.text("1-m-1-1").encode()))


def test_a_link_is_not_followed(stage: Stage, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("precious")
    match = stage.begin("1-m-1-1")
    stage.look()
    stage.folder.file("1-m-1-1").unlink()
    stage.folder.file("1-m-1-1").symlink_to(precious)
    stage.move(match)
    stage.look()
    assert precious.read_text() == "precious"
    assert stage.shown == set()


def test_files_that_cannot_be_written_disturb_nothing(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    match = stage.begin("1-m-1-1")
    stage.look()
    write = os.write

    def half(file: int, data: bytes) -> int:
        return write(file, data[: len(data) // 2])

    monkeypatch.setattr(os, "write", half)  # as on a disk that is full
    stage.move(match)
    stage.look()
    assert stage.shown == set(), "half a line is of no use"
    stage.look(CONFIG.live_retry_delay / 2)
    monkeypatch.setattr(os, "write", write)
    assert stage.shown == set(), "a disk that is full gets a rest"
    stage.look(CONFIG.live_retry_delay)
    assert stage.shown == {"1-m-1-1"}
    assert sum(isinstance(entry, Decision) for entry in match.replay.entries) == 1


def test_a_folder_that_is_gone_disturbs_nothing(stage: Stage) -> None:
    match = stage.begin("1-m-1-1")
    stage.look()
    stage.folder.clear()
    stage.folder.wanted.unlink()
    stage.folder.path.rmdir()
    stage.move(match)
    stage.look()
    stage.look(CONFIG.live_retry_delay)
    assert not stage.writer.files
    stage.folder.ask()


def test_spectators_are_there_as_long_as_they_say_so(tmp_path: Path) -> None:
    folder = LiveFolder(tmp_path / "live")
    assert not folder.is_wanted()
    folder.ask()
    assert folder.is_wanted()
    os.utime(folder.wanted, (0, time.time() - CONFIG.live_request_lifetime - 1))
    assert not folder.is_wanted(), "a web server that was killed does not want anything"
    folder.ask()
    assert folder.is_wanted()


def test_other_users_may_not_enter_the_folder(tmp_path: Path) -> None:
    folder = LiveFolder(tmp_path / "live")
    folder.ask()
    assert folder.path.stat().st_mode & 0o777 == 0o700
    folder.path.chmod(0o755)
    assert not folder.is_wanted(), "all cards would lie open for the bots"


def test_what_is_old_is_cleared_away(stage: Stage) -> None:
    stage.begin("1-m-1-1")
    stage.look()
    other = stage.folder.path / "something else"
    other.touch()
    stage.folder.clear(older_than=60)
    assert stage.shown == {"1-m-1-1"}
    os.utime(stage.folder.file("1-m-1-1"), (0, time.time() - 61))
    stage.folder.clear(older_than=60)
    assert stage.shown == set()
    assert other.exists()
    assert stage.folder.wanted.exists()
