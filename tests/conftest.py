"""Settings for all tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# The machines are shared and slow at times: a deadline would measure them, not the code, and so would that check.
settings.register_profile("arena", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile("arena")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write the golden playthroughs anew")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium; see tests.chromium. Not for the whole session: while it runs, asyncio.run() fails in this thread."""
    from playwright.sync_api import sync_playwright

    from tests.chromium import launch

    with sync_playwright() as playwright:
        started = launch(playwright)
        yield started
        started.close()
