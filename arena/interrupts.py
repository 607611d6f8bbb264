"""SIGINT and SIGTERM: the one way to receive them.

1. Handlers are installed by the entry points of processes only: the command line, servers, child processes. Used from
   a notebook or a thread, `Interrupts` and `run` leave the handlers alone.
2. SIGINT raises `KeyboardInterrupt`, SIGTERM `SystemExit(143)`.
3. Inside `Interrupts` they are only noted. `check` raises them where nothing is half done.
4. Inside `run` they cancel the coroutine and are raised when it has cleaned up.
5. A server passes a callback to `listen` and stops in its own order.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Coroutine
from types import FrameType
from typing import Any, Self, TypeVar

T = TypeVar("T")
EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stopped(Exception):
    """Raised by `Interrupts.check` when the caller's `stop` function has returned true."""


def install() -> None:
    """Let SIGTERM end this process by an exception, as SIGINT does. For the main thread of an entry point."""
    signal.signal(signal.SIGTERM, _terminate)


def ignore_in_worker() -> None:
    """Leave interrupts to the parent: Ctrl-C reaches the whole process group. SIGTERM ends this process at once."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def ignore_all() -> None:
    """Ignore both signals: the process is about to exit."""
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def listen(callback: Callable[[], None]) -> None:
    """Call back in the running event loop at every SIGINT and SIGTERM, from now on."""
    import asyncio

    for number in STOP_SIGNALS:
        asyncio.get_running_loop().add_signal_handler(number, callback)


def _terminate(*_: object) -> None:
    raise SystemExit(EXIT_TERMINATED)


def _installed() -> bool:
    is_main = threading.current_thread() is threading.main_thread()
    return is_main and signal.getsignal(signal.SIGTERM) is _terminate


class Interrupts:
    """While this is entered, signals are noted; `check` raises them."""

    def __init__(self, stop: Callable[[], bool] = lambda: False) -> None:
        """`stop` is another way to interrupt: `check` raises `Stopped` when it returns true."""
        self._stop = stop
        self._received: int | None = None
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        if _installed():
            self._before = {sign: signal.signal(sign, self._note) for sign in STOP_SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        for sign, handler in self._before.items():
            signal.signal(sign, handler)

    def _note(self, number: int, _: FrameType | None) -> None:
        self._received = number

    def check(self) -> None:
        """Raise the exception of a received signal, or `Stopped`."""
        if self._received == signal.SIGINT:
            raise KeyboardInterrupt
        if self._received == signal.SIGTERM:
            raise SystemExit(EXIT_TERMINATED)
        if self._stop():
            raise Stopped


def run(job: Coroutine[Any, Any, T]) -> T:
    """Run the coroutine in an event loop of its own and return its result."""
    import asyncio

    import uvloop

    if _has_running_loop():  # a notebook: only another thread can run a second loop
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(1) as executor:
            return executor.submit(uvloop.run, job).result()
    if not _installed():
        return uvloop.run(job)
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

    try:
        return uvloop.run(until_terminated())  # which cancels the job at SIGINT
    except asyncio.CancelledError:
        if not terminated:
            raise
        raise SystemExit(EXIT_TERMINATED) from None
    finally:
        install()


def _has_running_loop() -> bool:
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
