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
from html import escape
from importlib import resources

from arena.games.frames import Film
from arena.web.viewer.chances import Chances

IMPORT = re.compile(r'^import \{[^}]*\} from "\./([a-z_]+\.js)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=class|function|const|async)", re.MULTILINE)
START = "exported.js"
"""The module that starts the viewer in a file with one match."""
GALLERY = "gallery.js"
"""The module that shows one of several matches in another page."""


def as_html(film: Film, chances: Chances | None = None) -> str:
    """Return the page. It can be stored, sent and opened anywhere."""
    script, style = bundle(START), static("viewer.css")
    policy = (
        f"default-src 'none'; script-src {csp_hash(script)}; style-src {csp_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    title = escape(f"{film['game'].capitalize()} match {_shown(film['match'])}")
    data = script_safe({"film": film, "chances": chances})
    return f"""<!doctype html>
<html lang="en" class="viewer-document">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{style}</style>
</head>
<body class="viewer-page">
<main id="viewer"><noscript>This page shows a match and needs JavaScript.</noscript></main>
<script type="application/json" id="viewer-data">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def script_safe(data: object) -> str:
    """Return JSON for a script element: no text in it can end the element or begin a comment."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)  # all but ASCII is escaped already
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def static(name: str) -> str:
    """Return a file of the browser's part."""
    return resources.files("arena.web.viewer").joinpath("static", name).read_text("utf-8")


@cache
def bundle(start: str) -> str:
    """Return a module and all that it imports as one script."""
    written: dict[str, str] = {}

    def write(name: str) -> None:
        source = static(name)
        for needed in IMPORT.findall(source):
            if needed not in written:
                write(needed)
        written[name] = EXPORT.sub("", IMPORT.sub("", source))

    write(start)
    return "\n" + "\n".join(written.values())


def csp_hash(text: str) -> str:
    """Return the source expression of a content security policy that allows this script or style sheet."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _shown(text: str) -> str:
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
