"""Tokens: who may do what over the network, and what was done.

A token belongs to a user, who may have several, and allows what its scopes say, until it expires or is revoked. It is
shown once, when it is made: the store has its hash only. That hash needs no salt and no slowness, because a token is
drawn at random and is too long to be guessed. What is done with a token is written into the audit log, which only
grows; tokens that nobody has made leave no trace there, so that strangers cannot fill it.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Engine, Row, insert, select, update

from arena.errors import BadToken, NotFound, choices, unknown
from arena.store.moment import from_now, now
from arena.store.schema import audit_entries, tokens
from arena.store.writing import writing

PREFIX = "arena_"
"""What every token begins with, so that one is recognised where it does not belong."""
SECRET_BYTES = 32
LONGEST_SECRET = 200
USER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
LONGEST_DETAIL = 500


class Scope(Enum):
    """What a token can allow."""

    PLAY = "play"
    """To connect bots that play."""
    SUBMIT = "submit"
    """To hand in bots that run here."""
    ORGANISE = "organise"
    """To begin and to end events."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it is kept: without its secret."""

    id: int
    user: str
    scopes: frozenset[Scope]
    created: str
    expires: str | None
    revoked: str | None

    @property
    def state(self) -> str:
        """What has become of it, in a word."""
        if self.revoked is not None:
            return "revoked"
        return "expired" if self.expires is not None and self.expires <= now() else "valid"


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """Something that was done with a token, or to it."""

    id: int
    moment: str
    token_id: int
    user: str
    deed: str
    detail: str


class Tokens:
    """Makes, checks and revokes tokens."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def create(self, user: str, scopes: Collection[Scope], lasting: timedelta | None = None) -> tuple[Token, str]:
        """A new token, and its secret, which nobody can find out later."""
        if not USER.fullmatch(user):
            raise BadToken(
                f"{user!r} is no name for a user: write 1 to 40 letters, digits, dots, dashes and underscores, "
                "and begin with a letter or a digit."
            )
        if not scopes:
            raise BadToken("a token without a scope allows nothing: give it some of play, submit and organise.")
        secret = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
        row = {
            "user_name": user,
            "secret_hash": _hash(secret),
            "scopes": sorted(scope.value for scope in scopes),
            "created": now(),
            "expires": None if lasting is None else from_now(lasting),
        }
        with self.engine.begin() as connection:
            made = connection.execute(insert(tokens).values(row).returning(tokens)).one()
            _note(connection, made.id, "created", ", ".join(sorted(scope.value for scope in scopes)))
            return _token(made), secret

    def all(self) -> list[Token]:
        """Every token that was ever made, the oldest first."""
        with self.engine.connect() as connection:
            return [_token(row) for row in connection.execute(select(tokens).order_by(tokens.c.id))]

    def revoke(self, named: str) -> list[Token]:
        """Revokes the token with this number, or all of the user with this name. Returns those that were not before."""
        with writing(self.engine) as connection:
            chosen = tokens.c.user_name == named
            if named.isdecimal() and len(named) < 10:
                chosen |= tokens.c.id == int(named)
            found = connection.execute(select(tokens).where(chosen).order_by(tokens.c.id)).all()
            if not found:
                users = list(connection.scalars(select(tokens.c.user_name).distinct().order_by(tokens.c.user_name)))
                if not users:
                    raise NotFound("there is no token here yet: arena token create NAME --scope play")
                raise NotFound(unknown("token or user", named, users))
            ours = [row.id for row in found if row.revoked is None]
            connection.execute(update(tokens).where(tokens.c.id.in_(ours)).values(revoked=now()))
            for number in ours:
                _note(connection, number, "revoked", "")
            fresh = select(tokens).where(tokens.c.id.in_(ours)).order_by(tokens.c.id)
            return [_token(row) for row in connection.execute(fresh)]

    def admit(self, secret: str, *scopes: Scope) -> Token:
        """The token with this secret. Raises BadToken unless it allows one of these now; none: anything at all."""
        if not secret:
            raise BadToken("a token is needed here, and none was sent: ask the organiser for one.")
        row = None
        if len(secret) <= LONGEST_SECRET:
            with self.engine.connect() as connection:
                row = connection.execute(select(tokens).where(tokens.c.secret_hash == _hash(secret))).first()
        if row is None:
            raise BadToken("this token is not known here: is all of it there, and is this the right server?")
        token = _token(row)
        why_not = None
        if token.state == "revoked":
            why_not = f"this token was revoked at {token.revoked} UTC: ask the organiser for another one."
        elif token.state == "expired":
            why_not = f"this token expired at {token.expires} UTC: ask the organiser for another one."
        elif scopes and token.scopes.isdisjoint(scopes):
            has = " and ".join(sorted(each.value for each in token.scopes))
            needed = choices(scope.value for scope in scopes)
            why_not = f"this token is for {has}, not for {needed}: ask the organiser for one that is."
        if why_not:
            self.note(token, "refused", why_not)
            raise BadToken(why_not)
        return token

    def valid(self) -> set[int]:
        """The numbers of all tokens that are neither expired nor revoked."""
        unrevoked = select(tokens).where(tokens.c.revoked.is_(None))
        with self.engine.connect() as connection:
            return {row.id for row in connection.execute(unrevoked) if _token(row).state == "valid"}

    def note(self, token: Token, deed: str, detail: str = "") -> None:
        """Writes into the audit log what was done."""
        with self.engine.begin() as connection:
            _note(connection, token.id, deed, detail)

    def audit(self, limit: int, user: str | None = None) -> list[AuditEntry]:
        """The latest entries of the audit log, of everybody or of one user, the newest first."""
        wanted = (
            select(audit_entries, tokens.c.user_name.label("user"))
            .join(tokens)
            .order_by(audit_entries.c.id.desc())
            .limit(limit)
        )
        if user is not None:
            wanted = wanted.where(tokens.c.user_name == user)
        with self.engine.connect() as connection:
            return [AuditEntry(**row._mapping) for row in connection.execute(wanted)]


def _hash(secret: str) -> str:
    return sha256(secret.encode(errors="surrogatepass")).hexdigest()


def _note(connection: Connection, token: int, deed: str, detail: str) -> None:
    row = {"moment": now(), "token_id": token, "deed": deed, "detail": detail[:LONGEST_DETAIL]}
    connection.execute(insert(audit_entries).values(row))


def _token(row: Row[*tuple[Any, ...]]) -> Token:
    fields = row._mapping
    return Token(
        id=fields["id"],
        user=fields["user_name"],
        scopes=frozenset(map(Scope, fields["scopes"])),
        created=fields["created"],
        expires=fields["expires"],
        revoked=fields["revoked"],
    )
