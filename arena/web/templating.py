"""The Jinja environment of all HTML: pages, parts of pages, and the self-contained leaderboard.

Templates escape every value that is not markup, and replace control characters.
"""

from __future__ import annotations

from functools import cache
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.datastructures import QueryParams

from arena import __version__
from arena.records import SeatRecord
from arena.reports import words
from arena.store.history import StoredMatch
from arena.web import assets
from arena.web.drawing.svg import Axis, px


@cache
def environment() -> Environment:
    made = Environment(
        loader=PackageLoader("arena.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_without_controls,
    )
    made.globals.update(words=words, axis=Axis, asset=assets.address, arena_version=__version__)
    made.filters.update(
        count=lambda number: f"{number:,}",
        percent=words.percent,
        rating=lambda value: words.typeset(words.rating(value)),
        milliseconds=words.milliseconds,
        moment=_moment,
        changed=_changed,
        by_place=_by_place,
        heat=_heat,
        px=px,
    )
    return made


def render(template: str, /, **context: object) -> Markup:
    return Markup(environment().get_template(template).render(**context))  # noqa: S704, templates escape


def _without_controls(value: object) -> object:
    """Replace control characters in text; leave markup as it is."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return words.harmless(value)
    return value


def _moment(written: str) -> str:
    """Return a stored time without seconds."""
    return f"{written[:10]} {written[11:16]} UTC"


def _changed(given: QueryParams, **changes: object) -> str:
    """Return the query of an address with some values changed; an empty value removes one."""
    query = urlencode({name: value for name, value in {**given, **changes}.items() if value})
    return f"?{query}" if query else ""


def _by_place(match: StoredMatch) -> list[tuple[str, SeatRecord]]:
    """Return the labels and seats of a match, the winner first."""
    return sorted(zip(match.bots, match.seats, strict=True), key=lambda each: each[1].placement)


def _heat(share: float) -> str:
    """Return the style class for a share between 0 and 1 (static/scale.css)."""
    return f"h{round(20 * min(max(share, 0.0), 1.0))}"
