"""Pages as single HTML files that need no server: a match in the viewer, and the leaderboard.

The viewer's modules are concatenated into one script, imported ones first, without their import lines and the word
`export`. This works because the modules keep three rules, which a test checks: an import is one line that names what it
takes from a file beside it; nothing is exported by default or under another name; top-level names are unique.

Names and details stay data. Even if one were mistaken for markup, the page's content security policy allows only our
own script, by hash, and loads nothing.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256

from markupsafe import Markup

from arena.games.frames import Film
from arena.replay import Replay
from arena.reports.board import Board, OverallBoard
from arena.web import assets, templating
from arena.web.drawing import plots
from arena.web.viewer.chances import Chances, chances_of
from arena.web.viewer.film import film_of

IMPORT = re.compile(r'^import \{[^}]*\} from "\./([a-z_]+\.js)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=class|function|const|async)", re.MULTILINE)
START = "exported.js"
"""The module that starts the viewer in a file with one match."""
GALLERY = "gallery.js"
"""The module that shows one of several matches in another page."""
HIGHLIGHT_MOVES = 30_000
"""Moves in the playouts of a match on the leaderboard: few enough that the page is written at once."""


def match_page(film: Film, chances: Chances | None = None) -> str:
    """Return the page of a match."""
    style = assets.text("viewer.css")
    title = f"{film['game'].capitalize()} match {film['match']}"
    data = {"film": film, "chances": chances}
    return _render("viewer_page.html", title, style, csp_hash(style), bundle(START), data)


def leaderboard_page(
    boards: Sequence[Board],
    overall: OverallBoard | None,
    title: str,
    generated: str,
    matches: Sequence[tuple[str, Replay]] = (),
) -> str:
    """Return the page of a leaderboard.

    `generated`: when it was made. `matches`: those that can be viewed in the page, with what is interesting about them.
    """
    style = assets.text("page.css") + assets.text("scale.css") + (assets.text("viewer.css") if matches else "")
    return _render(
        "leaderboard_page.html",
        title,
        style,
        "'unsafe-inline'",
        bundle(GALLERY) if matches else "",
        [{"film": film_of(each), "chances": chances_of(each, moves=HIGHLIGHT_MOVES)} for _, each in matches],
        generated=generated,
        overall=overall,
        boards=boards,
        plots=plots,
        matches=[why for why, _ in matches],
    )


def _render(
    template: str, title: str, style: str, style_source: str, script: str, data: object, **context: object
) -> str:
    """Return the page. `style_source`: the style sheets that its policy allows."""
    policy = f"default-src 'none'; style-src {style_source}; img-src data:; base-uri 'none'; form-action 'none'"
    return templating.render(
        template,
        title=title,
        policy=f"{policy}; script-src {csp_hash(script)}" if script else policy,
        style=Markup(style),  # noqa: S704, our own files
        script=Markup(script),  # noqa: S704, our own files
        data=Markup(script_safe(data)),  # noqa: S704, escaped for script elements
        **context,
    )


def script_safe(data: object) -> str:
    """Return JSON for a script element: no text in it can end the element or begin a comment."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)  # all but ASCII is escaped already
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def bundle(start: str) -> str:
    """Return a module and all that it imports as one script."""
    written: dict[str, str] = {}

    def write(name: str) -> None:
        source = assets.text(name)
        for needed in IMPORT.findall(source):
            if needed not in written:
                write(needed)
        written[name] = EXPORT.sub("", IMPORT.sub("", source))

    write(start)
    return "\n" + "\n".join(written.values())


def csp_hash(text: str) -> str:
    """Return the source expression of a content security policy that allows this script or style sheet."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
