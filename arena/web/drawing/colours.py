"""Colours that can be told apart in grey: one scale of lightness, in a light and in a dark scheme.

A share is shown by lightness alone, in one hue, and always with its number; a bot's colour comes with its own marker
and dash. So nothing is lost for people who see other colours, or on paper.
"""

from __future__ import annotations

from itertools import pairwise

STEPS = 20
"""The scale has so many steps, and one more for 0."""

Colour = tuple[float, float, float]

LIGHT = ("#f4f8fc", "#c3dbee", "#7fb2d9", "#3a7fb8", "#14538c", "#08305c")
"""From 0 to 1 on a light page: the more, the darker."""
DARK = ("#172330", "#1d3d59", "#275f8c", "#4a8fc4", "#93c3e8", "#e3f1fc")
"""From 0 to 1 on a dark page: the more, the lighter."""
INKS = ("#000000", "#ffffff")
"""One of them stands out from any colour by a contrast of 4.5 or more."""


def parsed(colour: str) -> Colour:
    red, green, blue = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return red, green, blue


def written(colour: Colour) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in colour)


def luminance(colour: str) -> float:
    """How light it is, by WCAG's definition."""
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parsed(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """WCAG's contrast ratio, 1 to 21."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def scale(anchors: tuple[str, ...]) -> list[str]:
    """The colours of the steps, between the anchors in even distances."""
    pairs = list(pairwise(map(parsed, anchors)))
    colours = []
    for step in range(STEPS + 1):
        at = step / STEPS * len(pairs)
        number = min(int(at), len(pairs) - 1)
        low, high = pairs[number]
        red, green, blue = (a + (b - a) * (at - number) for a, b in zip(low, high, strict=True))
        colours.append(written((red, green, blue)))
    return colours


def ink(colour: str) -> str:
    """The better one to write with on this colour."""
    return max(INKS, key=lambda candidate: contrast(candidate, colour))


def step_of(share: float) -> str:
    """The class of the elements that show this share."""
    return f"h{round(STEPS * min(max(share, 0.0), 1.0))}"


def stylesheet() -> str:
    """The scale as style classes, each with a --fill and an --ink that stands out from it."""
    light, dark = (
        "".join(f".h{step}{{--fill:{colour};--ink:{ink(colour)}}}" for step, colour in enumerate(scale(anchors)))
        for anchors in (LIGHT, DARK)
    )
    return f"{light}\n@media screen and (prefers-color-scheme:dark){{{dark}}}\n"
