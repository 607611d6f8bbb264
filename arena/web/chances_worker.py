"""Win-probability curves, computed in a separate process, because playouts would block all pages.

The process has a low priority, is started for the first curve, and dies with the server. Curves are cached; a curve
that is requested twice at the same time is computed once; the number of waiting curves is limited.
"""

from __future__ import annotations

import asyncio
import os
import signal
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import get_context

from arena import interrupts, replay, supervisor
from arena.errors import NotFound
from arena.web.config import CONFIG
from arena.web.errors import ServerBusy
from arena.web.viewer.chances import Chances, chances_of


class ChancesWorker:
    """Computes and caches win-probability curves."""

    def __init__(self) -> None:
        self._process: ProcessPoolExecutor | None = None
        self._curves: dict[tuple[str, int | None], asyncio.Task[Chances]] = {}
        """By match and seat, the last requested last."""

    async def chances(self, text: str, seat: int | None) -> Chances:
        """Return the curve of the match with this replay, by what the seat knew; None: by all cards."""
        header = replay.read_header(text.partition("\n")[0].encode())
        if seat is not None and seat >= len(header.seats):
            raise NotFound(f"The match has no seat `{seat}`.")
        key = header.match, seat
        curve = self._curves.pop(key, None)
        if curve is None or (curve.done() and (curve.cancelled() or curve.exception())):
            if sum(not each.done() for each in self._curves.values()) >= CONFIG.max_waiting_curves:
                raise ServerBusy("Too many curves are being computed: reload the page in a minute.")
            curve = asyncio.create_task(self._compute(text, seat))
        self._curves[key] = curve
        if len(self._curves) > CONFIG.cached_curves:
            del self._curves[next(iter(self._curves))]
        return await asyncio.shield(curve)

    async def _compute(self, text: str, seat: int | None) -> Chances:
        try:
            return await self._submit(text, seat)
        except BrokenProcessPool:  # killed, for example for lack of memory: try once more
            self.close()
            return await self._submit(text, seat)

    async def _submit(self, text: str, seat: int | None) -> Chances:
        if self._process is None:
            # Not forked: a copy of a process with threads and open connections may hang.
            self._process = ProcessPoolExecutor(1, get_context("spawn"), initializer=_prepare, initargs=(os.getpid(),))
        return await asyncio.get_running_loop().run_in_executor(self._process, _chances, text, seat)

    def close(self) -> None:
        """Kill the process."""
        if self._process is not None:
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
