"""The time as it stands in the store."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> str:
    """UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
