"""No step of CONTRIBUTING.md's "How to add a game" is forgotten, and a forgotten one is named."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from arena.games.base import AnyGame
from arena.games.registry import GAMES, register
from tests.support.cli import ROOT
from tests.support.game_steps import forgotten_steps

KUHN = ROOT / "tests" / "games" / "kuhn"


@pytest.mark.parametrize("game", GAMES)
def test_no_step_is_forgotten(game: str) -> None:
    assert forgotten_steps(GAMES[game]) == []


@pytest.fixture
def unfinished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of Kuhn poker, as the package `unfinished`, to leave things out of."""
    package = tmp_path / "unfinished"
    shutil.copytree(KUHN, package)
    for file in package.glob("*.py"):
        file.write_text(file.read_text().replace("tests.games.kuhn", "unfinished"))
    monkeypatch.syspath_prepend(tmp_path)
    yield package
    GAMES.pop("kuhn", None)
    for name in [name for name in sys.modules if name.partition(".")[0] == "unfinished"]:
        del sys.modules[name]


def steps_of(package: Path, *, registered: bool = True) -> str:
    game: AnyGame = import_module("unfinished").GAME
    if registered:
        register(game)
    return "\n".join(forgotten_steps(game, package / "golden", package))


def test_nothing_is_missing_when_all_is_there(unfinished: Path) -> None:
    assert steps_of(unfinished) == ""


@pytest.mark.parametrize(
    ("left_out", "said"),
    [
        ("RULES.md", "step 1: the package unfinished has no RULES.md"),
        ("codec.py", "step 2: The game `kuhn` has no module `unfinished.codec` with `CODEC`."),
        ("words.py", "step 3: The game `kuhn` has no module `unfinished.words` with `WORDS`."),
        ("profile.py", "step 4: The game `kuhn` has no module `unfinished.profile` with `PROFILE`."),
        ("golden/kuhn-four-double-2.txt", "step 6: no golden playthrough of kuhn/four/double"),
        ("test_kuhn.py", "step 6: no tests of its rules"),
    ],
)
def test_what_is_left_out_is_named(unfinished: Path, left_out: str, said: str) -> None:
    (unfinished / left_out).unlink()
    assert said in steps_of(unfinished)


def test_a_game_that_is_not_registered_is_named(unfinished: Path) -> None:
    assert "step 5: kuhn is not registered" in steps_of(unfinished, registered=False)
