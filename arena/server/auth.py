"""Authentication for every service: a request needs a token that allows it."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

import grpc
from anyio import to_thread

from arena.errors import ArenaError, BadStore, BadToken, NotFound
from arena.server.log import log_event
from arena.server.rate_limit import RateLimit
from arena.store.store import Store
from arena.store.tokens import Scope, Token


class RequestRefused(ArenaError):
    """The request is refused; the message and the hint are sent to the client."""

    def __init__(
        self, why: str, code: grpc.StatusCode = grpc.StatusCode.UNAUTHENTICATED, *, hint: str | None = None
    ) -> None:
        super().__init__(why, hint=hint)
        self.code = code

    @property
    def text(self) -> str:
        """The message and the hint in one text."""
        return f"{self} {self.hint}" if self.hint else str(self)


class Authenticator:
    """Checks tokens and writes the audit log."""

    def __init__(self, store: Store, wrong_tokens: RateLimit) -> None:
        """`wrong_tokens` limits how many invalid tokens one address may try."""
        self.store = store
        self.closed = False
        """Whether the server is shutting down and refuses all requests."""
        self._wrong_tokens = wrong_tokens

    async def check(self, secret: str, peer: str, *scopes: Scope) -> Token:
        """Return the token, if it has at least one of these scopes. Raise `BadToken` or `RequestRefused` otherwise."""
        if self.closed:
            why = "The server is shutting down and accepts no new requests. Retry in a minute."
            raise RequestRefused(why, grpc.StatusCode.ABORTED)
        if self._wrong_tokens.left(peer) < 1:
            why = "Too many invalid tokens from your address. Retry in a minute."
            raise RequestRefused(why, grpc.StatusCode.RESOURCE_EXHAUSTED)
        try:
            return await to_thread.run_sync(self.store.tokens.admit, secret, *scopes)
        except BadToken:
            self._wrong_tokens.take(peer)
            raise

    async def audit(self, token: Token, action: str, detail: str) -> None:
        try:
            await to_thread.run_sync(self.store.tokens.note, token, action, detail)
        except ArenaError as error:
            log_event("store.failed", why=str(error))


def refuse(error: ArenaError) -> RequestRefused:
    """Return the refusal of a request that failed. Details of the store are logged, for the organiser only."""
    match error:
        case RequestRefused():
            return error
        case BadStore():
            log_event("store.failed", why=str(error))
            return RequestRefused("The server's store is not available. Retry in a minute.", grpc.StatusCode.ABORTED)
        case BadToken():
            code = grpc.StatusCode.UNAUTHENTICATED
        case NotFound():
            code = grpc.StatusCode.NOT_FOUND
        case _:
            code = grpc.StatusCode.INVALID_ARGUMENT
    return RequestRefused(str(error), code, hint=error.hint)


def bearer_token(context: Any) -> str:
    """Return the token in the call's `authorization` metadata, or an empty string."""
    for name, value in context.invocation_metadata() or ():
        if name == "authorization" and isinstance(value, str) and value.lower().startswith("bearer "):
            return value[len("bearer ") :].strip()
    return ""


def peer_address(context: Any) -> str:
    """Return the client's address without the port, which changes with every connection."""
    return unquote(context.peer()).rpartition(":")[0]
