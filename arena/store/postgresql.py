"""PostgreSQL: how a server is reached, and what its errors mean.

Invariant: a password never appears in an error, on a page or in a hint.
"""

from __future__ import annotations

import re

from sqlalchemy import URL, Engine, create_engine
from sqlalchemy.engine import make_url
from sqlalchemy.engine.interfaces import ExceptionContext
from sqlalchemy.exc import ArgumentError, DatabaseError, InterfaceError

from arena.errors import BadStore
from arena.store.config import CONFIG

CONNECTION_SETTINGS = {
    "application_name": "arena",
    "connect_timeout": "10",
    # A lock belongs to a connection, so both ends must notice soon when the other one is gone.
    "keepalives_idle": "60",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "90000",  # milliseconds, for data that was sent but not acknowledged
    "options": f"-c lock_timeout={CONFIG.busy_seconds}s -c tcp_keepalives_idle=60 -c tcp_keepalives_interval=10 "
    "-c tcp_keepalives_count=3 -c tcp_user_timeout=90s",
}
"""Settings of a connection; those in the URL take precedence."""

CHECK_LOGIN = (
    "Check the user and the password. The password may be in the URL (write @ as %40, : as %3A, / as %2F), "
    "in PGPASSWORD or in ~/.pgpass."
)
CHECK_DATABASE = "Create the database with `createdb`, or give the name of an existing one."
RESTART_SERVER = (
    "The connection to the server was lost: start the server again, then repeat the command. Stored results are safe."
)
CHECK_SERVER = "Is the server running, and are host and port in the URL right?"
HINTS_BY_CODE = {
    "28": CHECK_LOGIN,
    "3D": CHECK_DATABASE,
    "25006": "The server is read-only: connect to the primary server.",
    "42501": "Allow this user to create and change tables, or use another user.",
    "42P07": "The database has tables of another application: give the arena its own database.",
    "53100": "Free disk space on the server, then repeat the command. Stored results are safe.",
    "53300": "The server has too many connections: close some, or raise max_connections.",
    "55P03": "Another process is writing: wait, then repeat the command.",
    "57P": RESTART_SERVER,
    "08": RESTART_SERVER,
}
"""What helps, by the beginning of PostgreSQL's error code."""
HINTS_BY_TEXT = (
    ("password", CHECK_LOGIN),
    ("no pg_hba.conf entry", CHECK_LOGIN),
    ("role ", CHECK_LOGIN),
    ("authentication failed", CHECK_LOGIN),
    ("does not exist", CHECK_DATABASE),
    ("too many", HINTS_BY_CODE["53300"]),
    ("starting up", "Wait until the server is up, then repeat the command."),
    ("closed the connection", RESTART_SERVER),
    ("connection is lost", RESTART_SERVER),
    ("connection is closed", RESTART_SERVER),
    ("terminat", RESTART_SERVER),
)
"""The same for errors without a code, because there is no connection."""


def parse(address: str) -> URL:
    """Return the URL of a store. An invalid address is not repeated in the error: it may contain a password."""
    scheme = address.partition("://")[0]
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        url = None
    known = scheme in ("postgresql", "postgres", "postgresql+psycopg")
    if url is None or not known or "@" in (url.host or ""):  # the end of a password that is not escaped
        raise BadStore(
            "The value of `--store` or ARENA_STORE is not the address of a store: expected "
            "postgresql://USER@HOST/DATABASE.",
            hint="In a password write @ as %40, : as %3A and / as %2F.",
        ) from None
    return url.set(drivername="postgresql+psycopg")


def engine_for(url: URL) -> Engine:
    settings = {name: value for name, value in CONNECTION_SETTINGS.items() if name not in url.query}
    try:
        # A pooled connection is checked before it is used: the server may have been restarted.
        return create_engine(url, connect_args=settings, pool_pre_ping=True)
    except ModuleNotFoundError as error:
        raise BadStore(
            f"A store in PostgreSQL needs the package `{error.name}`.", hint="Run `pip install 'arena[postgresql]'`."
        ) from error


def shown(url: URL) -> str:
    """Return the address without the password. Of the query only host and port are kept."""
    where = {name: value for name, value in url.query.items() if name in ("host", "port")}
    return URL.create(
        "postgresql", url.username, host=url.host, port=url.port, database=url.database, query=where
    ).render_as_string()


def hint_for(context: ExceptionContext) -> str | None:
    """Return what helps against an error; None if the user can do nothing about it."""
    if context.is_pre_ping or not isinstance(context.sqlalchemy_exception, DatabaseError | InterfaceError):
        return None
    error = context.original_exception
    code = getattr(error, "sqlstate", None)
    if code is not None:
        return next((hint for start, hint in HINTS_BY_CODE.items() if code.startswith(start)), None)
    message = str(error)
    return next((hint for part, hint in HINTS_BY_TEXT if part in message), CHECK_SERVER)


def reason(error: BaseException) -> str:
    """Return the message in one line, without the questions that libpq adds."""
    return " ".join(re.sub(r"\s*Is the server running [^?]*\?", "", str(error)).split()).rstrip(".")
