"""Debian's Chromium, driven by Playwright, for tests of what people see in a browser.

Each test gets a page in a profile of its own. Whatever a page prints to its console, throws, or fails to load is
collected, and the test fails at its end if there was anything: see `Watched`.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import axe_playwright_python
from playwright.sync_api import Browser, Page, Playwright, ViewportSize

DESKTOP = ViewportSize(width=1280, height=800)
PHONE = ViewportSize(width=390, height=844)
WIDTHS = {"desktop": DESKTOP, "phone": PHONE}
FLAGS = [
    "--no-sandbox",  # the tests may run as root, where Chromium has no sandbox
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def launch(playwright: Playwright) -> Browser:
    executable = shutil.which("chromium")
    assert executable, "Chromium is missing: make test installs it as root, or apt-get install chromium"
    return playwright.chromium.launch(executable_path=executable, args=FLAGS)


@dataclass
class Watched:
    """A page and all that went wrong on it."""

    page: Page
    troubles: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", lambda said: self.note(said.type, said.text) if said.type != "log" else None)
        self.page.on("pageerror", lambda error: self.note("error", str(error)))
        self.page.on("requestfailed", lambda request: self.note("failed", f"{request.url} {request.failure}"))

    def note(self, kind: str, text: str) -> None:
        # A stream that the page itself ends, because it is left, is no trouble.
        if "net::ERR_ABORTED" not in text:
            self.troubles.append(f"{kind}: {text}")


@contextmanager
def new_page(browser: Browser, viewport: ViewportSize = DESKTOP, *, touch: bool = False) -> Iterator[Page]:
    """A page on which nothing may go wrong."""
    context = browser.new_context(viewport=viewport, has_touch=touch, locale="en-GB")
    try:
        watched = Watched(context.new_page())
        yield watched.page
        assert watched.troubles == []
    finally:
        context.close()


@cache
def _axe() -> str:
    return (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf-8")


def violations(page: Page) -> list[str]:
    """What axe-core has to say against the page's accessibility."""
    page.evaluate(_axe())  # not as a script element, which the page's own security policy would refuse
    found = page.evaluate("async () => (await axe.run(document, {resultTypes: ['violations']})).violations")
    return [
        f"{each['id']}: {each['help']}: {node['target']} {node['failureSummary']}"
        for each in found
        for node in each["nodes"]
    ]
