"""The step-through in a real terminal: tmux runs it, keys are typed, the screen is read."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena import replay
from arena.games.registry import find_game
from arena.replay.selfplay import simulate_game
from tests.cli.run import ARENA, ROOT

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed: apt-get install tmux")


class Terminal:
    """A terminal of its own server, so that no other tmux is touched."""

    def __init__(self, socket: Path, command: list[str]) -> None:
        self.tmux = ["tmux", "-S", str(socket), "-f", "/dev/null"]
        self.run(
            "new-session",
            "-d",
            "-x",
            "110",
            "-y",
            "30",
            "-c",
            str(ROOT),
            f"trap : INT; {shlex.join(command)}; sleep 600",
        )

    def run(self, *arguments: str) -> str:
        done = subprocess.run([*self.tmux, *arguments], capture_output=True, text=True, check=True, timeout=60)
        return done.stdout

    def press(self, *keys: str) -> None:
        self.run("send-keys", *keys)

    def press_when_it_listens(self, key: str) -> None:
        """For a program that reads single keys: what is typed before it begins to read, the system throws away."""
        tty = os.open(self.run("display-message", "-p", "#{pane_tty}").strip(), os.O_RDWR | os.O_NOCTTY)
        try:
            deadline = time.monotonic() + 60
            while termios.tcgetattr(tty)[3] & termios.ICANON:
                assert time.monotonic() < deadline, "it does not read keys"
                time.sleep(0.01)
        finally:
            os.close(tty)
        self.press(key)

    def wait_for(self, text: str, *, colours: bool = False) -> str:
        """The screen, as soon as the text is on it."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            screen = self.run("capture-pane", "-p", *(["-e"] if colours else []))
            if text in screen:
                return screen
            time.sleep(0.05)
        pytest.fail(f"{text!r} did not appear; the screen:\n{screen}")

    def close(self) -> None:
        subprocess.run([*self.tmux, "kill-server"], check=False, capture_output=True, timeout=60)


@pytest.fixture(params=["mantis", "tentagram"])
def stepping(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Terminal, int]]:
    """`arena replay show` of a game, and the number of its steps."""
    played = simulate_game(find_game(request.param), {}, 3, "seed", "match").replay
    replay.write(played, tmp_path / "r.jsonl")
    terminal = Terminal(tmp_path / "tmux", [*ARENA, "replay", "show", str(tmp_path / "r.jsonl")])
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
