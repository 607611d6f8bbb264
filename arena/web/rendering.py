"""Pages as responses, and the scripts and style sheets that they load."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Mapping
from functools import cached_property
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from arena import __version__
from arena.web import templating
from arena.web.drawing import colours
from arena.web.security import TokenGate


class StaticAssets:
    """Scripts and style sheets, served under addresses that contain the hash of their content."""

    @cached_property
    def files(self) -> Mapping[str, bytes]:
        found = {"scale.css": colours.stylesheet().encode()}
        for package, name in (
            ("arena.web.drawing", "page.css"),
            ("arena.web", "static"),
            ("arena.web.viewer", "static"),
        ):
            self._collect(resources.files(package).joinpath(name), "", found)
        return found

    def _collect(self, source: Traversable, folder: str, found: dict[str, bytes]) -> None:
        if source.is_file():
            found[f"{folder}{source.name}"] = source.read_bytes()
            return
        for inner in source.iterdir():
            self._collect(inner, f"{folder}{inner.name}/" if inner.is_dir() else folder, found)

    @cached_property
    def digest(self) -> str:
        together = sha256()
        for name, content in sorted(self.files.items()):
            together.update(f"{name} {len(content)} ".encode() + content)
        return together.hexdigest()[:16]

    def address(self, name: str) -> str:
        assert name in self.files, name
        return f"/static/{self.digest}/{name}"

    def serve(self, request: Request) -> Response:
        name = request.path_params["name"]
        content = self.files.get(name)
        if content is None:
            return Response("File not found.\n", 404, media_type="text/plain")
        suffix = PurePosixPath(name).suffix
        kind = "text/javascript" if suffix == ".js" else mimetypes.types_map.get(suffix, "application/octet-stream")
        return Response(content, media_type=kind, headers={"cache-control": "public, max-age=31536000, immutable"})


class Renderer:
    """Renders pages from templates."""

    def __init__(self, gate: TokenGate, running: Callable[[], int | None]) -> None:
        """`running`: returns the id of the tournament that is being played in this home, if there is one."""
        self.gate = gate
        self.running = running
        self.assets = StaticAssets()

    def page(self, request: Request, template: str, /, status: int = 200, **context: object) -> HTMLResponse:
        known = self.gate.is_known(request)
        content = templating.render(
            template,
            asset=self.assets.address,
            arena_version=__version__,
            path=request.url.path,
            may_play=known,
            csrf=self.gate.csrf if known else "",
            running_tournament=self.running(),
            **context,
        )
        return HTMLResponse(content, status)

    def part(self, template: str, /, **context: object) -> Markup:
        """Return a part of a page that is the same for every visitor."""
        return templating.render(template, **context)

    def error(self, request: Request, status: int, sentence: str) -> HTMLResponse:
        return self.page(request, "error.html", status, sentence=sentence, code=status)
