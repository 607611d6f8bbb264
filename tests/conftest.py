"""Settings for all tests."""

from __future__ import annotations

import pytest
from hypothesis import settings

# The machines are shared and slow at times: a deadline would measure them, not the code.
settings.register_profile("arena", deadline=None, print_blob=True)
settings.load_profile("arena")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write the golden playthroughs anew")
