"""Settings for all tests."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

# The machines are shared and slow at times: a deadline would measure them, not the code, and so would that check.
settings.register_profile("arena", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile("arena")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write the golden playthroughs anew")
