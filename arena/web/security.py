"""Who may do what in the browser, and what browsers are told never to do.

Everybody may look. Whoever opens the address that `arena web` has printed, with its token, gets a cookie and may play.
A request that changes something must bring that cookie, must come from one of our own pages, and must repeat a word
that only our own pages know. Names under which we are not reached are refused, so that a page elsewhere cannot talk to
an arena on this machine by giving us a name of its own.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable
from hashlib import sha256
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.errors import ArenaError

CSRF_HEADER = "x-arena-csrf"
TOKEN_PARAMETER = "token"  # noqa: S105, the name of it, not the thing itself
LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
"""The names by which a browser on this machine reaches what only this machine reaches."""
MOST_BODY = 64 * 1024
"""Bytes of a request's body: a choice in a game has fifty."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; "
    "style-src-attr 'unsafe-inline'; "  # lengths of bars and the like
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class NotAllowed(ArenaError):
    """Somebody wants to change something who may not."""


class TokenGate:
    """Knows the token, and who has shown it."""

    def __init__(self, token: str | None = None, port: int = 0) -> None:
        """`port`: where we listen. Browsers send cookies to all ports of a host, so ours has the port in its name."""
        self.token = token or secrets.token_urlsafe(24)
        self.cookie = f"arena_token_{port}"

    def _derived(self, purpose: str) -> str:
        """What stands for the token elsewhere, and does not tell it."""
        return hmac.new(self.token.encode(), purpose.encode(), sha256).hexdigest()

    @property
    def csrf(self) -> str:
        """The word that our own pages know."""
        return self._derived("csrf")

    def is_known(self, request: Request) -> bool:
        """Whether the request comes from a browser that has shown the token."""
        return hmac.compare_digest(request.cookies.get(self.cookie, "").encode(), self._derived("cookie").encode())

    def welcome(self, request: Request) -> Response | None:
        """A visitor that brings the token gets a cookie, and the same page without the token in its address."""
        shown = request.query_params.get(TOKEN_PARAMETER)
        if shown is None or request.method != "GET":
            return None
        there = request.url.remove_query_params(TOKEN_PARAMETER)
        path = "/" + there.path.lstrip("/\\")  # two slashes would begin the name of another host
        response = RedirectResponse(path + (f"?{there.query}" if there.query else ""), status_code=303)
        if hmac.compare_digest(shown.encode(), self.token.encode()):
            response.set_cookie(self.cookie, self._derived("cookie"), httponly=True, samesite="strict", path="/")
        return response

    def check_change(self, request: Request) -> None:
        """Raises NotAllowed unless the request may change something."""
        if not self.is_known(request):
            raise NotAllowed("only who opened the address that arena web has printed, with its token, may do this.")
        origin = request.headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
            raise NotAllowed("this came from another site.")
        if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
            raise NotAllowed("this came from another site.")
        if not hmac.compare_digest(request.headers.get(CSRF_HEADER, "").encode(), self.csrf.encode()):
            raise NotAllowed("this did not come from a page of this arena: load the page again.")


class SecurityMiddleware:
    """Stands around the whole application.

    It refuses strange hosts and large bodies, lets in who brings the token, and adds the headers that protect pages.
    """

    def __init__(self, app: ASGIApp, gate: TokenGate, hosts: Iterable[str] | None) -> None:
        """`hosts`: the names by which we are reached; None: whatever they are."""
        self.app = app
        self.gate = gate
        self.hosts = None if hosts is None else frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        seen = 0

        async def receive_little() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > MOST_BODY:  # a body without a length that never ends
                return {"type": "http.disconnect"}
            return message

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                answered = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    answered.setdefault(name, value)
                answered.setdefault("cache-control", "no-store")
            await send(message)

        answer = self._refusal(Headers(scope=scope)) or self.gate.welcome(Request(scope))
        await (answer or self.app)(scope, receive_little, send_guarded)

    def _refusal(self, headers: Headers) -> Response | None:
        host = headers.get("host", "")
        name = host if host.endswith("]") else host.rpartition(":")[0] or host
        if self.hosts is not None and name.lower() not in self.hosts:
            return PlainTextResponse(f"This arena is not reached as {name[:100]!r}.\n", 421)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 12 or int(length) > MOST_BODY:
            return PlainTextResponse("That is too much.\n", 413)
        return None
