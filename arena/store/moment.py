"""The time as it stands in the store."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


def now() -> str:
    """UTC, to the second."""
    return from_now(timedelta())


def from_now(later: timedelta) -> str:
    """UTC, to the second. Such texts are in the order of the moments that they stand for."""
    return (datetime.now(UTC) + later).strftime("%Y-%m-%d %H:%M:%S")
