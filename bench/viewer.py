"""Measure how smoothly the match viewer plays, and what a step costs, in a real Chromium.

Rules of the measurement:
- what is played is a whole six-seat game of Mantis with icons, exported as a file, at eight times the usual speed;
- frames are counted by requestAnimationFrame, on an empty page and on the viewer in the same run: what counts is the
  ratio of the two rates, because the machine may be shared and its Chromium draws without a graphics card;
- a long frame is one that took more than twice as long as the empty page's median;
- what a step costs is the processor time that Chromium reports for script, style and layout, per step;
- whether a figure is reached is printed, and the exit code is 0.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated, NamedTuple

import typer
from playwright.sync_api import Browser, CDPSession, Page, sync_playwright
from rich.console import Console
from rich.table import Table

from arena.games.registry import find_game
from arena.replay import simulate_game
from arena.web.exported import match_page
from arena.web.viewer.chances import chances_of
from arena.web.viewer.film import film_of
from tests.support.chromium import DESKTOP, launch

out = Console()
RATE_TARGET = 0.95
SPEED = 8
COUNT_FRAMES = """(seconds) => new Promise((done) => {
  const times = [];
  const from = performance.now();
  const count = (now) => {
    times.push(now);
    if (performance.now() - from < 1000 * seconds) requestAnimationFrame(count);
    else done(times);
  };
  requestAnimationFrame(count);
})"""


class Run(NamedTuple):
    """One page, watched for some seconds."""

    frames: list[float]
    """How long each frame took, in milliseconds."""
    costs: dict[str, float]
    """What Chromium has spent, in milliseconds for each step."""

    @property
    def rate(self) -> float:
        return 1000 * len(self.frames) / sum(self.frames)


def spent(session: CDPSession) -> dict[str, float]:
    metrics = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    names = {"script": "ScriptDuration", "style": "RecalcStyleDuration", "layout": "LayoutDuration"}
    return {said: 1000 * metrics[name] for said, name in names.items()}


def watch(page: Page, seconds: float, steps: int) -> Run:
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = spent(session)
    times: list[float] = page.evaluate(COUNT_FRAMES, seconds)
    after = spent(session)
    return Run(
        [later - earlier for earlier, later in pairwise(times)],
        {name: (after[name] - before[name]) / steps for name in after},
    )


def play(browser: Browser, file: Path, steps: int, seconds: float) -> Run:
    with browser.new_context(viewport=DESKTOP) as context:
        page = context.new_page()
        page.goto(file.as_uri())
        for _ in range(3):
            page.keyboard.press("+")
        page.keyboard.press(" ")
        return watch(page, seconds, steps)


def main(rounds: Annotated[int, typer.Option(help="How often, in turns with the empty page.")] = 3) -> None:
    replay = simulate_game(find_game("mantis"), {"edition": "icons"}, 6, "bench", "bench").replay
    steps = len(replay.entries)
    seconds = steps * 1.5 / SPEED
    ratios: list[float] = []
    table = Table("round", "empty page", "viewer", "ratio", "long frames", "script", "style", "layout", box=None)
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder, "match.html")
        file.write_text(match_page(film_of(replay), chances_of(replay)), encoding="utf-8")
        browser = launch(playwright)
        for number in range(1, rounds + 1):
            with browser.new_context(viewport=DESKTOP) as context:
                empty = watch(context.new_page(), seconds / 2, 1)
            viewer = play(browser, file, steps, seconds)
            long = sum(frame > 2 * median(empty.frames) for frame in viewer.frames)
            ratios.append(viewer.rate / empty.rate)
            table.add_row(
                str(number),
                f"{empty.rate:.1f} frames/s",
                f"{viewer.rate:.1f} frames/s",
                f"{ratios[-1]:.2f}",
                f"{long} of {len(viewer.frames)}",
                *(f"{viewer.costs[name]:.2f} ms/step" for name in ("script", "style", "layout")),
            )
        browser.close()
    out.print(table)
    ratio = median(ratios)
    verdict = "reached" if ratio >= RATE_TARGET else "not reached"
    out.print(f"frames of the viewer / of an empty page: {ratio:.2f} (wanted: {RATE_TARGET:.2f}, {verdict})")


if __name__ == "__main__":
    typer.run(main)
