"""`arena play` in a real terminal: tmux runs it, a person's keys are typed, the screen is read."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena import replay
from tests.support.cli import ARENA
from tests.support.terminal import Terminal

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed: apt-get install tmux")


@pytest.fixture
def playing(tmp_path: Path) -> Iterator[Terminal]:
    """A game of Mantis that waits for the person's first move; its exit code is shown at the end."""
    options = ["--seed", "s", "--time-per-move", "20s", "--home", str(tmp_path)]
    command = shlex.join([*ARENA, "play", "mantis", "greedy", *options])
    terminal = Terminal(tmp_path / "tmux", ["sh", "-c", f"trap : INT; {command}; echo exit code $?"])
    terminal.wait_for("Your turn: 1 score  2 steal 1")
    yield terminal
    terminal.close()


def test_the_table_is_drawn_and_what_is_typed_is_answered(playing: Terminal) -> None:
    assert "\x1b[" in playing.wait_for("draw pile 97", colours=True)
    playing.press("odds", "Enter")
    playing.wait_for("to score with success")
    playing.press("steal 0", "Enter")
    playing.wait_for("'steal 0' is not legal: seat 0 cannot steal from itself")
    playing.press("scote", "BSpace", "BSpace", "re", "Enter")
    playing.wait_for("seat 0 you scores: flips")
    playing.wait_for("draw pile 95")


def test_a_game_is_played_to_its_end(playing: Terminal, tmp_path: Path) -> None:
    playing.press(*["1", "Enter"] * 150)
    screen = playing.wait_for("exit code 0")
    assert "The replay: arena replay show" in screen
    assert "You won!" in screen or "You did not win." in screen
    (file,) = (tmp_path / "replays").iterdir()
    assert replay.verify(replay.loads(file.read_bytes()))


@pytest.mark.parametrize("key", ["C-d", "C-c"])
def test_leaving_ends_the_game(key: str, playing: Terminal, tmp_path: Path) -> None:
    playing.press(key)
    screen = playing.wait_for("exit code 130")
    assert "Traceback" not in screen
    assert not (tmp_path / "replays").exists()
