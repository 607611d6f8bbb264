"""A bot's process: started with its address and token, its output kept in a capped log, ended with all its children."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import errno
import os
import secrets
import signal
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import psutil

from arena.errors import BadSubmission, HostFault
from arena.referee.guard import OURS
from arena.referee.launch import Launch, last_lines
from arena.sandbox import Cell
from arena.sandbox.cell import MARK

LOG_CAP = 1024 * 1024
"""A bot's log keeps at least the last half of this many bytes, unless the organiser says otherwise, and at most all."""
TAIL = 4096
"""How much of a bot's output is kept at hand for error messages."""
READ_AT_ONCE = 65536
GRACE = 0.5
"""Seconds that a bot has to end by itself when its stream is closed, and once more after SIGTERM."""
GONE_WITHIN = 2.0
"""Seconds in which nothing may be left of a bot that was killed."""
SIGNALLED = 128
"""Exit codes above this stand for a signal, where bubblewrap or a shell reports them."""
PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """From now on processes whose parents have ended become children of this one, so that they can be found."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


HOST_LACKS = {errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC}
"""What no bot can be blamed for: processes, open files, memory or room on the disk."""


class BotLog:
    """What a bot has printed: the end of it in memory, more of it in a file that never grows beyond its cap."""

    def __init__(self, path: Path | None, cap: int = LOG_CAP) -> None:
        self.path = path
        self.cap = cap
        self.tail = b""
        self._size = 0
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._size = path.stat().st_size if path.exists() else 0

    def write(self, data: bytes) -> None:
        self.tail = (self.tail + data)[-TAIL:]
        if self.path:
            with contextlib.suppress(OSError):  # a full disk is no reason to lose sight of the bot
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
        """The arena's own remark between the bot's lines; it is not shown among the bot's last words."""
        tail = self.tail
        new_line = "\n" if tail and not tail.endswith(b"\n") else ""
        line = f"{new_line}[arena] {datetime.now():%Y-%m-%d %H:%M:%S} {what}\n"
        self.write(line.encode(errors="backslashreplace"))
        self.tail = tail

    def last_lines(self) -> str:
        return last_lines(self.tail.decode("utf-8", errors="replace"))


class BotProcess:
    """One running bot. Everything here happens in the event loop's thread."""

    def __init__(
        self, program: Launch, env: dict[str, str], log: BotLog, on_exit: Callable[[], None], cell: Cell
    ) -> None:
        self.log = log
        self.cell = cell
        self._mark = f"{OURS}-{secrets.token_hex(8)}"
        adopt_orphans()
        self._on_exit = on_exit
        self._loop = asyncio.get_running_loop()
        try:
            self._output, output = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError as error:
            raise HostFault(f"{program.label} was not started: {error.strerror}.") from error
        try:
            os.set_blocking(output, True)
            self._popen = cell.start(program.command, {**program.env, **env, MARK: self._mark}, output)
        except (OSError, ValueError) as error:  # ValueError: a NUL, or an = in the name of a variable
            os.close(self._output)
            why = getattr(error, "strerror", None) or error
            if getattr(error, "errno", None) in HOST_LACKS:
                raise HostFault(f"{program.label} was not started: {why}.") from error
            raise BadSubmission(f"{program.label} cannot be started: {why}: {program.command[0]}.") from error
        finally:
            os.close(output)
        self.pid = self._popen.pid
        try:
            log.note(f"started, process {self.pid}: {' '.join(program.command)}")
            self._pidfd = os.pidfd_open(self.pid)
        except OSError as error:
            self.kill()
            self._popen.wait()
            os.close(self._output)
            raise HostFault(f"{program.label} was not started: {error.strerror}.") from error
        self.exited = asyncio.Event()
        self._loop.add_reader(self._output, self._read_output)
        self._loop.add_reader(self._pidfd, self._reap)

    def _read_output(self) -> None:
        try:
            data = os.read(self._output, READ_AT_ONCE)
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
        self.cell.left()
        if self._output >= 0:
            self._read_output()  # what it said last
        self.exited.set()
        self.log.note(f"ended with {self.how_it_ended}")
        self._on_exit()

    @property
    def why_it_ended(self) -> str:
        """A sentence for the bot's author."""
        how, excess = self.how_it_ended, self.cell.why_ended()
        if excess and how == "signal SIGKILL":
            return f"It {excess}."
        return f"Its program ended with {how}{f', and it {excess}' if excess else ''}."

    @property
    def how_it_ended(self) -> str:
        """`exit code 3` or `signal SIGSEGV`; empty while it runs."""
        code = self._popen.returncode
        if code is None:
            return ""
        if self.cell.is_boxed and code > SIGNALLED:
            code = SIGNALLED - code  # what bubblewrap makes of it
        if code >= 0:
            return f"exit code {code}"
        try:
            return f"signal {signal.Signals(-code).name}"
        except ValueError:
            return f"signal {-code}"

    def memory(self) -> int:
        """The bytes that the bot and its children hold in memory."""
        return sum(_memory(process) for process in self._family())

    def _family(self) -> Iterator[psutil.Process]:
        """The process and all its descendants that are still there."""
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(self.pid)
            yield process
            yield from process.children(recursive=True)

    async def stop(self, grace: float | None = None) -> None:
        """Ends the process and all its children: by itself within a grace period, then by SIGTERM, then by SIGKILL."""
        cell = self.cell
        cell.freeze(False)
        children = [process for process in self._family() if process.pid != self.pid] if not cell.is_boxed else []
        by_itself = GRACE if grace is None else grace
        for sign, seconds in ((None, by_itself), (signal.SIGTERM, GRACE)):
            if sign:
                cell.signal(sign)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.exited.wait(), seconds)
                break
        while True:
            cell.kill()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.exited.wait(), GRACE)
                break
        cell.kill()  # what has outlived its first process
        if not cell.is_boxed:  # a box ends with all that is in it
            left_over = [*children, *self._orphans()]
            for child in left_over:
                with contextlib.suppress(psutil.Error):
                    child.kill()
            deadline = self._loop.time() + GONE_WITHIN
            while (left_over := psutil.wait_procs(left_over, timeout=0)[1]) and self._loop.time() < deadline:
                await asyncio.sleep(0.01)  # they are our children now, and ours to bury
        self._close_output()
        deadline = self._loop.time() + GONE_WITHIN
        while not cell.remove() and self._loop.time() < deadline:
            await asyncio.sleep(0.005)

    def _orphans(self) -> Iterator[psutil.Process]:
        """Processes that the bot left behind when it ended: they are ours now, and carry its mark."""
        for process in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):
                if process.pid != self.pid and process.environ().get(MARK) == self._mark:
                    yield process

    @property
    def ended_by_itself(self) -> bool:
        """Whether it ended on its own account, not by a signal."""
        code = self._popen.returncode
        return code is not None and 0 <= code <= SIGNALLED

    def kill(self) -> None:
        """Ends the process at once, and its children."""
        self.cell.kill()


def _memory(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0
