"""Python's garbage collector, in processes that play or record matches."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

THRESHOLD = 50_000
"""New objects between two searches for cycles. Matches are many small objects without cycles."""


@contextmanager
def rare_collection() -> Iterator[None]:
    """Let the garbage collector run rarely.

    Objects from before are not examined at all; most of them are modules, which stay.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(THRESHOLD, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
