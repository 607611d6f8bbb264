"""The viewer of a match that goes on, and the table of somebody who plays: what other pages build on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from arena.games import mantis, tentagram
from arena.games.base import AnyState
from arena.games.registry import find_game
from arena.replay import Header
from arena.web import assets
from arena.web.exported import START, bundle
from arena.web.viewer.film import FilmMaker
from tests.support.chromium import PHONE, new_page, violations
from tests.support.films import match_with_faults, random_match, variant

KIT = "window.kit = { Viewer, Table, frameAt };"
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Table</title><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width"><style>{style}</style></head>
<body><main><h1>Table</h1><div id="here"></div></main><script type="module">{script}</script></body></html>"""


@contextmanager
def kit(browser: Browser, folder: Path, **how: Any) -> Iterator[Page]:
    """A page with the modules and nothing else."""
    start = assets.text(START).split("\n\n", 2)[2]
    file = folder / "table.html"
    file.write_text(
        PAGE.format(style=assets.text("viewer.css"), script=bundle(START).replace(start, KIT)), encoding="utf-8"
    )
    with new_page(browser, **how) as page:
        page.goto(file.as_uri())
        yield page


def view(page: Page, film: object) -> None:
    page.evaluate(
        "(film) => { window.viewer = new kit.Viewer(here, film, { heading: 'h2' }); }", json.loads(json.dumps(film))
    )


def at(page: Page) -> tuple[int, int]:
    """The step, and the last one that there is."""
    step, last = page.inner_text(".step-count").split("/")
    return int(step), int(last)


def test_a_match_that_goes_on(browser: Browser, tmp_path: Path) -> None:
    replay = match_with_faults("mantis-icons-3", "2", {5: 2})
    maker = FilmMaker(replay.header)
    with kit(browser, tmp_path) as page:
        view(page, maker.film)
        for entry in replay.entries[:8]:
            more = json.loads(json.dumps(maker.add(entry)))
            page.evaluate("(more) => { viewer.extend(more); viewer.extend(more); }", more)  # twice changes nothing
        assert at(page) == (8, 8)
        assert page.locator(".moves li").count() == 9
        page.keyboard.press("ArrowLeft")
        for entry in replay.entries[8:]:
            page.evaluate("(more) => viewer.extend(more)", json.loads(json.dumps(maker.add(entry))))
        last = len(replay.entries)
        assert at(page) == (7, last)  # who looks at something else is left in peace
        page.keyboard.press("End")
        assert page.locator(".result").is_visible()
        grown, whole = page.evaluate("() => viewer.film"), json.loads(json.dumps(maker.film))
        assert grown == whole


def test_the_scoring_is_played_when_a_watched_game_ends(browser: Browser, tmp_path: Path) -> None:
    replay = random_match(variant("tentagram-free-3"))
    maker = FilmMaker(replay.header)
    for entry in replay.entries[:-1]:
        maker.add(entry)
    with kit(browser, tmp_path) as page:
        view(page, maker.film)
        page.keyboard.press("End")
        page.evaluate("viewer.setSpeed(8)")
        page.evaluate("(more) => viewer.extend(more)", json.loads(json.dumps(maker.add(replay.entries[-1]))))
        page.locator(".pile[data-phase]").first.wait_for()
        assert page.get_by_role("button", name="Pause").is_visible()


def test_somebody_who_plays_sees_with_their_own_eyes(browser: Browser, tmp_path: Path) -> None:
    replay = random_match(variant("tentagram-free-3"))
    maker = FilmMaker(replay.header, 1)
    with kit(browser, tmp_path) as page:
        for entry in replay.entries[:10]:
            maker.add(entry)
        view(page, maker.film)
        page.keyboard.press("End")
        assert page.evaluate("viewer.look(0); viewer.seat") == 1
        faces = page.evaluate(
            "[...document.querySelectorAll('.laid')].map((card) => card.dataset.seat + card.dataset.face)"
        )
        assert sum(face.endswith("?") for face in faces) == 7
        assert all(face.startswith("1") for face in faces if not face.endswith("?"))


def show(page: Page, state: AnyState, choices: list[dict[str, object]]) -> None:
    game = "mantis" if isinstance(state, mantis.State) else "tentagram"
    header = Header("m", game, find_game(game).complete({}), "s", ("bot",) * state.seats, state.deal())
    page.evaluate(
        """([film, choices]) => {
          window.chosen = [];
          window.table ??= new kit.Table(here, film, { onChoose: (action) => chosen.push(action) });
          table.show(kit.frameAt(film, 0, 0), { seat: 0, choices });
        }""",
        json.loads(json.dumps([FilmMaker(header, 0).film, choices])),
    )


def test_choices_on_the_table_of_mantis(browser: Browser, tmp_path: Path) -> None:
    state = mantis.new(3, "choices")
    choices: list[dict[str, object]] = [
        {"action": action, "label": action, "hint": "41 %", "best": action == "steal 2"}
        for action in map(str, state.legal())
    ]
    with kit(browser, tmp_path, viewport=PHONE) as page:
        show(page, state, choices)
        assert page.evaluate(
            "[...document.querySelectorAll('.choice')].map((each) => each.closest('.seat').dataset.seat)"
        ) == [
            "0",
            "1",
            "2",
        ]
        page.locator('.seat[data-seat="2"] button').click()
        page.locator('.seat[data-seat="0"] button').focus()
        page.keyboard.press("Enter")
        page.keyboard.press(" ")
        assert page.evaluate("chosen") == ["steal 2", "score", "score"]
        assert page.inner_text(".choice[data-best] .choice-hint") == "41 %"
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        show(page, state, [])
        assert page.locator(".choice").count() == 0


def test_choices_on_the_table_of_tentagram(browser: Browser, tmp_path: Path) -> None:
    state = tentagram.new(4, "choices", "strict")
    legal = [str(action) for action in state.legal()]
    choices: list[dict[str, object]] = [{"action": action, "label": action} for action in legal]
    with kit(browser, tmp_path, viewport=PHONE) as page:
        show(page, state, choices)
        for action in legal:
            page.get_by_role("button", name=action, exact=True).click()
        assert page.evaluate("chosen") == legal
        assert page.locator(".hand[data-hand='?']").count() == 3
        assert violations(page) == []
