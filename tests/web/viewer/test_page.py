"""One file with everything in it: how the modules become one script, and that data stays data."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html import unescape
from importlib import resources

from arena.replay import Replay
from arena.web import assets
from arena.web.exported import START, bundle, match_page, script_safe
from arena.web.viewer.film import film_of
from tests.support.films import EVIL, random_match, variant

MODULES = sorted(
    each.name for each in resources.files("arena.web.viewer").joinpath("static").iterdir() if each.name.endswith(".js")
)


def evil_match() -> Replay:
    replay = random_match(variant("mantis-classic-6"))
    return Replay(replace(replay.header, match=EVIL[0], seats=EVIL), replay.entries, replay.result)


def test_modules_can_be_written_one_after_the_other() -> None:
    tops: dict[str, str] = {}
    for name in MODULES:
        source = assets.text(name)
        for line in re.findall(r"^import.*$", source, re.MULTILINE):
            assert re.fullmatch(r'import \{ [\w, ]+ \} from "\./[a-z_]+\.js";', line), f"{name}: {line}"
        assert not re.search(r"^export (default|\{|\*)|(?<!\{)\bimport\(", source, re.MULTILINE), name
        for top in re.findall(r"^(?:export )?(?:async )?(?:class|function\*?|const|let) (\w+)", source, re.MULTILINE):
            assert top not in tops, f"{top} stands in {name} and in {tops[top]}"
            tops[top] = name
        assert len(source.splitlines()) <= 400


def test_every_module_is_in_the_file_once() -> None:
    script = bundle(START)
    for name in MODULES:
        last_line = assets.text(name).rstrip().splitlines()[-1]
        assert last_line in script
    assert script.count("class Viewer {") == 1
    assert script.index("class Viewer {") < script.index(assets.text(START).rstrip().splitlines()[-1])
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)


def test_no_module_parses_markup_or_loads_anything() -> None:
    for name in MODULES:
        code = re.sub(r"^\s*(//|\*|/\*).*$", "", assets.text(name), flags=re.MULTILINE)
        for forbidden in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "fetch(",
            "DOMParser",
        ):
            assert forbidden not in code, f"{name}: {forbidden}"
    assert not re.search(r"url\(|@import", assets.text("viewer.css"))


def test_the_policy_allows_this_script_and_this_style_alone() -> None:
    page = match_page(film_of(evil_match()))
    found = re.search('Content-Security-Policy" content="([^"]*)"', page)
    assert found
    policy = unescape(found[1])
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "http" not in policy
    for element in ("script", "style"):
        (content,) = re.findall(rf'<{element}(?: type="module")?>(.*?)</{element}>', page, re.DOTALL)
        digest = b64encode(sha256(content.encode()).digest()).decode()
        assert f"{element}-src 'sha256-{digest}'" in policy


def test_names_cannot_leave_the_data() -> None:
    film = film_of(evil_match())
    page = match_page(film)
    (data,) = re.findall(r'<script type="application/json" id="viewer-data">(.*?)</script>', page, re.DOTALL)
    assert not set(data) & set("<>&\u2028")
    assert data.isascii()
    assert json.loads(data)["film"] == json.loads(json.dumps(film))
    assert page.count("<script") == page.count("</script>") == 2
    assert "onerror=alert(1)>" not in page
    page.encode()


def test_script_safe() -> None:
    assert script_safe("</script><!--\u2028&") == '"\\u003c/script\\u003e\\u003c!--\\u2028\\u0026"'


def test_the_same_match_gives_the_same_page() -> None:
    replay = random_match(variant("mantis-grab-2"))
    assert match_page(film_of(replay)) == match_page(film_of(replay))
