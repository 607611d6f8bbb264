"""JSON that can be written again as it was read: finite numbers, whole characters, bounded nesting."""

from __future__ import annotations

import msgspec

MAX_DEPTH = 200
"""How deep lists and objects may be nested. Code that shows or writes them may itself be deep in the stack."""


def loads(data: bytes) -> object:
    """Return the value in the bytes. Raise `UnicodeError` if they are not text, `ValueError` if they are not JSON."""
    try:
        value: object = msgspec.json.decode(data)
    except RecursionError:
        raise ValueError("Lists and objects are nested too deep.") from None
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH and _is_deep(value, MAX_DEPTH):
        raise ValueError("Lists and objects are nested too deep.")
    return value


def _is_deep(value: object, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels < 0 or any(_is_deep(each, levels - 1) for each in inner)
