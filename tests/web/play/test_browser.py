"""People who play in the browser: whole games, by mouse, keyboard and touch, in every edition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from arena.games import mantis
from arena.records import PERSON
from arena.replay import FaultKind
from tests.support.chromium import PHONE, WIDTHS, new_page, violations
from tests.support.cli import arena
from tests.support.web_play import (
    CRASHES,
    NASTY_NAME,
    NEVER_STARTS,
    PLAYS,
    add_bot,
    on_record,
    player,
    sit_down,
    stored_name,
    wait_for_turn,
    wish,
)
from tests.support.web_server import Served, serving


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def served(home: Path) -> Iterator[Served]:
    with serving(home) as running:
        yield running


def click_table(page: Page) -> None:
    page.click(".viewer .choice >> nth=-1")


def click_list(page: Page) -> None:
    page.click("#choices button[data-action]")


def press_a_number(page: Page) -> None:
    page.keyboard.press("1")


def press_enter(page: Page) -> None:
    """The first time one has to go there; from then on the first choice has the focus."""
    if page.evaluate("document.getElementById('game').dataset.step") == "1":
        page.focus("#choices button[data-action]")
    assert page.evaluate("document.activeElement.dataset.action")
    page.keyboard.press("Enter")


def play_to_the_end(page: Page, choose: Callable[[Page], None]) -> None:
    decided = ""
    while decision := wait_for_turn(page, decided):
        choose(page)
        decided = decision


@pytest.mark.parametrize(
    ("game", "options", "choose"),
    [
        ("mantis", {"edition": "classic"}, click_list),
        ("mantis", {"edition": "icons"}, click_table),
        ("mantis", {"edition": "grab"}, press_enter),
        ("tentagram", {"placement": "free"}, click_table),
        ("tentagram", {"placement": "strict"}, press_a_number),
    ],
    ids=["classic", "icons", "grab", "free", "strict"],
)
def test_a_whole_game(
    browser: Browser, served: Served, home: Path, game: str, options: dict[str, str], choose: Callable[[Page], None]
) -> None:
    with player(browser, served) as page:
        sit_down(page, served, wish(game, options=options, name="Ada", seat=1))
        play_to_the_end(page, choose)
        match, replay = on_record(home, stored_name(page))
        told = {
            int(row.get_attribute("data-seat") or ""): int(row.get_attribute("value") or "")
            for row in page.query_selector_all("#places li")
        }
        headline = page.inner_text("#headline")
    placements = replay.result["placements"]
    assert isinstance(placements, list)
    assert told == dict(enumerate(placements))
    assert (headline == "You win!") == (replay.result["winners"] == [1])
    assert replay.header.seats == ("random 1.0 #1", "Ada", "random 1.0 #2")
    assert replay.header.options == options
    assert [seat.fault for seat in match.seats] == [None] * 3
    assert [seat.version_id == PERSON for seat in match.seats] == [True] * 3  # random is not submitted here
    assert match.bots == ("random 1.0", "Ada", "random 1.0")


def test_one_click_begins_a_good_game(browser: Browser, served: Served, home: Path) -> None:
    """With the best bundled bots, shown move by move; the command line shows the match, too."""
    with player(browser, served, calm=False) as page:
        page.goto(f"{served.address}/play")
        page.click("#go")
        wait_for_turn(page)
        names = [name.inner_text() for name in page.query_selector_all(".seat .bot")]
        assert names == ["You", "counter 1.0", "searcher 1.0", "greedy 1.0"]
        page.select_option("#pace", "400")
        page.evaluate(
            """() => {
                const game = document.getElementById("game");
                window.steps = [];
                new MutationObserver(() => window.steps.push(Number(game.dataset.step)))
                    .observe(game, {attributes: true, attributeFilter: ["data-step"]});
            }"""
        )
        click_table(page)
        wait_for_turn(page, "1")
        steps = dict.fromkeys(page.evaluate("window.steps"))
        assert [step for step in steps if step] == [1, 2, 3, 4]
        assert len(page.query_selector_all("#moves li")) == 5
        page.select_option("#pace", "0")
        page.click("#resign")
        page.click("#confirm button[value=yes]")
        assert wait_for_turn(page, "5") is None
        name = stored_name(page)
    match, _ = on_record(home, name)
    (fault,) = [seat for seat in match.seats if seat.fault]
    assert (fault.fault, fault.detail) == (FaultKind.DISCONNECT.value, "The person at this seat resigned.")
    assert match.seats[0].placement == 4
    verified = arena("replay", "verify", name, "--home", home)
    assert verified.stdout.startswith("verified"), verified


def test_hints_are_exact_and_never_played(browser: Browser, served: Served, home: Path) -> None:
    with player(browser, served) as page:
        sit_down(page, served, wish("mantis", hints=True))
        page.wait_for_selector(".advice")
        view = mantis.new(3, "a").view(0)
        odds = mantis.top_odds(view)
        for seat, action in enumerate(["score", "steal 1", "steal 2"]):
            chance = sum(share for colour, share in odds.items() if view.tanks[seat][colour])
            for place in ("#choices", ".viewer"):
                said = page.inner_text(f"{place} button[data-action='{action}']").replace("\u202f", " ")
                assert f"{round(100 * chance)} %" in said
        best = page.get_attribute("#choices button[data-best]", "data-action")
        assert page.get_attribute(".viewer .choice[data-best]", "data-action") == best
        other = next(action for action in ("score", "steal 1", "steal 2") if action != best)
        page.click(f"#choices button[data-action='{other}']")
        wait_for_turn(page, "1")
        page.click("#resign")
        page.click("#confirm button[value=yes]")
        wait_for_turn(page, "4")
        _, replay = on_record(home, stored_name(page))
        assert getattr(replay.entries[0], "action", None) == other


def test_without_hints_no_odds_are_shown(browser: Browser, served: Served) -> None:
    with player(browser, served) as page:
        sit_down(page, served, wish("mantis"))
        assert not page.is_visible(".odds-part")
        assert "%" not in page.inner_text("#game")


def test_the_clock_runs_out(browser: Browser, served: Served, home: Path) -> None:
    with player(browser, served) as page:
        sit_down(page, served, wish("tentagram", seconds=600))
        assert page.is_visible("#clock")
        left = int(page.inner_text("#seconds").removesuffix(" s"))
        assert 0 < left <= 600
        is_less = "(left) => parseInt(document.getElementById('seconds').textContent) < left"
        page.wait_for_function(is_less, arg=left)
        sit_down(page, served, wish("tentagram", seconds=1), wait=False)
        assert wait_for_turn(page, "1") is None
        assert "You forfeited" in page.inner_text("#notices")
        match, _ = on_record(home, stored_name(page))
    assert match.seats[0].fault == FaultKind.TIMEOUT.value
    assert "1 s" in (match.seats[0].detail or "")


def test_reload_and_a_second_tab_go_on_with_the_game(browser: Browser, served: Served) -> None:
    with player(browser, served) as page:
        address = sit_down(page, served, wish("mantis"))
        click_list(page)
        decision = wait_for_turn(page, "1")
        assert decision
        before = page.inner_text("#table")
        page.reload()
        assert wait_for_turn(page) == decision
        assert page.inner_text("#table") == before
        other = page.context.new_page()
        other.emulate_media(reduced_motion="reduce")
        other.goto(f"{served.address}/play")
        other.click(f".under-way a[href='{address}']")
        assert wait_for_turn(other) == decision
        assert other.inner_text("#table") == before
        click_list(other)
        after = wait_for_turn(other, decision)
        assert wait_for_turn(page, decision) == after
        assert page.inner_text("#table") == other.inner_text("#table")
        other.close()


def test_bots_that_fail_are_told_with_the_reason(browser: Browser, served: Served, home: Path) -> None:
    crasher, absent = add_bot(home, NASTY_NAME, CRASHES), add_bot(home, "late riser", NEVER_STARTS)
    decent = add_bot(home, "decent", PLAYS)
    with player(browser, served) as page:
        sit_down(page, served, wish("mantis", crasher, absent, decent))
        assert "late riser" in page.inner_text("#notices")
        assert "not today" in page.inner_text("#notices")
        click_list(page)
        wait_for_turn(page, "1")
        notices = page.inner_text("#notices")
        assert NASTY_NAME in notices
        assert "ended in the middle of the match" in notices
        assert page.query_selector_all("#game img") == []
        play_to_the_end(page, click_list)
        match, _ = on_record(home, stored_name(page))
        page.click("#rotate")
        page.wait_for_url(lambda url: "/play/" in url)
        page.wait_for_selector(".seat[data-seat='1'] >> text=You")
    assert [seat.fault for seat in match.seats] == [None, "crash", "start", None]
    assert [bot for bot in match.bots if bot.startswith("</script>")]


def check(page: Page) -> None:
    """The pages are accessible and do not scroll sideways."""
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("width", WIDTHS)
def test_everybody_can_use_the_pages(browser: Browser, served: Served, width: str) -> None:
    with player(browser, served, WIDTHS[width]) as page:
        sit_down(page, served, wish("mantis", hints=True))
        page.wait_for_selector(".advice")
        check(page)
        sit_down(page, served, wish("tentagram"))
        check(page)
        page.click("#resign")
        page.click("#confirm button[value=yes]")
        wait_for_turn(page, "1")
        check(page)
        page.goto(f"{served.address}/play")
        check(page)


def test_the_table_is_chosen_with_a_few_clicks(browser: Browser, served: Served) -> None:
    with player(browser, served, PHONE) as page:
        page.goto(f"{served.address}/play")
        page.check("input[value=grab]")
        assert page.is_disabled("#more")  # four seats at the most
        page.click("#fewer")
        page.click("#fewer")
        assert page.inner_text("#seat-count") == "2 seats"
        page.select_option("#seats select", label="random 1.0")
        page.click("[aria-label='One seat later']")
        page.fill("input[name=name]", "<b>Ada</b>")
        page.fill("input[name=seed]", "seed")
        page.click("#go")
        wait_for_turn(page)
        assert page.inner_text(".seat[data-seat='0'] .bot") == "random 1.0"
        assert page.inner_text(".seat[data-seat='1'] .bot") == "You"
        assert page.inner_text("h1").lower() == "mantis grab"


def test_without_the_token_the_page_says_how_to_get_it(browser: Browser, served: Served) -> None:
    with new_page(browser) as page:
        page.goto(f"{served.address}/play")
        assert "?token=" in page.inner_text("main")
        assert page.query_selector("form") is None
        assert violations(page) == []
