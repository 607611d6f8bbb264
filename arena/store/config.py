"""Timeouts, sizes and limits of the store."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StoreConfig:
    """Policy values of the store."""

    busy_seconds: int = 30  # wait this long for another writer
    lock_attempts: int = 20  # tries for a lock whose holder may just be going away
    home_lock_interval: float = 0.01  # seconds between two tries for a lock of a home
    lease_interval: float = 0.05  # seconds between two tries for a lease
    copy_rows: int = 500  # rows in memory while a store is copied; matches come with their replays
    export_rows: int = 1000  # rows fetched at once while a table is exported
    close_ranks: int = 10  # bots this close in rank are compared by the bootstrap of their difference
    token_bytes: int = 32  # random bytes of a token
    max_secret_length: int = 200  # longer texts are not looked up
    max_audit_detail: int = 500  # characters of a detail in the audit log


CONFIG = StoreConfig()
