"""Settings for all tests, and who may run beside whom."""

from __future__ import annotations

import fcntl
import os
import signal
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.support.postgresql import Server

# The machines are shared and slow at times: a deadline would measure them, not the code, and so would that check.
# CI tries the same examples each time, so that only a change can make it fail; other runs and `make fuzz` try new ones.
settings.register_profile(
    "arena",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
    derandomize="CI" in os.environ,
)
settings.load_profile("arena")

# A shell starts background jobs with SIGINT ignored, and child processes inherit that; some tests send it to them.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

TESTS = Path(__file__).parent
SIDE_BY_SIDE = "PYTEST_XDIST_WORKER" in os.environ
"""Whether this process is one of several that share the tests, file by file."""
PURE = (
    "games",
    "fuzz/test_targets",
    "reports",
    "rating",
    "tournament/test_design",
    "tournament/test_formats",
    "tournament/test_knockout",
    "web/drawing",
    "web/viewer",
)
"""These start no arena, so they may run beside anything."""
INTERRUPTED, KILLED = "tournament/test_interrupted", "faults/test_killed"
FIRST = (INTERRUPTED, *PURE, KILLED, "hostile", "cli", "web", "referee", "server", "faults", "tournament")
"""In this order, then all others: what must be alone beside what may run beside it, and nothing long at the end."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write the golden playthroughs anew")
    parser.addoption("--no-skips", action="store_true", help="fail where a test would be skipped")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and item.config.getoption("--no-skips"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        report.outcome, report.longrepr = "failed", f"{item.nodeid} was skipped, and --no-skips is set: {reason}"
    return report


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium, for one module: while it runs, asyncio.run() fails in this thread."""
    from playwright.sync_api import sync_playwright

    from tests.support.chromium import launch

    with sync_playwright() as playwright:
        started = launch(playwright)
        yield started
        started.close()


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Server]:
    """A real server; see tests.support.postgresql."""
    from tests.support.postgresql import running

    with running() as server:
        yield server


@pytest.fixture(scope="session")
def arena_database(postgresql: Server) -> str:
    """A database with the tables of an empty store."""
    from arena.store.store import Store

    name = postgresql.new_database()
    Store.open(postgresql.address(name)).close()
    return name


@pytest.fixture
def postgresql_url(postgresql: Server, arena_database: str) -> str:
    """The address of an empty store: the same for all tests, because to make a database takes much longer."""
    from arena.store.schema import metadata

    postgresql.run(f"TRUNCATE {', '.join(metadata.tables)} RESTART IDENTITY", arena_database)
    return postgresql.address(arena_database)


def place(item: pytest.Item) -> str:
    return item.path.relative_to(TESTS).as_posix()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def rank(item: pytest.Item) -> int:
        return next((number for number, first in enumerate(FIRST) if place(item).startswith(first)), len(FIRST))

    if SIDE_BY_SIDE:
        items.sort(key=rank)


@contextmanager
def turn(folder: Path, *, alone: bool) -> Iterator[None]:
    """Many may have a turn at the same time, or one that is alone. Who waits at the gate is not overtaken."""
    with (folder / "gate").open("w") as gate, (folder / "turn").open("w") as held:
        fcntl.flock(gate, fcntl.LOCK_EX)
        fcntl.flock(held, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        fcntl.flock(gate, fcntl.LOCK_UN)
        try:
            yield
        finally:
            fcntl.flock(held, fcntl.LOCK_UN)


@pytest.hookimpl(wrapper=True, tryfirst=True)  # so that waiting for its turn is not part of a test's time
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    if not SIDE_BY_SIDE or place(item).startswith(PURE):
        return (yield)
    assert item.config.cache is not None
    with turn(item.config.cache.mkdir("turns"), alone=item.get_closest_marker("alone") is not None):
        return (yield)
