"""Every page in a real browser, wide and narrow: what it says, that everybody can use it, and that nothing goes wrong.

The names, the notes and the output of one of the bots are written by an attacker.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page

from arena.store.home import Home
from arena.store.schema import ALL
from arena.store.store import Store
from tests.support.chromium import WIDTHS, new_page, violations
from tests.support.cli import SLOW_MACHINE, arena
from tests.support.web_server import Served, serving

EVIL = '"><img src=x onerror=alert(1)>'
EVIL_NOTE = "</script><script>document.title='owned'</script>"
CRASHER = """
import os
import sys

from arena.bot import Bot


class Crasher(Bot):
    name = "crasher"

    def mantis(self, turn):
        if turn.clock.seconds_left < 10:  # while it is tried out
            return turn.rng.choice(turn.legal)
        print("<script>document.title='owned'</script> \\x1b[31m last words", file=sys.stderr, flush=True)
        os._exit(3)

    def tentagram(self, turn):
        return turn.action(turn.rng.choice(turn.fits))


if __name__ == "__main__":
    Crasher().run()
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An arena in which something has happened."""
    folder = tmp_path_factory.mktemp("arena")
    home = folder / "home"
    crasher = folder / "crasher.py"
    crasher.write_text(CRASHER)
    with_home = ("--home", home)
    submitted = arena("submit", crasher, "--name", EVIL, "--notes", EVIL_NOTE, *with_home)
    assert submitted.returncode == 0, submitted.stderr
    bots = ("random", "greedy", EVIL)
    options = ("--rounds", "3", "--seats", "3", "--seed", "7", *SLOW_MACHINE)
    played = arena("tournament", *bots, "--bracket", "mantis", "--bracket", "tentagram", *options, *with_home)
    assert played.returncode == 0, played.stderr
    knockout = ("--format", "knockout", "--seats", "2", "--deals", "2", "--name", EVIL_NOTE, "--seed", "8")
    played = arena("tournament", *bots, "--bracket", "mantis", *knockout, *SLOW_MACHINE, *with_home)
    assert played.returncode == 0, played.stderr
    return home


@pytest.fixture(scope="module")
def served(home: Path) -> Iterator[Served]:
    with serving(home) as running:
        yield running


@pytest.fixture(params=WIDTHS)
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    with new_page(browser, WIDTHS[request.param]) as opened:
        yield opened


PAGES = {
    "home": "/",
    "board": "/boards/mantis",
    "board of a tournament": "/boards/mantis?tournament=1&versions=latest&seats=3",
    "bots": "/bots",
    "good bot": "/bots/greedy",
    "evil bot": "/bots/%22%3E%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E",
    "tournaments": "/tournaments",
    "round robin": "/tournaments/1",
    "knockout": "/tournaments/2",
    "matches": "/matches",
    "faults": "/matches?faults=1&bracket=mantis&bot=greedy",
    "match": "/matches/1-mantis-1-1",
    "match of the other game": "/matches/1-tentagram-1-1",
    "live": "/live",
    "play": "/play",
}


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_pages_are_for_everybody(page: Page, served: Served, path: str) -> None:
    page.goto(served.address + path)
    if "/matches/" in path:
        page.wait_for_selector(".viewer svg")
    assert violations(page) == []
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, "the page scrolls sideways"
    assert page.title() != "owned"
    assert page.locator("img[onerror]").count() == 0
    assert page.locator("nav.site a").count() >= 6


def fetched(address: str) -> str:
    """What is there. Raises for a status of 400 and above."""
    with urlopen(address, timeout=30) as response:  # noqa: S310, our own server
        content: bytes = response.read()
    return content.decode()


def test_every_link_leads_somewhere(browser: Browser, served: Served) -> None:
    seen: set[str] = set()
    with new_page(browser) as page:
        for path in PAGES.values():
            page.goto(served.address + path)
            seen.update(page.eval_on_selector_all("a[href^='/'], a[href^='?']", "found => found.map(a => a.href)"))
    for address in sorted(seen):
        fetched(address)


def test_what_a_board_says_is_what_is_on_record(browser: Browser, served: Served) -> None:
    (board,) = json.loads(fetched(f"{served.address}/boards/mantis.json"))["brackets"]
    with new_page(browser) as page:
        page.goto(f"{served.address}/boards/mantis")
        rows = page.locator("table.board.moving tbody tr")
        shown = rows.evaluate_all("rows => rows.map(row => row.querySelector('th').textContent)")
    assert shown == [row["bot"] for row in board["rows"]]
    assert EVIL in shown


def test_filters_narrow_a_board(browser: Browser, served: Served) -> None:
    with new_page(browser) as page:
        page.goto(f"{served.address}/boards/mantis")
        page.get_by_label("Tournament").select_option("2")
        page.get_by_label("Seats").select_option("2")
        page.get_by_role("button", name="Show").click()
        page.wait_for_url("**tournament=2**")
        assert "seats=2" in page.url
        assert page.get_by_text("those of matches with 2 seats").count() == 1


def test_a_bot_page_tells_why_it_lost(browser: Browser, served: Served) -> None:
    with new_page(browser) as page:
        page.goto(served.address + PAGES["evil bot"])
        assert page.locator("h1").inner_text() == EVIL
        assert EVIL_NOTE in page.locator("main").inner_text()
        assert page.locator(".ticker .fault").first.inner_text() == "crash"
        assert "last words" in page.locator(".log").inner_text()
        assert "<script>" in page.locator(".log").inner_text()
        page.locator(".ticker a").first.click()
        page.wait_for_selector(".viewer svg")


def test_logs_are_for_the_organiser(home: Path) -> None:
    """Where others reach the server, what a bot has printed is shown only to who has the token."""
    with serving(home, "--host", "0.0.0.0") as served:  # noqa: S104, that is what is tested
        public = fetched(served.address + PAGES["evil bot"])
    assert "last words" not in public
    assert "To see logs, open the address" in public


def test_upsets_are_linked(browser: Browser, served: Served, home: Path) -> None:
    """Which matches those are depends on when the crasher took which of them along."""
    with Store.open(Home(home).database) as store:
        brackets = store.standings.brackets(ALL)
        greatest = [win for bracket in brackets for win in store.standings.upsets(ALL, bracket).greatest(1)]
        version, upset = greatest[0]
        bot = store.bots.by_id([version])[version].bot
    with new_page(browser) as page:
        page.goto(f"{served.address}/bots/{quote(bot, safe='')}")
        links = page.locator(".upsets a").evaluate_all("found => found.map(a => a.textContent)")
    assert upset.match in links


def test_older_matches_follow(browser: Browser, served: Served, home: Path) -> None:
    """Page after page of the list has every match once."""
    with Store.open(Home(home).database) as store:
        on_record = {name for record in store.tournaments.latest() for name in store.history.names(record.id)}
    seen: list[str] = []
    with new_page(browser) as page:
        page.goto(f"{served.address}/matches")
        while True:
            seen += page.locator(".match-name a").evaluate_all("found => found.map(a => a.textContent)")
            older = page.get_by_role("link", name="Older matches")
            if not older.count():
                break
            older.click()
            page.wait_for_load_state("load")
    assert len(seen) == len(set(seen))
    assert set(seen) == on_record


def test_an_empty_arena_says_how_to_begin(browser: Browser, tmp_path: Path) -> None:
    with serving(tmp_path / "new") as served, new_page(browser) as page:
        for path, words in (("/", "arena submit"), ("/bots", "arena new"), ("/matches", "No matches found")):
            page.goto(served.address + path)
            assert words in page.locator("main").inner_text()
            assert violations(page) == []


@pytest.mark.parametrize("path", ["/boards/mantis", "/bots/greedy"])
def test_fill_patterns_are_defined(browser: Browser, served: Served, path: str) -> None:
    """Places differ by a pattern, not by lightness alone."""
    with new_page(browser) as page:
        page.goto(served.address + path)
        fills = page.locator("rect[fill^='url(']").evaluate_all("found => found.map(each => each.getAttribute('fill'))")
        assert fills
        for fill in set(fills):
            assert page.locator(f"pattern{fill.removeprefix('url(').removesuffix(')')}").count() == 1
