"""Ctrl-C and SIGTERM, taken note of at once and obeyed where nothing is half done.

As exceptions they could come between any two steps: when a match is counted but not yet noted as such, for instance.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Self

EXIT_TERMINATED = 143


class Stopped(Exception):
    """Raised by `Interrupts.check` when the caller's `stop` function has returned true."""


class Interrupts:
    """While this is entered, signals wait until somebody asks for them."""

    def __init__(self, stop: Callable[[], bool] = lambda: False) -> None:
        self._stop = stop
        self._came: int | None = None
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():  # nobody else gets signals
            for sign in (signal.SIGINT, signal.SIGTERM):
                self._before[sign] = signal.signal(sign, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for sign, handler in self._before.items():
            signal.signal(sign, handler)

    def _note(self, number: int, _: FrameType | None) -> None:
        self._came = number

    def check(self) -> None:
        """Raise what a received signal stands for, or `Stopped`."""
        if self._came == signal.SIGINT:
            raise KeyboardInterrupt
        if self._came == signal.SIGTERM:
            raise SystemExit(EXIT_TERMINATED)
        if self._stop():
            raise Stopped
