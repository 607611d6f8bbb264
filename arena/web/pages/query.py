"""Numbers in addresses, which are untrusted."""

from __future__ import annotations

from arena.errors import NotFound


def number(text: str | None, what: str) -> int | None:
    """Return the number; None if the text is empty. Raise `NotFound` if it is not a number."""
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 16):
        raise NotFound(f"There is no {what} `{text[:40]}`.")
    return min(int(text), 2**31 - 1)  # the largest number that PostgreSQL looks for
