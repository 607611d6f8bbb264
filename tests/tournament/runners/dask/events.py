"""Tournaments that are played here and on a cluster, and must come to the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from arena.requests import SubmitRequest
from arena.sandbox import Sandbox
from arena.store.home import Home
from arena.store.store import Store
from arena.submissions.submit import submit
from tests.support.cli import SLOW_MACHINE
from tests.support.tournaments import board, kept, results

BUILT = """
name = "built"
command = ["python", "bot.py"]
build = ["sh", "-c", "cp source.txt bot.py"]
exclude = ["bot.py"]
"""
FIRST_CHOICE = """
from arena.bot import Bot

class FirstChoice(Bot):
    def mantis(self, turn):
        return turn.legal[0]

FirstChoice().run()
"""
FIELD = ("random", "greedy", "built")


def event(rounds: int) -> tuple[str, ...]:
    """The options of a tournament with three matches in each round."""
    return (*FIELD, "--seed", "cluster", "--rounds", str(rounds), "--bracket", "mantis", *SLOW_MACHINE)


def take_in(folder: Path) -> Path:
    """A home that has the bots: to take them in once is enough for all tournaments. One of them is built."""
    (folder / "built").mkdir()
    (folder / "built" / "arena.toml").write_text(BUILT, encoding="utf-8")
    (folder / "built" / "source.txt").write_text(FIRST_CHOICE, encoding="utf-8")
    home = Home(folder / "home")
    with Store.open(home.database) as store:
        for bot in ("random", "greedy", str(folder / "built")):
            submit(home, store, SubmitRequest(path=bot, time_to_start=60.0), Sandbox(), thorough=False)
    return folder / "home"


class Record(NamedTuple):
    """What a tournament has come to."""

    results: list[Any]
    kept: list[Any]
    board: Any


def record(home: Path) -> Record:
    return Record(results(home), kept(home), board(home))


def check_equal(home: Path, straight: Record) -> None:
    assert results(home) == straight.results
    assert kept(home) == straight.kept
