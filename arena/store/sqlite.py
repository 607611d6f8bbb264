"""SQLite: how a database file is opened, and what its errors mean."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path
from urllib.parse import quote, unquote

from sqlalchemy import URL, Engine, create_engine, event
from sqlalchemy.engine.interfaces import ExceptionContext
from sqlalchemy.exc import OperationalError

from arena.errors import BadStore, refusal
from arena.store.config import CONFIG

HINTS = {
    sqlite3.SQLITE_FULL: "Free some disk space, then run the command again. Stored results are safe.",
    sqlite3.SQLITE_READONLY: "The store is read-only: make it writable, or use another home (`--home`).",
    sqlite3.SQLITE_BUSY: "Another process is writing: wait, then run the command again.",
}
"""What helps, by SQLite's error code."""


def file_url(database: Path) -> URL:
    """Return the URL of a database file; create its folder if it is missing.

    In a folder that is read-only, an existing database can still be read. If it has a write-ahead log, that has to be
    read too; without one SQLite must not look for it.
    """
    if database.exists() and not os.access(database.parent, os.W_OK):
        wal = database.with_name(f"{database.name}-wal")
        query = {"mode": "ro"} if wal.exists() else {"immutable": "1"}
        return URL.create("sqlite", database=f"file:{quote(str(database))}", query={**query, "uri": "true"})
    try:
        database.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadStore(f"Nothing can be written in {refusal(error, database.parent)}") from error
    return URL.create("sqlite", database=str(database))


def engine_for(url: URL) -> Engine:
    engine = create_engine(url)
    event.listen(engine, "connect", _configure)
    return engine


def display_path(url: URL) -> str:
    """Return the path of the database file."""
    return unquote((url.database or "").removeprefix("file:")) if "uri" in url.query else url.database or ""


def hint_for(context: ExceptionContext) -> str | None:
    """Return what helps against an error; None if the user can do nothing about it."""
    if not isinstance(context.sqlalchemy_exception, OperationalError):
        return None
    code = getattr(context.original_exception, "sqlite_errorcode", 0) & 0xFF  # the primary code
    return HINTS.get(code, "Check the free disk space and the permissions of the store.")


def _configure(connection: sqlite3.Connection, _: object) -> None:
    connection.execute(f"PRAGMA busy_timeout={CONFIG.busy_seconds * 1000}")
    _use_wal(connection)
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch to WAL mode. While several processes open a new database SQLite refuses this, whatever the timeout."""
    deadline = time.monotonic() + CONFIG.busy_seconds
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(0.01)
