"""The fixtures of these tests."""

from __future__ import annotations

from collections.abc import Iterator
from secrets import token_hex

import pytest

from tests.support.scene import disk, tagged

__all__ = ["disk", "tag"]


@pytest.fixture
def tag() -> Iterator[str]:
    """A text by which a test finds its bots. None of them survives the test, even if it fails."""
    tag = f"tag-{token_hex(8)}"
    yield tag
    for process in tagged(tag):
        process.kill()
