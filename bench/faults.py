"""Measure what faults cost: how many matches a faulty bot forfeits, for different numbers of concurrent matches.

    python -m bench.faults

A bot with a fault plays against `random`, in `arena match` without a sandbox. Which matches and turns have the fault
follows from the cards, so it is the same in every row. The bot notes each fault before it commits it. One fault costs
one match if as many matches are forfeited as faults were noted. The exit code is 1 where that is not so.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

out = Console(highlight=False)

BOT = """\
import os, signal, time, zlib
from arena.bot import Bot

class Faulty(Bot):
    name = "faulty"

    def mantis(self, turn):
        view = turn.view
        if {condition}:
            with open("faults", "a") as file:
                file.write("fault\\n")
            {fault}
        return turn.rng.choice(turn.legal)

Faulty().run()
"""
IN_5_PERCENT_OF_MATCHES = "zlib.crc32(repr(view.dealt).encode()) % 20 == view.seat and len(view.history) > 1"
IN_1_PERCENT_OF_TURNS = "zlib.crc32(repr(view.history).encode()) % 100 == 0"
FAULTS = {
    "raises an exception in 5 % of its matches": (IN_5_PERCENT_OF_MATCHES, 'raise ValueError("a bug")'),
    "ends by SIGSEGV in 1 % of its turns": (IN_1_PERCENT_OF_TURNS, "os.kill(os.getpid(), signal.SIGSEGV)"),
}
AT_ONCE = (1, 4, 32, 256)


def play(condition: str, fault: str, games: int, at_once: int) -> tuple[int, int]:
    """Play a series. Return how many faults the bot has noted, and how many matches it has forfeited."""
    with TemporaryDirectory() as folder:
        bot = Path(folder) / "faulty.py"
        bot.write_text(BOT.format(condition=condition, fault=fault), encoding="utf-8")
        event = ("--games", str(games), "--at-once", str(at_once), "--seed", "faults")
        limits = ("--sandbox", "none", "--time-per-move", "60s", "--time-to-start", "60s")
        command = (sys.executable, "-m", "arena", "match", "mantis", str(bot), "random", *event, *limits, "--json")
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)  # noqa: S603, our own
        noted = (Path(folder) / "faults").read_text(encoding="utf-8").count("fault")
        return noted, sum(json.loads(done.stdout)["bots"][0]["faults"].values())


def main(games: Annotated[int, typer.Option(min=20, help="The length of each series.")] = 1000) -> None:
    """Measure what faults cost."""
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("a bot that …", "matches at once", "faults", "forfeits", "of all matches"):
        table.add_column(heading, justify="left" if heading.startswith("a") else "right")
    wrong = 0
    for name, (condition, fault) in FAULTS.items():
        for at_once in AT_ONCE:
            noted, forfeits = play(condition, fault, games, at_once)
            wrong += noted != forfeits
            table.add_row(name, str(at_once), str(noted), str(forfeits), f"{forfeits / games:.1%}")
    out.print(table)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    typer.run(main)
