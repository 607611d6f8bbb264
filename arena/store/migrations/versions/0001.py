"""The first schema. A new store is created from schema.py, so only stores that already have it start here."""

from __future__ import annotations

revision = "0001"
down_revision = None


def upgrade() -> None:
    pass
