"""The event loop of a command that plays: SIGTERM ends it as Ctrl-C does, where nothing is half done.

As an exception SIGTERM could come in the midst of what the libraries below do, which do not always survive that.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import uvloop

T = TypeVar("T")
EXIT_TERMINATED = 143


def run_to_end(job: Coroutine[Any, Any, T]) -> T:
    """Runs the job to its end. Raises SystemExit if SIGTERM came, when all that the job has begun is ended."""
    if _has_running_loop():  # a notebook: only another thread can run a loop of its own
        with ThreadPoolExecutor(1) as executor:
            return executor.submit(uvloop.run, job).result()
    if threading.current_thread() is not threading.main_thread():
        return uvloop.run(job)  # only the main thread receives signals
    terminated = False

    async def until_terminated() -> T:
        task = asyncio.current_task()
        assert task is not None, "a coroutine runs in a task"

        def terminate() -> None:
            nonlocal terminated
            terminated = True
            task.cancel()

        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, terminate)
        return await job

    before = signal.getsignal(signal.SIGTERM)
    try:
        return uvloop.run(until_terminated())
    except asyncio.CancelledError:
        if not terminated:
            raise
        raise SystemExit(EXIT_TERMINATED) from None
    finally:
        signal.signal(signal.SIGTERM, before)


def _has_running_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
