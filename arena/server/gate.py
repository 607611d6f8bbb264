"""Who is let in, to whatever service: whoever brings a token that allows it, and has not guessed too often."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

import grpc
from anyio import to_thread

from arena.errors import ArenaError, BadStore, BadToken
from arena.server.admission import Allowance
from arena.server.journal import Journal
from arena.store.store import Store
from arena.store.tokens import Scope, Token

BEARER = "bearer "


class Refused(Exception):
    """Somebody is not let in, or does not get what they want, with the sentence that they hear."""

    def __init__(self, why: str, code: grpc.StatusCode = grpc.StatusCode.UNAUTHENTICATED) -> None:
        super().__init__(why)
        self.code = code


class Gate:
    """Looks at tokens."""

    def __init__(self, store: Store, journal: Journal, strangers: Allowance) -> None:
        """`strangers`: how often one may bring a token that is none, from the same place."""
        self.store = store
        self.journal = journal
        self.closed = False
        """Whether the server is about to stop."""
        self._strangers = strangers

    async def admit(self, secret: str, peer: str, *scopes: Scope) -> Token:
        """The token that somebody has brought, for any of these scopes. Raises Refused where it lets nobody in."""
        if self.closed:
            raise Refused("The server is about to stop: come back later.", grpc.StatusCode.ABORTED)
        if self._strangers.left(peer) < 1:
            why = "There were too many wrong tokens from where you are: wait a minute."
            raise Refused(why, grpc.StatusCode.RESOURCE_EXHAUSTED)
        try:
            return await to_thread.run_sync(self.store.tokens.admit, secret, *scopes)
        except BadToken as error:
            self._strangers.take(peer)
            raise Refused(sentence(error)) from error
        except BadStore as error:
            raise self.no_store(error) from error

    def no_store(self, error: BadStore) -> Refused:
        """Where the store is and what is wrong with it is the organiser's business."""
        self.journal.tell("store.failed", why=str(error))
        why = "The server's store cannot be used at the moment: come back later."
        return Refused(why, grpc.StatusCode.ABORTED)

    async def note(self, token: Token, deed: str, detail: str) -> None:
        """Writes into the audit log what was done."""
        try:
            await to_thread.run_sync(self.store.tokens.note, token, deed, detail)
        except ArenaError as error:
            self.journal.tell("store.failed", why=str(error))


def bearer(context: Any) -> str:
    """The token in the metadata of a call, if there is one."""
    for name, value in context.invocation_metadata() or ():
        if name == "authorization" and isinstance(value, str) and value.lower().startswith(BEARER):
            return value[len(BEARER) :].strip()
    return ""


def peer_of(context: Any) -> str:
    """Where a call comes from, without the port, which is another one each time."""
    return unquote(context.peer()).rpartition(":")[0]


def sentence(error: ArenaError) -> str:
    text = str(error)
    return text[:1].upper() + text[1:]
