"""Measure start-up: the CPU time of short commands and imports, and how soon a tournament's first match begins.

    python -m bench.startup

How it is measured:
- a round runs every command once; the median over the rounds counts, of user and system time together;
- an empty Python process is the limit: every time is also given as a multiple of it;
- a bot notes the time of its first turn, so the last line is time on the clock, from the command to that turn: it
  contains the start of the conductor, of a worker and of the bot in its sandbox, and depends on what else is running.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

LIMIT = "python -c pass"
PROCESSES: Mapping[str, tuple[str, ...]] = {
    LIMIT: ("-c", "pass"),
    "arena --version": ("-m", "arena", "--version"),
    "arena --help": ("-m", "arena", "--help"),
    "arena tournament --help": ("-m", "arena", "tournament", "--help"),
    "arena leaderboard --help": ("-m", "arena", "leaderboard", "--help"),
    "arena games": ("-m", "arena", "games"),
    "import arena.bot": ("-c", "import arena.bot"),
    "import the worker": ("-c", "import arena.tournament.runners.worker"),
}
TARGETS = {"arena --version": 0.1, "arena --help": 0.25}
"""Seconds of CPU time."""
FIRST_TURN_TARGET = 1.0
"""Seconds on the clock."""
BOT = """\
import sys, time
from arena.bot import Bot

class FirstTurn(Bot):
    name, version, asked = "first_turn", "1", False

    def mantis(self, turn):
        if not self.asked:
            self.asked = True
            print(f"first turn at {time.time():.3f} s", file=sys.stderr, flush=True)
        return turn.legal[0]

FirstTurn().run()
"""


def main(
    rounds: Annotated[int, typer.Option(min=1, help="How often each command is run.")] = 15,
    tournaments: Annotated[int, typer.Option(min=0, help="How many tournaments are started.")] = 5,
) -> None:
    """Measure start-up."""
    used: dict[str, list[float]] = {name: [] for name in PROCESSES}
    with TemporaryDirectory() as folder:
        for _ in range(rounds):
            for name, words in PROCESSES.items():
                used[name].append(cpu_seconds(words, Path(folder)))
        limit = median(used[LIMIT])
        print(f"CPU time, median of {rounds} rounds, and as a multiple of an empty process:")
        for name, times in used.items():
            found = median(times)
            print(f"  {name:<26} {1000 * found:6.0f} ms {found / limit:6.1f} x{verdict(found, TARGETS.get(name))}")
        if tournaments:
            found = median(first_turns(Path(folder), tournaments))
            print(f"From `arena tournament` to the first turn, median of {tournaments}, on the clock:")
            print(f"  {found:.2f} s{verdict(found, FIRST_TURN_TARGET)}")


def verdict(found: float, target: float | None) -> str:
    if target is None:
        return ""
    return f"   (at most {1000 * target:.0f} ms: {'reached' if found <= target else 'NOT reached'})"


def cpu_seconds(words: tuple[str, ...], folder: Path) -> float:
    """Return the CPU time of a Python process with these arguments."""
    process = subprocess.Popen((sys.executable, *words), cwd=folder, stdout=subprocess.DEVNULL)  # noqa: S603, our own
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, words
    return usage.ru_utime + usage.ru_stime


def first_turns(folder: Path, tournaments: int) -> list[float]:
    """Return how many seconds after the start of each tournament its first turn is sent."""
    (folder / "first_turn.py").write_text(BOT, encoding="utf-8")
    run(folder, "submit", "first_turn.py")
    run(folder, "tournament", "first_turn", "random", "--bracket", "mantis", "--matches", "2")  # submits `random`, too
    found = []
    for _ in range(tournaments):
        began = time.time()
        run(folder, "tournament", "first_turn", "random", "--bracket", "mantis", "--matches", "2")
        written = "".join(log.read_text(encoding="utf-8") for log in (folder / ".arena" / "logs").glob("first_turn*"))
        turns = [float(at) for at in re.findall(r"first turn at ([0-9.]+) s", written)]
        found.append(min(at for at in turns if at > began) - began)
    return found


def run(folder: Path, *words: str) -> None:
    command = (sys.executable, "-m", "arena", *words)
    subprocess.run(command, cwd=folder, check=True, capture_output=True)  # noqa: S603, our own


if __name__ == "__main__":
    typer.run(main)
