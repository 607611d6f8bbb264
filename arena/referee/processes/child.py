"""A bot's operating system process: started in its sandbox cell, its output logged, ended with all its children.

Bots are started from the event loop's thread: bubblewrap's --die-with-parent follows the thread that launched it.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import secrets
import signal
from collections.abc import Callable, Iterator

import psutil

from arena.errors import BadSubmission, HostFault
from arena.referee.config import CONFIG
from arena.referee.launch import Launch
from arena.referee.processes.guard import MARK_PREFIX
from arena.referee.processes.log import BotLog
from arena.sandbox import Cell
from arena.sandbox.cell import MARK
from arena.supervisor import adopt_orphans, exit_status

SIGNALLED = 128
"""Exit codes above this stand for a signal where bubblewrap or a shell reports them."""
HOST_LACKS = {errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC}
"""Errors at start-up that are not the bot's fault."""


class BotChild:
    """A started bot as the operating system sees it."""

    def __init__(
        self, launch: Launch, env: dict[str, str], log: BotLog, on_exit: Callable[[], None], cell: Cell
    ) -> None:
        self.log = log
        self.cell = cell
        self._mark = f"{MARK_PREFIX}-{secrets.token_hex(8)}"
        adopt_orphans()
        self._on_exit = on_exit
        self._loop = asyncio.get_running_loop()
        try:
            self._output, output = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError as error:
            raise HostFault(f"{launch.label} was not started: {error.strerror}.") from error
        try:
            os.set_blocking(output, True)
            self._popen = cell.start(launch.command, {**launch.env, **env, MARK: self._mark}, output)
        except (OSError, ValueError) as error:  # ValueError: a NUL, or an = in the name of a variable
            os.close(self._output)
            why = getattr(error, "strerror", None) or error
            if getattr(error, "errno", None) in HOST_LACKS:
                raise HostFault(f"{launch.label} was not started: {why}.") from error
            raise BadSubmission(f"{launch.label} cannot be started: {why}: {launch.command[0]}.") from error
        finally:
            os.close(output)
        self.pid = self._popen.pid
        try:
            log.note(f"started, process {self.pid}: {' '.join(launch.command)}")
            self._pidfd = os.pidfd_open(self.pid)
        except OSError as error:
            self.kill()
            self._popen.wait()
            os.close(self._output)
            raise HostFault(f"{launch.label} was not started: {error.strerror}.") from error
        self.exited = asyncio.Event()
        self._loop.add_reader(self._output, self._read_output)
        self._loop.add_reader(self._pidfd, self._reap)

    def _read_output(self) -> None:
        try:
            data = os.read(self._output, CONFIG.read_size)
        except BlockingIOError:
            return
        if data:
            self.log.write(data)
        else:
            self._close_output()

    def _close_output(self) -> None:
        if self._output >= 0:
            self._loop.remove_reader(self._output)
            os.close(self._output)
            self._output = -1

    def _reap(self) -> None:
        self._loop.remove_reader(self._pidfd)
        os.close(self._pidfd)
        self._popen.wait()
        self.cell.on_exit()
        if self._output >= 0:
            self._read_output()
        self.exited.set()
        self.log.note(f"ended with {self.exit_status}")
        self._on_exit()

    # How it ended

    @property
    def exit_status(self) -> str:
        """`exit code 3` or `signal SIGSEGV`; empty while it runs."""
        code = self._popen.returncode
        if code is None:
            return ""
        if self.cell.is_isolated and code > SIGNALLED:
            code = SIGNALLED - code  # as bubblewrap reports a signal
        return exit_status(code)

    @property
    def exit_reason(self) -> str:
        """A sentence for the bot's author."""
        status, excess = self.exit_status, self.cell.exceeded_limit()
        if excess and status == "signal SIGKILL":
            return f"It {excess}."
        return f"Its program ended with {status}{f', and it {excess}' if excess else ''}."

    @property
    def exited_by_itself(self) -> bool:
        """Whether it exited, and not by a signal."""
        code = self._popen.returncode
        return code is not None and 0 <= code <= SIGNALLED

    def memory(self) -> int:
        """Return the resident memory of the process and its descendants, in bytes."""
        return sum(_memory(process) for process in self._family())

    def _family(self) -> Iterator[psutil.Process]:
        """Yield the process and its living descendants."""
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(self.pid)
            yield process
            yield from process.children(recursive=True)

    # Ending it

    def kill(self) -> None:
        """Kill the process and its children."""
        self.cell.kill()

    async def stop(self, grace: float | None = None) -> None:
        """End the process and its descendants: wait for it to exit, then SIGTERM, then SIGKILL."""
        cell = self.cell
        cell.freeze(False)
        children = [process for process in self._family() if process.pid != self.pid] if not cell.is_isolated else []
        if not await self._exits(CONFIG.grace if grace is None else grace):
            cell.signal(signal.SIGTERM)
            if not await self._exits(CONFIG.grace):
                cell.kill()
                while not await self._exits(CONFIG.grace):
                    cell.kill()
        cell.kill()  # processes that outlived the first one
        if not cell.is_isolated:  # a box ends with everything in it
            left = [*children, *self._orphans()]
            for child in left:
                with contextlib.suppress(psutil.Error):
                    child.kill()
            deadline = self._loop.time() + CONFIG.removal_seconds
            while (left := psutil.wait_procs(left, timeout=0)[1]) and self._loop.time() < deadline:
                await asyncio.sleep(0.01)
        self._close_output()
        deadline = self._loop.time() + CONFIG.removal_seconds
        while not cell.remove() and self._loop.time() < deadline:
            await asyncio.sleep(0.005)

    async def _exits(self, seconds: float) -> bool:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.exited.wait(), seconds)
        return self.exited.is_set()

    def _orphans(self) -> Iterator[psutil.Process]:
        """Yield processes that the bot left behind: they are our children now and carry its mark."""
        for process in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):
                if process.pid != self.pid and process.environ().get(MARK) == self._mark:
                    yield process


def _memory(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0
