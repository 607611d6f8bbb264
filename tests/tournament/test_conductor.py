"""What the conductor changes in its process while it plays."""

from __future__ import annotations

import gc
from contextlib import suppress

from arena.garbage import rare_collection


def test_the_garbage_collector_is_as_before_after_a_tournament() -> None:
    before = gc.get_threshold(), gc.get_freeze_count()
    with suppress(KeyboardInterrupt), rare_collection():
        assert gc.get_threshold() > before[0]
        assert gc.get_freeze_count() > before[1]
        raise KeyboardInterrupt
    assert (gc.get_threshold(), gc.get_freeze_count()) == before
