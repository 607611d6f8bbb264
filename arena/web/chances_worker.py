"""Win-probability curves, worked out in a process of their own: playouts would keep all pages waiting.

The process has a low priority, so that it takes nothing from a tournament on the same machine, and is started when the
first curve is wanted. It ends with the server, whatever ends that. Curves that were worked out are remembered; one that
is wanted twice at once is worked out once; and not more than a few wait, because everybody may ask for them.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections import OrderedDict
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import get_context

from arena import interrupts, replay, supervisor
from arena.errors import NotFound
from arena.web.events import TooMany
from arena.web.viewer.chances import Chances, chances_of

REMEMBERED = 256
MOST_WAITING = 32
PRIORITY = 10

Key = tuple[str, int | None]


class ChancesWorker:
    """Knows how likely each seat was to win."""

    def __init__(self) -> None:
        self._process: ProcessPoolExecutor | None = None
        self._known: OrderedDict[Key, Chances] = OrderedDict()
        self._waiting: dict[Key, asyncio.Task[Chances]] = {}

    async def chances(self, text: str, seat: int | None) -> Chances:
        """The curve of the match with this replay, as the seat could have known it; None: by all that lies."""
        header = replay.read_header(text.partition("\n")[0].encode())
        if seat is not None and seat >= len(header.seats):
            raise NotFound(f"nobody has seat {seat} in this match.")
        key = header.match, seat
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        if key not in self._waiting:
            if len(self._waiting) >= MOST_WAITING:
                raise TooMany("too many curves are being worked out: load the page again in a minute.")
            self._waiting[key] = asyncio.create_task(self._work_out(key, text))
        return await asyncio.shield(self._waiting[key])

    async def _work_out(self, key: Key, text: str) -> Chances:
        try:
            try:
                chances = await self._asked(text, key[1])
            except BrokenProcessPool:  # killed, for want of memory say: another one may do better
                self.close()
                chances = await self._asked(text, key[1])
        finally:
            del self._waiting[key]
        self._known[key] = chances
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return chances

    async def _asked(self, text: str, seat: int | None) -> Chances:
        if self._process is None:
            # Not forked: a copy of a process with threads and open connections may hang.
            self._process = ProcessPoolExecutor(1, get_context("spawn"), initializer=_prepare, initargs=(os.getpid(),))
        return await asyncio.get_running_loop().run_in_executor(self._process, work_out, text, seat)

    def close(self) -> None:
        """Ends the process; nobody waits for what it works out any more."""
        if self._process is None:
            return
        for process in list((self._process._processes or {}).values()):
            with suppress(OSError):
                process.kill()
        self._process.shutdown(wait=True, cancel_futures=True)
        self._process = None


def _prepare(server: int) -> None:
    """What the process does first."""
    os.nice(PRIORITY)
    interrupts.ignore_in_worker()
    with suppress(OSError, AttributeError):  # where the system has no such thing, it ends with its next task
        supervisor.die_with_parent(signal.SIGKILL)
    if os.getppid() != server:
        os._exit(0)  # it was killed while this one started


def work_out(text: str, seat: int | None) -> Chances:
    """What the process does."""
    return chances_of(replay.loads(text.encode()), seat)
