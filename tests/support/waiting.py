"""Wait for a condition: the one way in which tests wait."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

TIMEOUT = 120.0
"""Seconds until a test gives up. Long, because machines are shared: it is only reached when something is wrong."""


def until(condition: Callable[[], object], what: str = "the condition holds", timeout: float = TIMEOUT) -> None:
    """Wait until the condition is true; fail after the timeout."""
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, f"waited {timeout:g} s in vain until {what}"
        time.sleep(0.02)


async def until_async(condition: Callable[[], object], what: str = "the condition holds") -> None:
    """Wait in an event loop until the condition is true; fail after the timeout."""
    deadline = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < deadline, f"waited {TIMEOUT:g} s in vain until {what}"
        await asyncio.sleep(0.01)
