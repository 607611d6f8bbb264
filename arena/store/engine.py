"""Opens the database behind a store, creates or migrates its schema, and runs queries and write transactions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, Row, Select, event, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.engine.interfaces import ExceptionContext
from sqlalchemy.exc import DatabaseError

from arena.errors import BadStore
from arena.store import postgresql, sqlite
from arena.store.schema import metadata

SCHEMA_VERSION = "0005"
"""The schema version that this code reads and writes."""
MIGRATIONS = Path(__file__).parent / "migrations"
WRITE_LOCK = 0x6172656E61
"""The PostgreSQL advisory lock that every writer takes."""

Value = TypeVar("Value")


class StoreSection:
    """One kind of records in a store."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def _rows(self, query: Select[*tuple[Any, ...]]) -> Sequence[Row[*tuple[Any, ...]]]:
        with self.engine.connect() as connection:
            return connection.execute(query).all()

    def _column(self, query: Select[Value]) -> list[Value]:
        """Return the first value of each row."""
        with self.engine.connect() as connection:
            return list(connection.scalars(query))


def open_engine(database: Path | str) -> Engine:
    """Open the database, a file or a URL; create it if it is missing, and migrate an older schema."""
    if isinstance(database, Path):
        url = sqlite.file_url(database)
    else:
        url = make_url(database) if database.startswith("sqlite:") else postgresql.parse(database)
    engine = sqlite.engine_for(url) if url.drivername == "sqlite" else postgresql.engine_for(url)
    event.listen(engine, "handle_error", _explain)
    try:
        _prepare_schema(engine)
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
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": WRITE_LOCK})
        yield connection


def _prepare_schema(engine: Engine) -> None:
    """Create the tables of a new database, or migrate those of an older one."""
    with engine.connect() as connection:
        version = _schema_version(connection)
    if version == SCHEMA_VERSION:
        return
    if version is not None and version > SCHEMA_VERSION:
        raise BadStore(
            f"The store was written by a newer arena (schema {version}, this one supports {SCHEMA_VERSION}).",
            hint="Update the arena.",
        )
    with write_transaction(engine) as connection:
        version = _schema_version(connection)  # another process may have been faster
        if version is None:
            metadata.create_all(connection, checkfirst=False)  # fails for tables of another application
            connection.exec_driver_sql("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
            connection.execute(text("INSERT INTO alembic_version VALUES (:version)"), {"version": SCHEMA_VERSION})
        elif version != SCHEMA_VERSION:
            _migrate(connection)


def _migrate(connection: Connection) -> None:
    from alembic import command  # only here: importing it takes as long as many a command
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    command.upgrade(config, SCHEMA_VERSION)


def _schema_version(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found


def _explain(context: ExceptionContext) -> None:
    """Raise `BadStore` for errors that a user can do something about: a full disk, a lock, a server that is down."""
    error = context.original_exception
    if context.dialect.name == "sqlite":
        hint, reason = sqlite.hint_for(context), str(error)
    else:
        hint, reason = postgresql.hint_for(context), postgresql.reason(error)
    if hint:
        where = display_name(context.engine.url) if context.engine else ""
        raise BadStore(f"The store `{where}` cannot be used: {reason}.", hint=hint) from error
