"""Pages: templates, the files that they need, and what a user's mistake looks like."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Mapping
from functools import cached_property
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from arena import __version__
from arena.records import SeatRecord
from arena.reports import words
from arena.store.history import StoredMatch
from arena.web.drawing import colours
from arena.web.security import TokenGate

FOREVER = "public, max-age=31536000, immutable"
"""What is served under the hash of its content never changes."""
SOURCES = ("arena.web.drawing:page.css", "arena.web:static", "arena.web.viewer:static")
"""Files and folders that browsers may fetch, each from the package that it belongs to."""


class StaticAssets:
    """The scripts and style sheets, under addresses that change with their content."""

    @cached_property
    def files(self) -> Mapping[str, bytes]:
        found: dict[str, bytes] = {}
        for source in SOURCES:
            package, _, name = source.partition(":")
            self._collect(resources.files(package).joinpath(name), "", found)
        found["scale.css"] = colours.stylesheet().encode()
        return found

    def _collect(self, source: Traversable, folder: str, found: dict[str, bytes]) -> None:
        if source.is_file():
            found[f"{folder}{source.name}"] = source.read_bytes()
        elif source.is_dir():
            for inner in source.iterdir():
                below = f"{folder}{inner.name}/" if inner.is_dir() else folder
                self._collect(inner, below, found)

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
        content = self.files.get(request.path_params["name"])
        if content is None:
            return Response("There is no such file.\n", 404, media_type="text/plain")
        suffix = PurePosixPath(request.path_params["name"]).suffix
        kind = "text/javascript" if suffix == ".js" else mimetypes.types_map.get(suffix, "application/octet-stream")
        return Response(content, media_type=kind, headers={"cache-control": FOREVER})


class Pages:
    """Makes pages from templates."""

    def __init__(self, gate: TokenGate, conducted: Callable[[], int | None]) -> None:
        """`conducted`: the number of the tournament that is being played, if there is one."""
        self.gate = gate
        self.conducted = conducted
        self.assets = StaticAssets()
        self.environment = Environment(
            loader=PackageLoader("arena.web"),
            autoescape=select_autoescape(default=True),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            finalize=_finished,
        )
        self.environment.globals.update(asset=self.assets.address, arena_version=__version__)
        self.environment.filters.update(
            count=lambda number: f"{number:,}",
            percent=words.percent,
            rating=lambda value: words.typeset(words.rating(value)),
            milliseconds=words.milliseconds,
            moment=_moment,
            changed=_changed,
            by_place=_by_place,
        )

    def page(self, request: Request, template: str, /, status: int = 200, **context: object) -> HTMLResponse:
        return HTMLResponse(self.render(request, template, **context), status)

    def render(self, request: Request, template: str, /, **context: object) -> str:
        known = self.gate.is_known(request)
        return self.environment.get_template(template).render(
            path=request.url.path,
            may_play=known,
            csrf=self.gate.csrf if known else "",
            conducted=self.conducted(),
            **context,
        )

    def part(self, template: str, /, **context: object) -> str:
        """A part of a page, the same for everybody."""
        return self.environment.get_template(template).render(**context)

    def sorry(self, request: Request, status: int, sentence: str) -> HTMLResponse:
        """A page that says what is wrong."""
        return self.page(request, "sorry.html", status, sentence=sentence, code=status)


def _finished(value: object) -> object:
    """Texts have no control characters; what is markup already stays as it is."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return words.harmless(value)
    return value


def _moment(written: str) -> str:
    """A moment as people read it; where it is written, it has fractions of a second."""
    return f"{written[:10]} {written[11:16]} UTC"


def _changed(given: QueryParams, **changes: object) -> str:
    """The query of an address with some values changed."""
    return urlencode({**{name: value for name, value in given.items() if value}, **changes})


def _by_place(match: StoredMatch) -> list[tuple[str, SeatRecord]]:
    """Who sat at the table, the winner first."""
    return sorted(zip(match.bots, match.seats, strict=True), key=lambda each: each[1].placement)
