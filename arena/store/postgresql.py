"""PostgreSQL: how it is reached, and what its errors mean.

Law: a password is never told to anybody, be it in an error, on a page or in a hint.
"""

from __future__ import annotations

import re

from sqlalchemy import URL, Engine, create_engine
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from arena.errors import BadStore

SCHEMES = ("postgresql", "postgres", "postgresql+psycopg")
BUSY = 30
"""Seconds to wait for others who hold what is wanted."""
SETTINGS = {
    "application_name": "arena",
    "connect_timeout": "10",
    # A lock belongs to a connection, so both ends find out soon that the other one has gone without a word.
    "keepalives_idle": "60",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "90000",  # the same where something is under way, in milliseconds
    "options": f"-c lock_timeout={BUSY}s -c tcp_keepalives_idle=60 -c tcp_keepalives_interval=10 "
    "-c tcp_keepalives_count=3 -c tcp_user_timeout=90s",
}
"""What a connection is opened with; whatever the URL says goes before."""

WHO = (
    "Check the user and the password, which may stand in the URL (write @ as %40, : as %3A, / as %2F), "
    "in PGPASSWORD or in ~/.pgpass."
)
NOT_THERE = "Make it first, with createdb, or write the name of one that is there."
GONE = "The server has gone: start it again, then do it again. What is on record is safe; a tournament goes on."
UNREACHABLE = "Is the server running, and are its host and port those in the URL?"
REMEDIES = {
    "28": WHO,
    "3D": NOT_THERE,
    "25006": "It can only be read: connect to the server that takes changes.",
    "42501": "Let this user create and change tables there, or use another one.",
    "42P07": "It has tables of something else: give the arena a database of its own.",
    "53100": "Make room on the server's disk, then do it again; what is on record is safe.",
    "53300": "The server has too many connections: close some, or allow more (max_connections).",
    "55P03": "Somebody else is writing: wait, then do it again.",
    "57P": GONE,
    "08": GONE,
}
"""What can be done, by the beginning of PostgreSQL's code for the error."""
REMEDIES_BY_WORDS = (
    ("password", WHO),
    ("no pg_hba.conf entry", WHO),
    ("role ", WHO),
    ("authentication failed", WHO),
    ("does not exist", NOT_THERE),
    ("too many", REMEDIES["53300"]),
    ("starting up", "Wait until the server is up, then do it again."),
    ("closed the connection", GONE),
    ("connection is lost", GONE),
    ("connection is closed", GONE),
    ("terminat", GONE),
)
"""The same where there is no code, because no connection came about, or there is none any more."""


def parse(address: str) -> URL:
    """The URL of a store. The text is not repeated where it is none, because a password may stand in it."""
    scheme = address.partition("://")[0]
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        url = None
    if url is None or scheme not in SCHEMES or "@" in (url.host or ""):  # that was the end of a password
        raise BadStore(
            "what was given as --store or ARENA_STORE is no address of a store: write postgresql://USER@HOST/DATABASE, "
            "and in a password @ as %40, : as %3A, / as %2F."
        ) from None
    return url.set(drivername="postgresql+psycopg")


def engine_for(url: URL) -> Engine:
    settings = {name: value for name, value in SETTINGS.items() if name not in url.query}
    try:
        # Who keeps a connection for later finds out before using it whether the server was restarted in between.
        return create_engine(url, connect_args=settings, pool_pre_ping=True)
    except ModuleNotFoundError as error:
        raise BadStore(
            f"a store in PostgreSQL needs the package {error.name}: install it with pip install 'arena[postgresql]'."
        ) from error


def shown(url: URL) -> str:
    """The address for people: who, where and what. Of the query only what is where: it may have a password."""
    where = {name: value for name, value in url.query.items() if name in ("host", "port")}
    return URL.create(
        "postgresql", url.username, host=url.host, port=url.port, database=url.database, query=where
    ).render_as_string()


def remedy_for(error: BaseException) -> str | None:
    """What can be done about an error of PostgreSQL; None where it is not the user's to mend."""
    code = getattr(error, "sqlstate", None)
    if code is not None:
        return next((remedy for start, remedy in REMEDIES.items() if code.startswith(start)), None)
    said = str(error)
    return next((remedy for words, remedy in REMEDIES_BY_WORDS if words in said), UNREACHABLE)


def reason(error: BaseException) -> str:
    """What went wrong, in one line, without the questions that the library asks in return."""
    return " ".join(re.sub(r"\s*Is the server running [^?]*\?", "", str(error)).split()).rstrip(".")
