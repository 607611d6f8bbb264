"""The store: one database behind a few doors, each for one kind of thing.

Laws:
- one process at a time plays a tournament and writes what comes of it (tenure.py); others may read, submit bots, keep
  the matches that people play, and, where the store is PostgreSQL, play other tournaments;
- whoever writes matches is alone from the first thing that it reads for it to the end (writing.py), so that ids and
  numbers are given once, and matches that are written later have greater ids;
- what a write has returned from is on disk: SQLite runs in WAL mode with full synchronisation, PostgreSQL as it does
  unless somebody has told it not to;
- the schema has a version. A database of an older one is brought up to date when it is opened, one of a newer arena is
  refused.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote, unquote

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.engine.interfaces import ExceptionContext
from sqlalchemy.exc import DatabaseError, InterfaceError, OperationalError

from arena.errors import BadStore, refusal
from arena.store import postgresql
from arena.store.archive import Archive
from arena.store.bots import Bots
from arena.store.casual import CasualMatches
from arena.store.matches import Matches
from arena.store.remote import RemoteLadder
from arena.store.schedule import Schedule
from arena.store.standings import StoredStandings
from arena.store.tenure import LastingTenure, Tenure, conducted, conducting
from arena.store.tokens import Tokens
from arena.store.tournaments import Tournaments
from arena.store.watch import Watch
from arena.store.writing import WRITERS

HEAD = "0004"
"""The version of the schema that this arena works with."""
MIGRATIONS = Path(__file__).parent / "migrations"
BUSY = 30.0
"""Seconds to wait for others who hold the database."""
REMEDIES = {
    sqlite3.SQLITE_FULL: "Make room on the disk, then do it again; what is on record is safe.",
    sqlite3.SQLITE_READONLY: "It can only be read: make it writable, or use another home (--home).",
    sqlite3.SQLITE_BUSY: "Somebody else is writing: wait, then do it again.",
}
"""What can be done about an error of SQLite."""


class Store:
    """An open store. Close it, or use it in a with statement."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @classmethod
    def open(cls, database: Path | str) -> Self:
        """Opens the database, a file or a URL; makes it where there is none, brings it up to date where it is old."""
        if isinstance(database, Path):
            url = _file_url(database)
        else:
            url = make_url(database) if database.startswith("sqlite:") else postgresql.parse(database)
        if url.drivername == "sqlite":
            engine = create_engine(url)
            event.listen(engine, "connect", _prepare_sqlite)
            event.listen(engine, "handle_error", _explain_sqlite)
        else:
            engine = postgresql.engine_for(url)
            event.listen(engine, "handle_error", _explain_postgresql)
        try:
            _bring_up_to_date(engine)
        except DatabaseError as error:
            engine.dispose()
            raise BadStore(f"{_where(url)} is not a store of the arena, or it is damaged: {error.orig}.") from error
        except BaseException:
            engine.dispose()
            raise
        return cls(engine)

    @property
    def where(self) -> str:
        """Where it is, for people."""
        return _where(self.engine.url)

    @cached_property
    def bots(self) -> Bots:
        return Bots(self.engine)

    @cached_property
    def tournaments(self) -> Tournaments:
        return Tournaments(self.engine)

    @cached_property
    def matches(self) -> Matches:
        return Matches(self.engine)

    @cached_property
    def archive(self) -> Archive:
        return Archive(self.engine)

    @cached_property
    def casual(self) -> CasualMatches:
        return CasualMatches(self.matches)

    @cached_property
    def remote(self) -> RemoteLadder:
        return RemoteLadder(self.bots, self.matches)

    @cached_property
    def schedule(self) -> Schedule:
        return Schedule(self.engine)

    @cached_property
    def standings(self) -> StoredStandings:
        return StoredStandings(self.engine)

    @cached_property
    def tokens(self) -> Tokens:
        return Tokens(self.engine)

    def watch(self) -> Watch:
        """Tells whether something has changed; to be closed before the store is."""
        return Watch(self.engine)

    def conducting(self, tournament: int) -> AbstractContextManager[Tenure]:
        """The right to conduct a tournament, which nobody else has meanwhile."""
        return conducting(self.engine, tournament)

    def conducting_for_days(self, tournament: int, taken: str) -> LastingTenure:
        """The same for who goes on where the connection was lost; `taken` is for who comes while somebody has it."""
        return LastingTenure(self.engine, tournament, taken)

    def conducted(self) -> frozenset[int]:
        """The tournaments that are being conducted, from whatever home; a store in a home leaves that to the home."""
        return conducted(self.engine)

    def close(self) -> None:
        self.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _file_url(database: Path) -> URL:
    """The URL of a database in a file, whose folder is made where there is none.

    Where nothing can be written, on a disk that is mounted read-only for instance, what is there can still be read. A
    journal that is there too has to be taken into account; without one SQLite must be told not to look for it.
    """
    if database.exists() and not os.access(database.parent, os.W_OK):
        journal = database.with_name(f"{database.name}-wal")
        query = {"mode": "ro"} if journal.exists() else {"immutable": "1"}
        return URL.create("sqlite", database=f"file:{quote(str(database))}", query={**query, "uri": "true"})
    try:
        database.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadStore(f"nothing can be written in {refusal(error, database.parent)}") from error
    return URL.create("sqlite", database=str(database))


def _where(url: URL) -> str:
    """Where the database is, for people."""
    if url.drivername != "sqlite":
        return postgresql.shown(url)
    return unquote((url.database or "").removeprefix("file:")) if "uri" in url.query else url.database or ""


def _prepare_sqlite(connection: sqlite3.Connection, _: Any) -> None:
    with closing(connection.cursor()) as cursor:
        cursor.execute(f"PRAGMA busy_timeout={round(BUSY * 1000)}")
        _use_wal(cursor)
        cursor.execute("PRAGMA synchronous=FULL")
        cursor.execute("PRAGMA foreign_keys=ON")


def _use_wal(cursor: sqlite3.Cursor) -> None:
    """Where several open a new database at the same moment, SQLite refuses this at once, whatever the timeout is."""
    deadline = time.monotonic() + BUSY
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _bring_up_to_date(engine: Engine) -> None:
    with engine.connect() as connection:
        version = _schema_version(connection)
    if version == HEAD:
        return
    if version is not None and version > HEAD:
        raise BadStore(
            f"the store was written by a newer arena (schema {version}, this arena knows {HEAD}): update the arena."
        )
    from alembic import command  # only here: loading it takes as long as many a command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with _all_or_nothing(engine) as connection:
        if _schema_version(connection) != HEAD:  # somebody else may have been quicker
            config.attributes["connection"] = connection
            command.upgrade(config, HEAD)


@contextmanager
def _all_or_nothing(engine: Engine) -> Iterator[Connection]:
    """A transaction that holds changes of the schema too, which Python's sqlite3 would commit one by one."""
    if engine.dialect.name != "sqlite":
        with engine.begin() as connection:
            connection.execute(text("SELECT pg_advisory_xact_lock(:writers)"), {"writers": WRITERS})
            yield connection
        return
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        try:
            yield connection
        except BaseException:
            connection.exec_driver_sql("ROLLBACK")
            raise
        connection.exec_driver_sql("COMMIT")


def _explain_sqlite(context: ExceptionContext) -> None:
    """What the user can do something about is told in a sentence: a full disk, a lock, a missing permission."""
    if isinstance(context.sqlalchemy_exception, OperationalError):
        where = _where(context.engine.url) if context.engine else ""
        why = context.original_exception
        code = getattr(why, "sqlite_errorcode", 0) & 0xFF  # without what SQLite adds to it
        remedy = REMEDIES.get(code, "Is there room on the disk, and may the arena write there?")
        raise BadStore(f"the store {where} cannot be used: {why}. {remedy}") from why


def _explain_postgresql(context: ExceptionContext) -> None:
    """The same for a server: it is not there, it does not let us in, it has gone in the middle."""
    if context.is_pre_ping or not isinstance(context.sqlalchemy_exception, DatabaseError | InterfaceError):
        return
    why = context.original_exception
    if remedy := postgresql.remedy_for(why):
        where = _where(context.engine.url) if context.engine else ""
        raise BadStore(f"the store {where} cannot be used: {postgresql.reason(why)}. {remedy}") from why


def _schema_version(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found
