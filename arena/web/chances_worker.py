"""Win-probability curves, computed in a separate process, because playouts would block all pages.

The process has a low priority, is started for the first curve, and dies with the server. Curves are cached; a curve
that is requested twice at the same time is computed once; the number of waiting curves is limited.
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
from arena.web.config import CONFIG
from arena.web.errors import ServerBusy
from arena.web.viewer.chances import Chances, chances_of

Key = tuple[str, int | None]
"""A match and the seat whose knowledge is used; None: all cards."""


class ChancesWorker:
    """Computes and caches win-probability curves."""

    def __init__(self) -> None:
        self._process: ProcessPoolExecutor | None = None
        self._cache: OrderedDict[Key, Chances] = OrderedDict()
        self._waiting: dict[Key, asyncio.Task[Chances]] = {}

    async def chances(self, text: str, seat: int | None) -> Chances:
        """Return the curve of the match with this replay, by what the seat knew; None: by all cards."""
        header = replay.read_header(text.partition("\n")[0].encode())
        if seat is not None and seat >= len(header.seats):
            raise NotFound(f"The match has no seat `{seat}`.")
        key = header.match, seat
        if key in self._cache:
            self._cache.move_to_end(key)
            return self._cache[key]
        if key not in self._waiting:
            if len(self._waiting) >= CONFIG.max_waiting_curves:
                raise ServerBusy("Too many curves are being computed: reload the page in a minute.")
            self._waiting[key] = asyncio.create_task(self._compute(key, text))
        return await asyncio.shield(self._waiting[key])

    async def _compute(self, key: Key, text: str) -> Chances:
        try:
            try:
                chances = await self._submit(text, key[1])
            except BrokenProcessPool:  # killed, for example for lack of memory: try once more
                self.close()
                chances = await self._submit(text, key[1])
        finally:
            del self._waiting[key]
        self._cache[key] = chances
        while len(self._cache) > CONFIG.cached_curves:
            self._cache.popitem(last=False)
        return chances

    async def _submit(self, text: str, seat: int | None) -> Chances:
        if self._process is None:
            # Not forked: a copy of a process with threads and open connections may hang.
            self._process = ProcessPoolExecutor(1, get_context("spawn"), initializer=_prepare, initargs=(os.getpid(),))
        return await asyncio.get_running_loop().run_in_executor(self._process, _chances, text, seat)

    def close(self) -> None:
        """Kill the process."""
        if self._process is None:
            return
        for process in list((self._process._processes or {}).values()):
            with suppress(OSError):
                process.kill()
        self._process.shutdown(wait=True, cancel_futures=True)
        self._process = None


def _prepare(server: int) -> None:
    """Set up the process."""
    os.nice(CONFIG.chances_niceness)
    interrupts.ignore_in_worker()
    with suppress(OSError, AttributeError):  # not available on all systems
        supervisor.die_with_parent(signal.SIGKILL)
    if os.getppid() != server:
        os._exit(0)  # the server was killed while this process started


def _chances(text: str, seat: int | None) -> Chances:
    return chances_of(replay.loads(text.encode()), seat)
