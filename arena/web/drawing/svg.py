"""HTML and SVG, escaped by construction: what `tag` has made is markup, every other text is only text."""

from __future__ import annotations

from html import escape

from arena.reports.words import harmless

VOID = frozenset({"br", "col", "link", "meta"})


class Markup(str):
    """A text that is markup already."""

    __slots__ = ()

    def __html__(self) -> str:
        """Says the same to template engines."""
        return self


def tag(element: str, /, *children: str, **attributes: str | float | None) -> Markup:
    """An element. Attributes that are None are left out; `stroke_width` is stroke-width, `class_` is class."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    if element in VOID:
        return Markup(f"<{element}{written}>")
    return Markup(f"<{element}{written}>{joined(*children)}</{element}>")


def joined(*children: str) -> Markup:
    return Markup("".join(child if isinstance(child, Markup) else escape(harmless(child)) for child in children))


def _value(value: str | float) -> str:
    return escape(harmless(value)) if isinstance(value, str) else number(value)


def number(value: float) -> str:
    """A coordinate: a tenth of a pixel is exact enough."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
