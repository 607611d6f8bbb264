"""A match as one HTML file that needs no server: the viewer's modules, its style, the film and the chances.

The modules are concatenated into one script, imported ones first, without their import lines and the word `export`.
This works because the modules keep three rules, which a test checks: an import is one line that names what it takes
from a file beside it; nothing is exported by default or under another name; top-level names are unique.

Names and details stay data: the page's content security policy allows only this script and this style sheet, by hash.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256

from markupsafe import Markup

from arena.games.frames import Film
from arena.web import assets, templating
from arena.web.viewer.chances import Chances

IMPORT = re.compile(r'^import \{[^}]*\} from "\./([a-z_]+\.js)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=class|function|const|async)", re.MULTILINE)
START = "exported.js"
"""The module that starts the viewer in a file with one match."""
GALLERY = "gallery.js"
"""The module that shows one of several matches in another page."""


def as_html(film: Film, chances: Chances | None = None) -> str:
    """Return the page. It can be stored, sent and opened anywhere."""
    script, style = bundle(START), assets.text("viewer.css")
    policy = (
        f"default-src 'none'; script-src {csp_hash(script)}; style-src {csp_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return templating.render(
        "viewer_page.html",
        title=f"{film['game'].capitalize()} match {film['match']}",
        policy=policy,
        style=Markup(style),  # noqa: S704, our own file
        script=Markup(script),  # noqa: S704, our own files
        data=Markup(script_safe({"film": film, "chances": chances})),  # noqa: S704, escaped for script elements
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
