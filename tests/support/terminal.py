"""A real terminal: tmux."""

from __future__ import annotations

import os
import shlex
import subprocess
import termios
import time
from pathlib import Path

import pytest

from tests.support.cli import ROOT


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
