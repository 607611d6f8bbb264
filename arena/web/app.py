"""The web application: its routes, and the one place where an error becomes a page."""

from __future__ import annotations

import logging
import mimetypes
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from arena.errors import ArenaError, BadStore
from arena.web import assets
from arena.web.errors import status_code
from arena.web.live import pages as live
from arena.web.pages import boards, bots, matches, tournaments
from arena.web.play import routes as play
from arena.web.security import secured
from arena.web.site import Site, site_of

log = logging.getLogger("arena.web")


def create_app(site: Site, hosts: Iterable[str] | None, besides: Sequence[BaseRoute] = ()) -> ASGIApp:
    """Return the application. `hosts`: the accepted host names; None: any. `besides`: additional routes."""
    app = Starlette(
        routes=[
            Route("/static/{digest}/{name:path}", _static_file),
            *boards.ROUTES,
            *bots.ROUTES,
            *matches.ROUTES,
            *tournaments.ROUTES,
            *live.ROUTES,
            *play.ROUTES,
            *besides,
        ],
        middleware=[Middleware(GZipMiddleware, minimum_size=1000)],
        exception_handlers={ArenaError: _error_page, HTTPException: _error_page, Exception: _error_page},
        lifespan=lambda _: site.services(),
    )
    app.state.site = site
    return secured(app, site.gate, hosts)


def _error_page(request: Request, error: Exception) -> Response:
    match error:
        case BadStore():  # where the store is and what is wrong with it concerns the organiser only
            log.error("%s", error)
            status, sentence = 503, "The store is not available. The server's output says why."
        case ArenaError():
            status, sentence = status_code(error), str(error)
        case HTTPException():
            sentences = {404: "Page not found.", 405: "This address does not accept such requests."}
            status, sentence = error.status_code, sentences.get(error.status_code, error.detail)
        case _:
            status, sentence = 500, "Internal error. The server's output has the details."
    return site_of(request).page(request, "error.html", status, sentence=sentence, code=status)


def _static_file(request: Request) -> Response:
    name = request.path_params["name"]
    content = assets.files().get(name)
    if content is None:
        return Response("File not found.\n", 404, media_type="text/plain")
    suffix = PurePosixPath(name).suffix
    kind = "text/javascript" if suffix == ".js" else mimetypes.types_map.get(suffix, "application/octet-stream")
    return Response(content, media_type=kind, headers={"cache-control": "public, max-age=31536000, immutable"})
