"""Win-probability curves, worked out in a process of their own: playouts would keep all pages waiting.

The process has a low priority, so that it takes nothing from a tournament on the same machine, and is started when the
first curve is wanted. Curves that were worked out are remembered; one that is wanted twice at once is worked out once.
"""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context

from arena import replay
from arena.errors import NothingThere
from arena.viewer.chances import Chances, chances_of

REMEMBERED = 256
PRIORITY = 10


class Oracle:
    """Knows how likely each seat was to win."""

    def __init__(self) -> None:
        self._process: ProcessPoolExecutor | None = None
        self._known: OrderedDict[tuple[str, int | None], asyncio.Future[Chances]] = OrderedDict()

    async def chances(self, name: str, text: str, seat: int | None) -> Chances:
        """The curve of the match with this name and replay, as the seat could have known it; None: by all that lies."""
        key = name, seat
        if key not in self._known:
            if self._process is None:
                # Not forked: a copy of a process with threads and open connections may hang.
                self._process = ProcessPoolExecutor(1, get_context("spawn"), initializer=os.nice, initargs=(PRIORITY,))
            loop = asyncio.get_running_loop()
            self._known[key] = asyncio.ensure_future(loop.run_in_executor(self._process, work_out, text, seat))
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        try:
            return await asyncio.shield(self._known[key])
        except BaseException:
            if key in self._known and self._known[key].done():
                del self._known[key]  # to be tried again
            raise

    def close(self) -> None:
        if self._process:
            for process in list((self._process._processes or {}).values()):
                with suppress(OSError):
                    process.kill()  # nobody waits for what it works out any more
            self._process.shutdown(wait=True, cancel_futures=True)


def work_out(text: str, seat: int | None) -> Chances:
    """What the process does."""
    record = replay.loads(text.encode())
    if seat is not None and seat >= len(record.header.seats):
        raise NothingThere(f"nobody has seat {seat} in this match.")
    return chances_of(record, seat)
