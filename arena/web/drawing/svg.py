"""A builder for SVG elements. Everything that is not markup is escaped."""

from __future__ import annotations

from markupsafe import Markup, escape

from arena.reports.words import harmless


def tag(element: str, /, *children: str, **attributes: str | float | None) -> Markup:
    """Return an element. `None` omits an attribute; `stroke_width` becomes stroke-width, `class_` becomes class."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{element}{written}>{joined(*children)}</{element}>")  # noqa: S704, all parts are escaped


def joined(*children: str) -> Markup:
    """Return the children as one markup; text is escaped and its control characters are replaced."""
    return Markup("").join(child if isinstance(child, Markup) else harmless(child) for child in children)


def _value(value: str | float) -> Markup:
    return escape(harmless(value) if isinstance(value, str) else number(value))


def number(value: float) -> str:
    """Return a coordinate with one decimal."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
