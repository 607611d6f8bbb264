"""JSON that can be written again as it was read.

Python's own reader lets through what JSON does not have, or what nobody can print or write afterwards: NaN and numbers
that become infinite, halves of characters, and lists in lists until the stack ends.
"""

from __future__ import annotations

import json
import math

MOST_LEVELS = 200
"""So deep may lists and objects lie in each other. Whoever shows or writes them may stand deep in the stack already."""


def loads(data: bytes) -> object:
    """The value in the bytes. Raises UnicodeError where they are not text, ValueError where they are not JSON."""
    try:
        value: object = _DECODER.decode(data.decode("utf-8"))
    except RecursionError:
        raise ValueError("lists and objects lie too deep in each other") from None
    if data.count(b"[") + data.count(b"{") > MOST_LEVELS and _is_deep(value, MOST_LEVELS):
        raise ValueError("lists and objects lie too deep in each other")
    if b"\\u" in data:
        json.dumps(value, ensure_ascii=False).encode()  # half a character can be escaped, but is no text
    return value


def _finite(number: str) -> float:
    if not math.isfinite(value := float(number)):
        raise ValueError(f"{number} is not a finite number")
    return value


_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_finite)


def _is_deep(value: object, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels < 0 or any(_is_deep(each, levels - 1) for each in inner)
