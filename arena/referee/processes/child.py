"""A bot's operating system process: started in its sandbox cell, its output logged, ended with all its children.

Bots are started from the event loop's thread: bubblewrap's --die-with-parent follows the thread that launched it.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import os
import secrets
import signal
import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path

import psutil

from arena.errors import BadSubmission, HostFault
from arena.referee.config import CONFIG
from arena.referee.launch import Launch, last_lines
from arena.referee.processes.guard import MARK_PREFIX
from arena.sandbox import Cell
from arena.sandbox.cell import MARK
from arena.sandbox.process_tree import ProcessTree, descendants
from arena.supervisor import adopt_orphans, exit_status

SIGNALLED = 128
"""Exit codes above this stand for a signal where bubblewrap or a shell reports them."""
HOST_LACKS = {errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC}
"""Errors at start-up that are not the bot's fault."""


class BotLog:
    """What a bot has printed. The file and its predecessor (`.old`) together never exceed `cap` bytes."""

    def __init__(self, path: Path | None, cap: int = CONFIG.log_cap) -> None:
        self.path = path
        self.cap = cap
        self.tail = b""
        self._size = 0
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._size = path.stat().st_size if path.exists() else 0

    def write(self, data: bytes) -> None:
        self.tail = (self.tail + data)[-CONFIG.log_tail :]
        if self.path:
            with contextlib.suppress(OSError):  # a full disk must not end the match
                self._append(self.path, data)

    def _append(self, path: Path, data: bytes) -> None:
        data = data[-self.cap // 2 :]
        if self._size + len(data) > self.cap // 2:
            with contextlib.suppress(FileNotFoundError):
                path.replace(path.with_suffix(".old"))
            self._size = 0
        with path.open("ab") as file:
            file.write(data)
        self._size += len(data)

    def note(self, what: str) -> None:
        """Write a remark of the arena's own; it is not part of the tail."""
        tail = self.tail
        new_line = "\n" if tail and not tail.endswith(b"\n") else ""
        line = f"{new_line}[arena] {datetime.now():%Y-%m-%d %H:%M:%S} {what}\n"
        self.write(line.encode(errors="backslashreplace"))
        self.tail = tail

    def last_lines(self) -> str:
        """Return the end of the output, indented for an error message."""
        return last_lines(self.tail.decode("utf-8", errors="replace"))


class TurnMark:
    """A few bytes that the bot shares with the referee: a bot that ends can no longer say what it was thinking about.

    The SDK writes the number of the match and of the turn before it asks the bot's code (ARENA_TURN_FD). Bots that do
    not know it are asked the doubtful turns again, one at a time.
    """

    LAYOUT = struct.Struct("<II")

    def __init__(self) -> None:
        self.file = os.memfd_create("turn", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.file, self.LAYOUT.size)
        fcntl.fcntl(self.file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL)

    def read(self) -> tuple[int, int]:
        """Return the number of the match on the bot's stream and that of the turn; 0: none."""
        match, turn = self.LAYOUT.unpack(os.pread(self.file, self.LAYOUT.size, 0))
        return match, turn

    def close(self) -> None:
        if self.file >= 0:
            os.close(self.file)
            self.file = -1


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
            self.turn_mark = TurnMark()
        except OSError as error:
            raise HostFault(f"{launch.label} was not started: {error.strerror}.") from error
        try:
            self._output, output = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError as error:
            self.turn_mark.close()
            raise HostFault(f"{launch.label} was not started: {error.strerror}.") from error
        try:
            os.set_blocking(output, True)
            mark = self.turn_mark.file
            variables = {**launch.env, **env, MARK: self._mark, "ARENA_TURN_FD": str(mark)}
            self._popen = cell.start(launch.command, variables, output, [mark])
        except (OSError, ValueError) as error:  # ValueError: a NUL, or an = in the name of a variable
            self.turn_mark.close()
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
            cell.kill()
            self._popen.wait()
            self.turn_mark.close()
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
        return ProcessTree(self.pid).memory(sys.maxsize)

    # Ending it

    async def stop(self, grace: float | None = None) -> None:
        """End the process and its descendants: wait for it to exit, then SIGTERM, then SIGKILL."""
        cell = self.cell
        cell.freeze(False)
        left: list[psutil.Process] = []
        if not cell.is_isolated:  # a box ends with everything in it
            left = list(found(descendants(self.pid)))
        if not await self._exits(CONFIG.grace if grace is None else grace):
            cell.signal(signal.SIGTERM)
            while not await self._exits(CONFIG.grace):
                cell.kill()
        cell.kill()  # processes that outlived the first one
        if not cell.is_isolated:
            left += self._orphans()
            for child in left:
                with contextlib.suppress(psutil.Error):
                    child.kill()
            await self._wait_until(lambda: not psutil.wait_procs(left, timeout=0)[1])
        self._close_output()
        self.turn_mark.close()
        await self._wait_until(cell.remove)

    async def _wait_until(self, done: Callable[[], bool]) -> None:
        deadline = self._loop.time() + CONFIG.removal_seconds
        while not done() and self._loop.time() < deadline:
            await asyncio.sleep(0.005)

    async def _exits(self, seconds: float) -> bool:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.exited.wait(), seconds)
        return self.exited.is_set()

    def _orphans(self) -> Iterator[psutil.Process]:
        """Yield processes that the bot left behind: they are our children now and carry its mark."""
        mark = f"{MARK}={self._mark}".encode()
        for pid in descendants(os.getpid()):
            with contextlib.suppress(OSError):  # it has ended
                if pid != self.pid and mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                    yield from found([pid])


def found(pids: Iterable[int]) -> Iterator[psutil.Process]:
    """Yield the processes with these ids that still run."""
    for pid in pids:
        with contextlib.suppress(psutil.Error):
            yield psutil.Process(pid)
