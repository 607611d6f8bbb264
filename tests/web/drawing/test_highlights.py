"""A leaderboard's page with matches in it, opened from the disk in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from arena.games.registry import find_game
from arena.replay import simulate_game
from arena.web.exported import leaderboard_page
from tests.support.boards import board
from tests.support.chromium import WIDTHS, new_page, violations

EVIL = "</script><script>document.title='owned'</script>"


@pytest.mark.parametrize("width", WIDTHS)
def test_matches_are_shown_from_the_disk(browser: Browser, tmp_path: Path, width: str) -> None:
    games = [("mantis", 4), ("tentagram", 3)]
    shown = []
    for name, seats in games:
        played = simulate_game(find_game(name), {}, seats, "1", EVIL).replay
        shown.append((f"{EVIL} in {name}", played))
    file = tmp_path / "board.html"
    file.write_text(leaderboard_page([board()], None, "Leaderboard", "now", shown), encoding="utf-8")
    with new_page(browser, WIDTHS[width]) as page:
        page.goto(file.as_uri())
        assert page.locator(".viewer svg").count() == 0
        for number, (name, seats) in enumerate(games):
            page.locator(f"[data-film='{number}']").click()
            title = page.locator("#viewer h3")
            assert title.inner_text().lower().startswith(f"{name} ")
            assert f"{seats} seats" in title.inner_text()
            page.get_by_role("button", name="Last").first.click()
            assert page.locator("#viewer .result").is_visible()
        assert page.title() == "Leaderboard"
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_without_matches_there_is_no_script() -> None:
    assert "<script" not in leaderboard_page([board()], None, "Leaderboard", "now")
