"""Colours that differ in lightness: one scale, for a light and for a dark scheme.

A share is shown by lightness alone, in one hue, and always with its number; a bot's colour comes with its own marker
and dash. So nothing is lost with colour blindness or on paper.
"""

from __future__ import annotations

from itertools import pairwise

SCALE_STEPS = 20
"""Steps of the scale, not counting 0."""

Colour = tuple[float, float, float]

LIGHT = ("#f4f8fc", "#c3dbee", "#7fb2d9", "#3a7fb8", "#14538c", "#08305c")
"""From 0 to 1 on a light page: from light to dark."""
DARK = ("#172330", "#1d3d59", "#275f8c", "#4a8fc4", "#93c3e8", "#e3f1fc")
"""From 0 to 1 on a dark page: from dark to light."""
INKS = ("#000000", "#ffffff")
"""For every colour, one of them has a contrast of at least 4.5."""


def parsed(colour: str) -> Colour:
    red, green, blue = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return red, green, blue


def written(colour: Colour) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in colour)


def luminance(colour: str) -> float:
    """Return the relative luminance as WCAG defines it."""
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parsed(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio as WCAG defines it, from 1 to 21."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def scale(anchors: tuple[str, ...]) -> list[str]:
    """Return the colours of the steps, interpolated between evenly spaced anchors."""
    pairs = list(pairwise(map(parsed, anchors)))
    colours = []
    for step in range(SCALE_STEPS + 1):
        at = step / SCALE_STEPS * len(pairs)
        number = min(int(at), len(pairs) - 1)
        low, high = pairs[number]
        red, green, blue = (a + (b - a) * (at - number) for a, b in zip(low, high, strict=True))
        colours.append(written((red, green, blue)))
    return colours


def ink(colour: str) -> str:
    """Return the text colour with the higher contrast."""
    return max(INKS, key=lambda candidate: contrast(candidate, colour))


def step_of(share: float) -> str:
    """Return the style class for a share between 0 and 1."""
    return f"h{round(SCALE_STEPS * min(max(share, 0.0), 1.0))}"


def stylesheet() -> str:
    """Return the scale as style classes, each with a --fill and a contrasting --ink."""
    light, dark = (
        "".join(f".h{step}{{--fill:{colour};--ink:{ink(colour)}}}" for step, colour in enumerate(scale(anchors)))
        for anchors in (LIGHT, DARK)
    )
    return f"{light}\n@media screen and (prefers-color-scheme:dark){{{dark}}}\n"
