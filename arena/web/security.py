"""Access control: the token, CSRF protection and the security headers of every response.

Everybody who reaches the server may read. A browser that opens the address printed by `arena web`, with its token,
gets a cookie and may play. A request that changes something must carry the cookie, come from one of our own pages
(`Origin`, `Sec-Fetch-Site`) and repeat the CSRF token. Requests for other host names are refused, which prevents DNS
rebinding.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable
from hashlib import sha256
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.web.config import CONFIG
from arena.web.errors import NotAllowed

LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})
SECURITY_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; "
        "style-src-attr 'unsafe-inline'; "  # lengths of bars and the like
        "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


class TokenGate:
    """Checks the token, the cookie derived from it, and the CSRF token."""

    def __init__(self, port: int) -> None:
        """`port`: where the server listens; browsers send cookies to all ports of a host, so the name contains it."""
        self.token = secrets.token_urlsafe(24)
        self.cookie = f"arena_token_{port}"

    def _derived(self, purpose: str) -> str:
        return hmac.new(self.token.encode(), purpose.encode(), sha256).hexdigest()

    @property
    def csrf(self) -> str:
        return self._derived("csrf")

    def is_known(self, request: Request) -> bool:
        """Return whether the request carries the cookie."""
        return hmac.compare_digest(request.cookies.get(self.cookie, "").encode(), self._derived("cookie").encode())

    def login(self, request: Request) -> Response | None:
        """Exchange a token in the address for the cookie, and redirect to the same page without the token."""
        token = request.query_params.get("token")
        if token is None or request.method != "GET":
            return None
        target = request.url.remove_query_params("token")
        path = "/" + target.path.lstrip("/\\")  # two slashes would start the name of another host
        response = RedirectResponse(path + (f"?{target.query}" if target.query else ""), status_code=303)
        if hmac.compare_digest(token.encode(), self.token.encode()):
            response.set_cookie(self.cookie, self._derived("cookie"), httponly=True, samesite="strict", path="/")
        return response

    def check_known(self, request: Request) -> None:
        """Raise `NotAllowed` if the request does not carry the cookie."""
        if not self.is_known(request):
            raise NotAllowed(
                "Only browsers that opened the address printed by `arena web`, with its token, are allowed to play."
            )

    def check_change(self, request: Request) -> None:
        """Raise `NotAllowed` if the request may not change anything."""
        self.check_known(request)
        origin = request.headers.get("origin")
        is_foreign = origin is not None and urlsplit(origin).netloc != request.headers.get("host")
        if is_foreign or request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
            raise NotAllowed("The request came from another site.")
        if not hmac.compare_digest(request.headers.get("x-arena-csrf", "").encode(), self.csrf.encode()):
            raise NotAllowed("The CSRF token is missing or invalid: reload the page.")


def secured(app: ASGIApp, gate: TokenGate, hosts: Iterable[str] | None) -> ASGIApp:
    """Wrap the whole application, its error pages included. `hosts`: the accepted host names; None: any."""

    async def with_login(scope: Scope, receive: Receive, send: Send) -> None:
        answer = gate.login(Request(scope)) if scope["type"] == "http" else None
        await (answer or app)(scope, receive, send)

    limited = RequestBodyLimitMiddleware(with_login, CONFIG.max_body_bytes)
    on_our_hosts = TrustedHostMiddleware(limited, None if hosts is None else list(hosts), www_redirect=False)

    async def with_headers(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await on_our_hosts(scope, receive, send_with_headers)

    return with_headers
