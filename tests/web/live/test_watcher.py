"""Tournaments watched in a real browser while real bots play them."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from arena.replay import loads
from arena.requests import SubmitRequest
from arena.sandbox import Sandbox
from arena.store.home import Home
from arena.store.store import Store
from arena.submissions.submit import submit
from arena.tournament.live import LiveFolder
from tests.support.chromium import WIDTHS, new_page, violations
from tests.support.cli import ARENA, ROOT
from tests.support.waiting import until
from tests.support.web_server import Served, serving

PATIENCE = 120.0
LONG_LIMITS = ("--time-per-move", "100s", "--time-to-start", "60s")
PATIENT = """
import time
from pathlib import Path
from arena.bot import Bot

class Patient(Bot):
    turns = 0

    def mantis(self, turn):
        self.turns += 1
        while int(Path(GATE).read_text()) < self.turns:
            time.sleep(0.02)
        return turn.legal[0]

Patient().run()
"""
"""A bot that makes as many moves as it is allowed to."""
CRASHER = """
import os
from arena.bot import Bot

class Crasher(Bot):
    def mantis(self, turn):
        os._exit(7)

Crasher().run()
"""
COUNT_ROUNDS = """() => {
    const rounds = () => document.querySelectorAll(".tree .title").length;
    globalThis.seen = new Set([rounds()]);
    new MutationObserver(() => seen.add(rounds())).observe(document.body, {childList: true, subtree: true});
}"""
"""Notes how many rounds the tree has had."""
NOTE_STEPS = """() => {
    globalThis.noted = [];
    const screen = document.querySelector(".screen");
    const name = () => screen.querySelector(".viewer-head p").textContent.slice("match ".length);
    const note = () => noted.push([name(), Number(screen.dataset.step)]);
    screen.addEventListener("viewer:step", note);
}"""
"""Notes every step that is shown, and of which match."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with some bots. It is made before the browser is there, because bots are tried out in an event loop."""
    folder = tmp_path_factory.mktemp("arena")
    gate = folder / "gate"
    gate.write_text("0")
    (folder / "patient.py").write_text(PATIENT.replace("GATE", repr(str(gate))))
    (folder / "crasher.py").write_text(CRASHER)
    home = Home(folder / "home")
    with Store.open(home.database) as store:
        for bot in (folder / "patient.py", folder / "crasher.py", "random", "greedy"):
            submit(home, store, SubmitRequest(path=str(bot), time_to_start=60.0), Sandbox(), thorough=False)
    return home.path


def allow(home: Path, turns: int) -> None:
    """Allow the patient bot this many turns in total."""
    waiting = home.with_name("gate.new")
    waiting.write_text(str(turns))
    waiting.replace(home.with_name("gate"))


@pytest.fixture(scope="module")
def served(home: Path) -> Iterator[Served]:
    with serving(home) as running:
        yield running


@contextmanager
def tournament(home: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A tournament that is being played; at the end it is over, and went well."""
    command = [*ARENA, "tournament", *arguments, "--home", str(home), "--sandbox", "none", *LONG_LIMITS]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        yield process
        _, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, errors
    finally:
        process.kill()
        process.communicate()


def is_wanted(home: Path) -> bool:
    """Return whether workers see a request for live matches."""
    return LiveFolder(Home(home).live).is_wanted()


def shown(page: Page) -> tuple[str, int, int]:
    """The match on the screen, the step, and how many steps there are."""
    found = page.evaluate(
        "() => { const place = document.querySelector('.screen');"
        " return [place.dataset.match ?? '', place.querySelector('.step-count')?.textContent ?? '0/0']; }"
    )
    step, last = found[1].split("/")
    return found[0], int(step), int(last)


def wait_for_screen(page: Page) -> str:
    page.wait_for_function("() => document.querySelector('.screen').dataset.match", timeout=1000 * PATIENCE)
    return shown(page)[0]


def entries(home: Path, match: str) -> int:
    with Store.open(Home(home).database) as store:
        return len(loads(store.matches.replay(match).encode()).entries)


def test_a_tournament_is_followed_move_by_move(home: Path, served: Served, browser: Browser) -> None:
    knockout = ("patient", "random", "crasher", "greedy", "--format", "knockout", "--seats", "2", "--deals", "1")
    with new_page(browser) as page, new_page(browser) as event, new_page(browser) as late:
        for each in (page, event, late):
            each.set_default_timeout(1000 * PATIENCE)
        page.goto(f"{served.address}/live")
        page.wait_for_selector("text=No tournament is running")
        until(lambda: is_wanted(home))
        with tournament(home, *knockout, "--bracket", "mantis", "--jobs", "1", "--name", "The <b>Cup</b>"):
            page.wait_for_selector("[data-part=state] .is-live")
            expect(page.locator("[data-part=state]")).to_contain_text("The <b>Cup</b>")
            event.goto(f"{served.address}/tournaments/1")
            event.evaluate(COUNT_ROUNDS)
            wait_for_screen(page)
            card = page.locator("a[data-match]", has_text="patient").filter(has=page.locator(".is-live")).first
            match = card.get_attribute("data-match") or ""
            page.goto(f"{served.address}/live/{match}")
            assert wait_for_screen(page) == match
            steps = [shown(page)[2]]
            for turns in (6, 12, 18):
                allow(home, turns)
                until(lambda: shown(page)[2] > steps[-1])
                steps.append(shown(page)[2])
            late.goto(f"{served.address}/live/{match}")
            assert wait_for_screen(late) == match
            assert shown(late)[2] >= steps[-1], "who comes late gets the film so far at once"
            allow(home, 1_000_000)
            for each in (page, late):
                each.wait_for_selector("[data-part=state] a[href^='/matches/']")
                each.keyboard.press("End")
                each.wait_for_selector(".viewer .result:not([hidden])")
                assert shown(each) == (match, entries(home, match), entries(home, match))
            late.click("[data-part=state] a[href^='/matches/']")
            late.wait_for_selector(".viewer svg")
        event.wait_for_selector("[data-part=state] .done")
        event.wait_for_selector(".tree >> text=★")
        rounds = event.evaluate("() => [...seen].sort()")
        assert rounds[-1] >= 2
        assert len(rounds) > 1, "the tree has filled in"
        expect(event.locator("[data-part=progress]")).to_contain_text("done")
        page.goto(f"{served.address}/live")
        for each in (event, page):
            ticker = each.locator(".ticker")
            expect(ticker).to_contain_text("crasher 1 ended in the middle of the match")
            expect(ticker).to_contain_text("exit code 7")


def test_a_quick_match_is_played_at_a_speed_that_people_can_follow(
    home: Path, served: Served, browser: Browser
) -> None:
    until(lambda: not is_wanted(home))  # earlier spectators are gone
    with new_page(browser) as page:
        page.set_default_timeout(1000 * PATIENCE)
        page.goto(f"{served.address}/live")
        page.evaluate(NOTE_STEPS)
        until(lambda: is_wanted(home))
        with tournament(home, "random", "greedy", "--seats", "2", "--bracket", "mantis", "--rounds", "100"):
            match = wait_for_screen(page)
        assert re.fullmatch(r"\d+-mantis-\d+-\d", match)
        steps = entries(home, match)
        page.keyboard.press("+")  # we have not that much time
        page.keyboard.press("+")
        page.wait_for_function(f"() => noted.some(([match, step]) => match === '{match}' && step === {steps})")
        seen = [step for name, step in page.evaluate("noted") if name == match]
        assert set(range(seen[0], steps + 1)) == set(seen), "no step is left out, though it was over in no time"
        assert seen == sorted(seen)
        assert steps - seen[0] > 3
        for size in WIDTHS.values():
            page.set_viewport_size(size)
            assert violations(page) == []
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide <= 0, "the page scrolls sideways"


def test_nothing_is_written_without_spectators(home: Path, served: Served) -> None:
    assert served.process.poll() is None
    until(lambda: not is_wanted(home))  # earlier spectators are gone
    shutil.rmtree(home / "live", ignore_errors=True)
    with tournament(home, "random", "greedy", "--bracket", "mantis", "--rounds", "1"):
        pass
    assert not (home / "live").exists()


def test_a_home_that_cannot_be_written_disturbs_nothing(home: Path, served: Served, browser: Browser) -> None:
    until(lambda: not is_wanted(home))
    shutil.rmtree(home / "live", ignore_errors=True)
    (home / "live").write_text("no folder")
    with new_page(browser) as page:
        page.set_default_timeout(1000 * PATIENCE)
        page.goto(f"{served.address}/live")
        page.wait_for_selector("text=No live matches")
        allow(home, 0)
        with tournament(home, "random", "patient", "--bracket", "mantis", "--rounds", "1"):
            page.wait_for_selector("[data-part=state] .is-live")
            allow(home, 1_000_000)
        assert page.locator(".screen svg").count() == 0
    assert (home / "live").read_text() == "no folder"
