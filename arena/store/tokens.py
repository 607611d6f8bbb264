"""Access tokens for the network, and the audit log.

A token belongs to a user, who may have several, and permits what its scopes say until it expires or is revoked. Its
secret is shown once, when it is created: the store has its hash only. The hash needs neither salt nor key stretching,
because a secret is random and too long to be guessed. Uses of a token are written to the audit log, which only grows;
unknown tokens leave no entry there, so that strangers cannot fill it.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from arena.errors import BadToken, NotFound, choices, unknown
from arena.records import from_now, now
from arena.store.config import CONFIG
from arena.store.engine import StoreSection, write_transaction
from arena.store.schema import audit_entries, tokens

SCHEME = "arena_"
"""The beginning of every token, so that secret scanners recognise one."""
USER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")


class Scope(StrEnum):
    """What a token can permit."""

    PLAY = "play"
    """Connect remote bots."""
    SUBMIT = "submit"
    """Submit bots that run on the server."""
    ORGANISE = "organise"
    """Begin and end tournaments."""


@dataclass(frozen=True, slots=True)
class Token:
    """A stored token, without its secret."""

    id: int
    user: str
    scopes: frozenset[Scope]
    created: str
    expires: str | None
    revoked: str | None

    @property
    def state(self) -> str:
        """`valid`, `expired` or `revoked`."""
        if self.revoked is not None:
            return "revoked"
        return "expired" if self.expires is not None and self.expires <= now() else "valid"


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """A use or a change of a token."""

    id: int
    moment: str
    token_id: int
    user: str
    deed: str
    detail: str


TOKEN = (
    *(column for column in tokens.c if column.name not in ("user_name", "secret_hash")),
    tokens.c.user_name.label("user"),
)
"""The fields of a `Token`."""


class Tokens(StoreSection):
    """Creates, checks and revokes tokens."""

    def create(self, user: str, scopes: Collection[Scope], lasting: timedelta | None = None) -> tuple[Token, str]:
        """Return a new token and its secret, which cannot be read later."""
        if not USER_NAME.fullmatch(user):
            raise BadToken(
                f"Invalid user name `{user}`: expected 1 to 40 letters, digits, dots, dashes and underscores, "
                "beginning with a letter or a digit."
            )
        if not scopes:
            raise BadToken("A token needs at least one scope: play, submit or organise.")
        secret = SCHEME + secrets.token_urlsafe(CONFIG.token_bytes)
        permitted = sorted(scope.value for scope in scopes)
        new = insert(tokens).values(
            user_name=user,
            secret_hash=_hash(secret),
            scopes=permitted,
            created=now(),
            expires=None if lasting is None else from_now(lasting),
        )
        with self.engine.begin() as connection:
            made = connection.execute(new.returning(*TOKEN)).one()
            _note(connection, made.id, "created", ", ".join(permitted))
            return _token(made), secret

    def all(self) -> list[Token]:
        """Return every token, oldest first."""
        return [_token(row) for row in self._rows(select(*TOKEN).order_by(tokens.c.id))]

    def revoke(self, named: str) -> list[Token]:
        """Revoke the token with this number, or all tokens of this user. Return those that were not revoked before."""
        chosen = tokens.c.user_name == named
        if named.isdecimal() and len(named) < 10:
            chosen |= tokens.c.id == int(named)
        with write_transaction(self.engine) as connection:
            if connection.execute(select(tokens.c.id).where(chosen)).first() is None:
                users = list(connection.scalars(select(tokens.c.user_name).distinct().order_by(tokens.c.user_name)))
                if not users:
                    raise NotFound("There is no token yet.", hint="Run `arena token create NAME --scope play`.")
                raise NotFound(unknown("token or user", named, users))
            revocation = update(tokens).where(chosen, tokens.c.revoked.is_(None)).values(revoked=now())
            revoked = [_token(row) for row in connection.execute(revocation.returning(*TOKEN))]
            for token in revoked:
                _note(connection, token.id, "revoked", "")
        return sorted(revoked, key=lambda token: token.id)

    def admit(self, secret: str, *scopes: Scope) -> Token:
        """Return the token with this secret. Raise `BadToken` if it is not valid or has none of these scopes."""
        if not secret:
            raise BadToken("A token is required: ask the organiser for one.")
        wanted = select(*TOKEN).where(tokens.c.secret_hash == _hash(secret))
        found = self._rows(wanted) if len(secret) <= CONFIG.max_secret_length else []
        if not found:
            raise BadToken("Unknown token: check that it is complete and that this is the right server.")
        token = _token(found[0])
        if token.state == "revoked":
            why_not = f"This token was revoked at {token.revoked} UTC"
        elif token.state == "expired":
            why_not = f"This token expired at {token.expires} UTC"
        elif scopes and token.scopes.isdisjoint(scopes):
            has = " and ".join(sorted(each.value for each in token.scopes))
            why_not = f"This token permits {has}, not {choices(scope.value for scope in scopes)}"
        else:
            return token
        why_not += ": ask the organiser for another one."
        self.note(token, "refused", why_not)
        raise BadToken(why_not)

    def valid(self) -> set[int]:
        """Return the numbers of all valid tokens."""
        return {token.id for token in self.all() if token.state == "valid"}

    def note(self, token: Token, deed: str, detail: str = "") -> None:
        """Write an entry into the audit log."""
        with self.engine.begin() as connection:
            _note(connection, token.id, deed, detail)

    def audit(self, limit: int, user: str | None = None) -> list[AuditEntry]:
        """Return the latest entries of the audit log, newest first; `user`: only those of this user."""
        wanted = (
            select(audit_entries, tokens.c.user_name.label("user"))
            .join(tokens)
            .order_by(audit_entries.c.id.desc())
            .limit(limit)
        )
        if user is not None:
            wanted = wanted.where(tokens.c.user_name == user)
        return [AuditEntry(**row._mapping) for row in self._rows(wanted)]


def _hash(secret: str) -> str:
    return sha256(secret.encode(errors="surrogatepass")).hexdigest()


def _note(connection: Connection, token: int, deed: str, detail: str) -> None:
    row = {"moment": now(), "token_id": token, "deed": deed, "detail": detail[: CONFIG.max_audit_detail]}
    connection.execute(insert(audit_entries).values(row))


def _token(row: Row[*tuple[Any, ...]]) -> Token:
    return Token(**{**row._mapping, "scopes": frozenset(map(Scope, row.scopes))})
