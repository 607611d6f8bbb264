"""Exported matches in a real browser: every step against the engine, and everything that people can do with them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from arena.games import mantis, tentagram
from arena.games.base import AnyState
from arena.games.mantis.cards import letters
from arena.games.tentagram import TABLE_CARDS, fits
from arena.replay import Replay, states
from arena.web.exported import match_page
from arena.web.viewer.chances import chances_of
from arena.web.viewer.film import film_of
from tests.support.chromium import DESKTOP, PHONE, new_page, violations
from tests.support.films import EVIL, match_with_faults, random_match, variant

READ_EVERY_STEP = """
(seat) => {
  const eyes = document.querySelector('.settings label:nth-child(2) select');
  eyes.value = seat;
  eyes.dispatchEvent(new Event('change'));
  const scrubber = document.querySelector('.scrubber');
  const all = (selector, read, within = document) => [...within.querySelectorAll(selector)].map(read);
  const mantis = () => ({
    tanks: all('.tank-slot', (slot) => [Number(slot.dataset.seat), slot.dataset.colour, Number(slot.dataset.count),
      slot.querySelectorAll('.stack .card').length, slot.querySelector('.count').textContent]),
    scores: all('.score', (score) => [Number(score.dataset.score), score.querySelectorAll('.full').length,
      score.querySelector('.points').textContent]),
    pile: Number(document.querySelector('.draw').dataset.pile),
    top: document.querySelector('.draw').dataset.top,
    drawn: all('.draw-card .letter', (letter) => letter.textContent).join(''),
    next: document.querySelector('.draw').dataset.next ?? null,
    odds: all('.odd', (odd) => [odd.dataset.colour, Number(odd.dataset.chance)]),
    turn: all('.seat[data-turn]', (seat) => Number(seat.dataset.seat)),
    out: all('.seat[data-out]', (seat) => Number(seat.dataset.seat)),
  });
  const tentagram = () => ({
    piles: all('.pile', (pile) => [pile.dataset.table, Number(pile.dataset.count),
      all('.laid', (card) => [Number(card.dataset.seat), card.dataset.face, card.dataset.fit ?? null], pile)]),
    awards: all('.pile[data-winner]', (pile) => [pile.dataset.table, pile.dataset.winner, Number(pile.dataset.taken)]),
    won: all('.hand', (hand) => hand.dataset.won ?? null),
    hands: all('.hand', (hand) => hand.dataset.hand),
    left: all('.hand', (hand) => Number(hand.dataset.left)),
    turn: all('.hand[data-turn]', (hand) => Number(hand.dataset.seat)),
    coming: document.querySelector('.to-come').textContent,
  });
  const steps = [];
  for (let step = 0; step <= Number(scrubber.max); step += 1) {
    scrubber.value = String(step);
    scrubber.dispatchEvent(new Event('input'));
    const table = document.querySelector('.mantis') ? mantis() : tentagram();
    table.words = document.querySelector('.now').textContent;
    table.marked = document.querySelector('.moves [aria-current]').parentElement.dataset.step;
    table.listed = document.querySelector('.moves [aria-current] .words').textContent;
    steps.push(table);
  }
  return steps;
}
"""


@contextmanager
def opened(
    browser: Browser, folder: Path, replay: Replay, place: str = "", *, chances: bool = False, **how: Any
) -> Iterator[Page]:
    file = folder / "match.html"
    file.write_text(match_page(film_of(replay), chances_of(replay, moves=2_000) if chances else None), encoding="utf-8")
    with new_page(browser, **how) as page:
        page.goto(f"{file.as_uri()}{place}")
        page.wait_for_selector(".viewer[data-step]")
        yield page


def step_of(page: Page) -> int:
    return int(page.get_attribute(".viewer.whole", "data-step") or -1)


def states_of(replay: Replay) -> list[AnyState]:
    return list(states(replay))


@pytest.mark.parametrize(
    "name",
    ["mantis-classic-2", "mantis-classic-6", "mantis-icons-2", "mantis-icons-6", "mantis-grab-2", "mantis-grab-4"],
)
def test_every_step_of_mantis(browser: Browser, tmp_path: Path, name: str) -> None:
    replay = random_match(variant(name))
    states = states_of(replay)
    with opened(browser, tmp_path, replay) as page:
        for seat in ("", "1"):
            seen = page.evaluate(READ_EVERY_STEP, seat)
            assert len(seen) == len(states)
            for step, (table, state) in enumerate(zip(seen, states, strict=True)):
                assert isinstance(state, mantis.State)
                check_mantis(table, state, omniscient=not seat)
                assert table["marked"] == str(step)
                assert table["listed"] == table["words"]


def check_mantis(table: dict[str, Any], state: mantis.State, *, omniscient: bool) -> None:
    colours = "ROYGBP" if state.edition.name == "grab" else "ROYGBPK"
    assert table["tanks"] == [
        [seat, colour, count, min(count, 6), str(count) if count else ""]
        for seat, tank in enumerate(state.tanks)
        for colour, count in zip(colours, tank, strict=False)
    ]
    assert table["scores"] == [[score, min(score, state.goal), f"{score}/{state.goal}"] for score in state.scores]
    top = state.pile[-1] if state.pile else None
    assert table["pile"] == len(state.pile)
    assert table["top"] == table["drawn"] == (letters(top.back) if top else "")
    shown = omniscient and top and state.to_move is not None
    assert table["next"] == (str(top.front) if shown and top else None)
    exact = [[colour.letter, chance] for colour, chance in mantis.top_odds(state.view(0)).items()]
    assert [odd[0] for odd in table["odds"]] == [odd[0] for odd in exact]
    assert [odd[1] for odd in table["odds"]] == pytest.approx([odd[1] for odd in exact], abs=1e-4)
    assert table["turn"] == ([] if state.to_move is None else [state.to_move])


@pytest.mark.parametrize("name", ["tentagram-free-3", "tentagram-strict-4", "tentagram-free-7"])
def test_every_step_of_tentagram(browser: Browser, tmp_path: Path, name: str) -> None:
    replay = random_match(variant(name))
    states = states_of(replay)
    with opened(browser, tmp_path, replay) as page:
        for seat in (None, 1):
            seen = page.evaluate(READ_EVERY_STEP, "" if seat is None else str(seat))
            for table, state in zip(seen, states, strict=False):
                assert isinstance(state, tentagram.State)
                check_tentagram(table, state, seat)
            check_scoring(seen[len(states) :], states[-1])


def check_tentagram(table: dict[str, Any], state: tentagram.State, eyes: int | None) -> None:
    over = state.to_move is None
    known = range(state.seats) if eyes is None or over else [eyes]
    piles: dict[str, list[list[object]]] = {each: [] for each in TABLE_CARDS}
    for number, (seat, where) in enumerate(state.history):
        card = state.decks[seat][number // state.seats]
        fit = "yes" if fits(card, where) else "no"
        piles[where].append([seat, card, fit] if seat in known else [seat, "?", None])
    assert table["piles"] == [[where, len(cards), cards] for where, cards in piles.items()]
    hands = [state.view(seat).hand for seat in range(state.seats)]
    assert table["hands"] == [(hand if seat in known else "?") if hand else "" for seat, hand in enumerate(hands)]
    assert table["left"] == [len(state.decks[0]) - state.laid_cards(seat) for seat in range(state.seats)]
    assert table["turn"] == ([] if over else [state.to_move])
    assert not table["awards"]
    if eyes is not None:
        assert table["coming"].removeprefix("Still to come: ").split() == list(state.view(eyes).to_come)


def check_scoring(seen: list[dict[str, Any]], state: AnyState) -> None:
    assert isinstance(state, tentagram.State)
    result = state.result()
    lying = [pile for pile in result.piles if pile.counted or pile.set_aside]
    assert len(seen) == sum(3 if pile.set_aside else 2 for pile in lying) + 1
    assert seen[-1]["awards"] == [
        [pile.table, "nobody" if pile.winner is None else str(pile.winner), pile.taken] for pile in lying
    ]
    assert seen[-1]["won"] == [str(cards) for cards in result.cards]
    assert [len(table["awards"]) for table in seen] == sorted(len(table["awards"]) for table in seen)


def test_faults_the_house_and_the_result_are_told(browser: Browser, tmp_path: Path) -> None:
    replay = match_with_faults("mantis-classic-3", "1", {4: 1})
    with opened(browser, tmp_path, replay, "#step=5") as page:
        assert page.get_attribute(".now", "data-fault") == ""
        assert "it did not answer in time (timeout)." in page.inner_text(".now")
        assert page.inner_text('.seat[data-seat="1"] .badge') == "forfeited"
        assert page.locator(".moves [data-fault]").count() == 1
        assert page.locator(".moves .ms", has_text="house").count() > 0
        assert page.locator(".result").is_hidden()
        page.keyboard.press("End")
        places = page.locator(".places li")
        assert places.count() == 3
        assert places.nth(2).get_attribute("data-seat") == "1"
        assert "Won by seat" in page.inner_text(".result .verdict")


def test_a_move_that_the_address_names_already_can_be_chosen(browser: Browser, tmp_path: Path) -> None:
    """The address follows a moment later, so it may still name the step that somebody clicks on."""
    with opened(browser, tmp_path, random_match(variant("mantis-icons-4")), "#step=0") as page:
        page.evaluate(
            """() => {
                document.dispatchEvent(new KeyboardEvent("keydown", { key: "End", bubbles: true }));
                document.querySelector('.moves [data-step="0"] a').click();
            }"""
        )
        assert step_of(page) == 0


def test_keys_buttons_scrubber_moves_and_links(browser: Browser, tmp_path: Path) -> None:
    replay = random_match(variant("mantis-icons-4"))
    last = len(replay.entries)
    with opened(browser, tmp_path, replay, "#step=7&seat=2", chances=True) as page:
        assert step_of(page) == 7
        assert page.get_attribute(".viewer.whole", "data-seat") == "2"
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        assert step_of(page) == 8
        page.keyboard.press("End")
        assert step_of(page) == last
        page.keyboard.press("Home")
        assert step_of(page) == 0
        page.keyboard.press("+")
        assert page.locator(".settings select").first.input_value() == "2"
        page.get_by_role("button", name="Last step").click()
        assert step_of(page) == last
        page.get_by_role("button", name="One step back").click()
        assert step_of(page) == last - 1
        page.get_by_role("link", name="The tanks are dealt.").click()
        page.wait_for_selector('.viewer.whole[data-step="0"]')
        page.get_by_role("slider").fill("3")
        assert step_of(page) == 3
        page.wait_for_url("**#step=3&seat=2")
        assert page.get_attribute(".link", "href") == "#step=3&seat=2"
        plot = page.locator(".plot").bounding_box()
        assert plot
        page.mouse.click(plot["x"] + plot["width"] - 11, plot["y"] + 20)
        assert step_of(page) == last
        page.evaluate("location.hash = '#step=99999&seat=99'")
        page.wait_for_selector('.viewer.whole[data-seat="all"]')
        assert step_of(page) == last


def test_it_plays_to_the_end_and_stops(browser: Browser, tmp_path: Path) -> None:
    replay = random_match(variant("mantis-grab-2"))
    with opened(browser, tmp_path, replay, f"#step={len(replay.entries) - 4}") as page:
        for _ in range(3):
            page.keyboard.press("+")
        page.keyboard.press(" ")
        assert page.get_by_role("button", name="Pause").is_visible()
        page.wait_for_selector(f'.viewer.whole[data-step="{len(replay.entries)}"]')
        page.get_by_role("button", name="Play").wait_for()
        page.locator(".flights:empty").wait_for(state="attached")


def test_nothing_moves_for_those_who_do_not_want_it(browser: Browser, tmp_path: Path) -> None:
    moving = """(key) => {
      document.dispatchEvent(new KeyboardEvent('keydown', {key}));
      return document.getAnimations().filter((each) => !(each instanceof CSSTransition)).length;
    }"""
    for name in ("mantis-classic-3", "tentagram-free-3"):
        with opened(browser, tmp_path, random_match(variant(name))) as page:
            assert page.evaluate(moving, "ArrowRight") > 0
            page.emulate_media(reduced_motion="reduce")
            assert page.evaluate(moving, "Home") == 0
            assert page.evaluate(moving, "ArrowRight") == 0
            assert step_of(page) == 1


def test_swipes(browser: Browser, tmp_path: Path) -> None:
    swipe = """([from, to]) => {
      const stage = document.querySelector('.stage');
      const touch = (x) => new Touch({identifier: 1, target: stage, clientX: x, clientY: 300});
      stage.dispatchEvent(new TouchEvent('touchstart', {touches: [touch(from)], changedTouches: [touch(from)]}));
      stage.dispatchEvent(new TouchEvent('touchend', {touches: [], changedTouches: [touch(to)]}));
    }"""
    with opened(browser, tmp_path, random_match(variant("mantis-classic-2")), viewport=PHONE, touch=True) as page:
        page.evaluate(swipe, [300, 100])
        assert step_of(page) == 1
        page.evaluate(swipe, [300, 290])
        assert step_of(page) == 1
        page.evaluate(swipe, [100, 300])
        assert step_of(page) == 0


@pytest.mark.parametrize("name", ["mantis-icons-6", "tentagram-free-16"])
def test_it_fits_the_screen(browser: Browser, tmp_path: Path, name: str) -> None:
    replay = random_match(variant(name))
    with opened(browser, tmp_path, replay, "#step=40", viewport=PHONE, chances=True) as page:
        wide = "document.documentElement.scrollWidth - innerWidth"
        assert page.evaluate(wide) <= 0
        page.keyboard.press("End")
        assert page.evaluate(wide) <= 0
        for size in (DESKTOP, {"width": 1920, "height": 1080}):
            page.set_viewport_size(size)  # type: ignore[arg-type]
            page.evaluate("scrollTo(0, 0)")
            assert page.evaluate(wide) <= 0
            assert page.evaluate("document.documentElement.scrollHeight - innerHeight") <= 0
            assert page.evaluate("document.querySelector('.table').getBoundingClientRect().bottom < innerHeight")


@pytest.mark.parametrize("name", ["mantis-icons-3", "tentagram-free-3"])
def test_everybody_can_use_it(browser: Browser, tmp_path: Path, name: str) -> None:
    replay = match_with_faults(name, "3", {3: 1})
    with opened(browser, tmp_path, replay, "#step=4", chances=True) as page:
        assert violations(page) == []
        page.emulate_media(color_scheme="dark")
        page.keyboard.press("End")
        assert violations(page) == []
        assert page.inner_text(".unseen[aria-live]").startswith("Step ")


def test_names_are_only_names(browser: Browser, tmp_path: Path) -> None:
    replay = match_with_faults("mantis-classic-6", "5", {3: 1, 7: 0}, EVIL)
    with opened(browser, tmp_path, replay, "#step=4", chances=True) as page:
        page.evaluate(READ_EVERY_STEP, "")
        assert page.locator("img, .viewer b:not(.legend b)").count() == 0
        assert page.inner_text('.seat[data-seat="1"] .bot') == EVIL[1]
        assert page.inner_text('.seat[data-seat="0"] .bot') == EVIL[0]
        assert "\u202e" not in page.inner_text("body")
        assert "\u2028" not in page.inner_text("body")
        assert "onerror=alert(1)" in page.inner_text(".moves")
        assert page.evaluate("document.title").startswith("Mantis match ")
