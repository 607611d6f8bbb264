"""Leaderboards that move while a tournament is played, in a real browser."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.support.chromium import new_page
from tests.support.cli import SLOW_MACHINE, arena
from tests.support.web_server import serving

PATIENCE = 60_000


def test_boards_follow_a_tournament(browser: Browser, tmp_path: Path) -> None:
    """The board of a bracket and the one across brackets change without being loaded again: more matches are counted,
    bands become narrower, and who comes in is there."""

    def play(*bots: str, rounds: int) -> None:
        options = ("--bracket", "mantis", "--seats", "2", "--rounds", str(rounds), "--seed", "1", *SLOW_MACHINE)
        done = arena("tournament", *bots, *options, "--home", tmp_path)
        assert done.returncode == 0, done.stderr

    play("random", "greedy", rounds=1)
    with serving(tmp_path) as served, new_page(browser) as board, new_page(browser) as across:
        board.goto(f"{served.address}/boards/mantis")
        across.goto(served.address)
        for page in (board, across):
            expect(page.locator("[data-follow]")).to_have_attribute("data-connected", "", timeout=PATIENCE)
            page.evaluate("globalThis.still = true")
        band = board.locator("tr[data-key^='greedy'] .band-of")
        wide = band.evaluate("band => band.getBoundingClientRect().width")
        play("random", "greedy", "counter", rounds=20)
        expect(board.locator("table.moving tbody tr")).to_have_count(3, timeout=PATIENCE)
        expect(board.locator("[data-part=facts]")).to_contain_text("122 matches", timeout=PATIENCE)
        expect(across.locator("[data-part=overall] tbody tr")).to_have_count(3, timeout=PATIENCE)
        board.wait_for_function(
            "wide => document.querySelector(\"tr[data-key^='greedy'] .band-of\").getBoundingClientRect().width < wide",
            arg=wide,
            timeout=PATIENCE,
        )
        names = board.locator("table.moving tbody th").all_inner_texts()
        assert names[-1] == "random"
        for page in (board, across):
            assert page.evaluate("globalThis.still"), "it was loaded again"
