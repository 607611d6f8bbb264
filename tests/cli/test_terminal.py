"""The step-through in a real terminal: tmux runs it, keys are typed, the screen is read."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena import replay
from arena.games.registry import find_game
from arena.replay import simulate_game
from tests.support.cli import ARENA
from tests.support.terminal import Terminal

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed: apt-get install tmux")


@pytest.fixture(params=["mantis", "tentagram"])
def stepping(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Terminal, int]]:
    """`arena replay show` of a game, and the number of its steps."""
    played = simulate_game(find_game(request.param), {}, 3, "seed", "match").replay
    file = replay.write(played, tmp_path)
    terminal = Terminal(tmp_path / "tmux", [*ARENA, "replay", "show", str(file)])
    yield terminal, len(played.entries)
    terminal.close()


def test_keys_lead_through_the_match(stepping: tuple[Terminal, int]) -> None:
    terminal, steps = stepping
    terminal.wait_for("seed seed")
    terminal.press_when_it_listens("Right")
    terminal.wait_for(f" 1/{steps}  seat 0 random")
    terminal.press_when_it_listens("Space")
    terminal.wait_for(f" 2/{steps}  seat 1 random")
    terminal.press_when_it_listens("Left")
    terminal.wait_for(f" 1/{steps}  seat 0 random")
    terminal.press_when_it_listens("G")
    terminal.wait_for(f"{steps}/{steps}  seat")
    screen = terminal.wait_for("Places: 1. seat")
    assert "q quit" in screen
    assert f" 1/{steps}  seat 0" not in screen
    terminal.press_when_it_listens("g")
    terminal.wait_for("seed seed")
    terminal.press_when_it_listens("q")
    deadline = time.monotonic() + 60
    while "q quit" in terminal.run("capture-pane", "-p"):
        assert time.monotonic() < deadline, "it did not quit"
        time.sleep(0.05)


def test_the_terminal_shows_colours(stepping: tuple[Terminal, int]) -> None:
    terminal, _ = stepping
    assert "\x1b[" in terminal.wait_for("seat 0 random", colours=True)
