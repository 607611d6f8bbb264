"""Opens the database behind a store, migrates its schema, and runs write transactions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, event, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.engine.interfaces import ExceptionContext
from sqlalchemy.exc import DatabaseError, InterfaceError, OperationalError

from arena.errors import BadStore
from arena.store import postgresql, sqlite

SCHEMA_VERSION = "0004"
"""The schema version that this code reads and writes."""
WRITE_LOCK = 0x6172656E61
"""The PostgreSQL advisory lock that every writer takes."""


def open_engine(database: Path | str) -> Engine:
    """Open the database, a file or a URL; create it if it is missing, and migrate an older schema."""
    if isinstance(database, Path):
        url = sqlite.file_url(database)
    else:
        url = make_url(database) if database.startswith("sqlite:") else postgresql.parse(database)
    engine = sqlite.engine_for(url) if url.drivername == "sqlite" else postgresql.engine_for(url)
    event.listen(engine, "handle_error", _explain)
    try:
        _migrate(engine)
    except DatabaseError as error:
        engine.dispose()
        raise BadStore(f"`{display_name(url)}` is damaged or not a store of the arena: {error.orig}.") from error
    except BaseException:
        engine.dispose()
        raise
    return engine


def display_name(url: URL) -> str:
    """Return where the database is, without a password."""
    return sqlite.display_path(url) if url.drivername == "sqlite" else postgresql.shown(url)


@contextmanager
def write_transaction(engine: Engine) -> Iterator[Connection]:
    """Open a transaction that excludes all other writers from its start; wait for them first.

    What is read in it, such as the greatest id, still holds when it is committed.
    """
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")  # by default it would begin with the first change
        else:
            _lock_writers(connection)
        yield connection


def _lock_writers(connection: Connection) -> None:
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": WRITE_LOCK})


def _migrate(engine: Engine) -> None:
    with engine.connect() as connection:
        version = _schema_version(connection)
    if version == SCHEMA_VERSION:
        return
    if version is not None and version > SCHEMA_VERSION:
        raise BadStore(
            f"The store was written by a newer arena (schema {version}, this one supports {SCHEMA_VERSION}).",
            hint="Update the arena.",
        )
    from alembic import command  # only here: importing it takes as long as many a command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    with _schema_transaction(engine) as connection:
        if _schema_version(connection) != SCHEMA_VERSION:  # another process may have migrated it meanwhile
            config.attributes["connection"] = connection
            command.upgrade(config, SCHEMA_VERSION)


@contextmanager
def _schema_transaction(engine: Engine) -> Iterator[Connection]:
    """Open a transaction for schema changes, which Python's sqlite3 would otherwise commit one by one."""
    if engine.dialect.name != "sqlite":
        with engine.begin() as connection:
            _lock_writers(connection)
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


def _schema_version(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found


def _explain(context: ExceptionContext) -> None:
    """Raise `BadStore` for errors that a user can do something about: a full disk, a lock, a server that is down."""
    why, raised = context.original_exception, context.sqlalchemy_exception
    if context.dialect.name == "sqlite":
        hint = sqlite.hint_for(why) if isinstance(raised, OperationalError) else None
    elif context.is_pre_ping or not isinstance(raised, DatabaseError | InterfaceError):
        hint = None
    else:
        hint = postgresql.hint_for(why)
    if hint:
        where = display_name(context.engine.url) if context.engine else ""
        reason = why if context.dialect.name == "sqlite" else postgresql.reason(why)
        raise BadStore(f"The store `{where}` cannot be used: {reason}.", hint=hint) from why
