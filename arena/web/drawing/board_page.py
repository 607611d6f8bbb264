"""The leaderboard as one self-contained page: no script, font or picture is loaded.

If it shows matches too, the viewer's script and the films are in the page, and its policy allows no other script.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from arena import replay
from arena.games.frames import Film
from arena.reports.board import Board, OverallBoard
from arena.web import assets, templating
from arena.web.drawing import plots
from arena.web.viewer import page
from arena.web.viewer.chances import Chances, chances_of
from arena.web.viewer.film import film_of


@dataclass(frozen=True, slots=True)
class HighlightMatch:
    """A match that can be viewed in the page."""

    why: str
    """What is interesting about it."""
    film: Film
    chances: Chances | None


def highlight(name: str, why: str, written: bytes) -> HighlightMatch:
    """Return a match for the page, from its replay."""
    record = replay.loads(written)
    # Few enough playouts that the page is written at once.
    return HighlightMatch(f"{why} ({name})", film_of(record), chances_of(record, moves=30_000))


def as_html(
    boards: Sequence[Board],
    overall: OverallBoard | None,
    title: str,
    generated: str,
    matches: Sequence[HighlightMatch] = (),
) -> str:
    """Return the whole page. `generated`: when it was made."""
    style = assets.text("page.css") + assets.text("scale.css")
    # Even if a name were mistaken for markup, a browser would neither run nor load anything.
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    script, data = "", ""
    if matches:
        style += assets.text("viewer.css")
        script = page.bundle(page.GALLERY)
        policy += f"; script-src {page.csp_hash(script)}"
        data = page.script_safe([{"film": match.film, "chances": match.chances} for match in matches])
    return templating.render(
        "leaderboard_page.html",
        title=title,
        generated=generated,
        policy=policy,
        style=Markup(style),  # noqa: S704, our own file
        script=Markup(script),  # noqa: S704, our own files
        data=Markup(data),  # noqa: S704, escaped for script elements
        overall=overall,
        boards=boards,
        plots=plots,
        matches=matches,
    )
