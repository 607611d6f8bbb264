"""Fixtures for tests of whole tournaments."""

from __future__ import annotations

from tests.support.tournaments import home

__all__ = ["home"]
