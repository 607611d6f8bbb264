"""Kuhn poker from end to end: a third game that the arena knows by its package alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from arena.games.registry import GAMES
from arena.replay import simulate_game
from arena.web.exported import match_page
from arena.web.viewer.chances import chances_of
from arena.web.viewer.film import film_of
from tests.games.kuhn import GAME
from tests.games.kuhn.game import BET, PASS, State
from tests.support.chromium import new_page
from tests.support.cli import ROOT
from tests.support.game_steps import forgotten_steps
from tests.support.playthroughs import check_playthrough
from tests.support.variants import Variant, variants_of

HERE = Path(__file__).parent
BOTS = [str(HERE / "bots" / name) for name in ("caller.py", "gambler.py")]


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "kuhn", GAME)


def test_no_step_is_forgotten() -> None:
    assert forgotten_steps(GAME, HERE / "golden", HERE) == []


@pytest.mark.parametrize("variant", list(variants_of(GAME)), ids=str)
def test_golden_playthrough(variant: Variant, request: pytest.FixtureRequest) -> None:
    check_playthrough(variant, HERE / "golden", update=request.config.getoption("--update"))


@pytest.mark.parametrize(
    ("actions", "chips"),
    [((PASS, PASS), (-1, 1)), ((BET, PASS), (1, -1)), ((BET, BET), (-2, 2)), ((PASS, BET, PASS), (-1, 1))],
)
def test_who_wins_the_pot(actions: tuple[object, ...], chips: tuple[int, int]) -> None:
    state = State(("Q", "K"), ("J", "Q", "K"), 1)
    for action in actions:
        state.apply(action)  # type: ignore[arg-type]
    assert (state.to_move, state.result().chips) == (None, chips)


def arena(home: Path, *words: str) -> str:
    """What a command prints, in a process that knows the game by ARENA_GAMES."""
    env = {**os.environ, "ARENA_GAMES": "tests.games.kuhn", "ARENA_HOME": str(home), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "arena", *words]
    done = subprocess.run(command, cwd=home, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_tournament_is_played_rated_recorded_and_shown(tmp_path: Path) -> None:
    brackets = ("--bracket", "kuhn", "--bracket", "kuhn/four/double")
    arena(tmp_path, "tournament", *BOTS, *brackets, "--rounds", "30", "--sandbox", "none", "--jobs", "1")
    boards = json.loads(arena(tmp_path, "leaderboard", "--json"))
    rows = {board["bracket"]: board["rows"] for board in boards["brackets"]}
    assert set(rows) == {"kuhn", "kuhn/four/double"}
    for bots in rows.values():
        assert {row["bot"] for row in bots} == {"caller", "gambler"}
        assert {row["matches"] for row in bots} == {60}
        assert [row["faults"] for row in bots] == [{}, {}]
    assert "2 of 2 verified" in arena(tmp_path, "replay", "verify", "1-kuhn-1-1", "1-kuhn.four.double-1-1")
    shown = arena(tmp_path, "replay", "show", "1-kuhn-1-1")
    assert "card: " in shown
    assert "caller 1: " in shown


def test_its_rule_book_is_shown(tmp_path: Path) -> None:
    assert "Kuhn" in arena(tmp_path, "rules", "kuhn")


def test_options_of_the_game_are_options_of_the_command(tmp_path: Path) -> None:
    simulated = arena(tmp_path, "simulate", "kuhn", "--deck", "four", "--ante", "double", "--games", "5", "--json")
    assert json.loads(simulated)["options"] == {"deck": "four", "ante": "double"}
    match = ("match", "kuhn", *BOTS, "--deck", "four", "--games", "20", "--sandbox", "none", "--json")
    assert json.loads(arena(tmp_path, *match))["options"] == {"deck": "four", "ante": "single"}


def test_a_game_without_drawings_is_shown_in_the_browser_as_text(browser: Browser, tmp_path: Path) -> None:
    replay = simulate_game(GAME, {}, 2, "seed", "match").replay
    file = tmp_path / "match.html"
    file.write_text(match_page(film_of(replay), chances_of(replay, moves=200)), encoding="utf-8")
    with new_page(browser) as page:
        page.goto(f"{file.as_uri()}#step=1")
        page.wait_for_selector(".viewer[data-step='1']")
        assert "card: " in page.inner_text(".plain .seat[data-seat='1'] .known")
        assert page.inner_text(".now").startswith("random: ")
        page.goto(f"{file.as_uri()}#step=1&seat=0")
        page.wait_for_selector(".viewer[data-seat='0']")
        assert page.inner_text(".plain .seat[data-seat='1'] .known") == ""
