"""A cell: the processes of one bot, started, measured, stopped and ended together.

There is one class per tier. The referee knows only the interface of `Cell`.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import IO

from arena.sandbox.bubblewrap import SandboxView, bubblewrap_command
from arena.sandbox.cgroups import ControlGroup, new_group
from arena.sandbox.config import CONFIG, Allowance, bytes_shown
from arena.sandbox.process_tree import ProcessTree, reap_init_processes, wait_until_stopped

MARK = "ARENA_PROCESS"
"""The environment variable that marks a bot and everything that it starts."""
SECRETS = ("ARENA_STORE", "PGPASSWORD")
"""Environment variables that are never passed to a bot: passwords of the store."""
JOIN = 'while [ "$1" != -- ]; do echo 0 > "$1/cgroup.procs" || exit 125; shift; done; shift; exec "$@"'
"""A shell script that enters control groups and then runs the command after `--`."""

Prepared = tuple[list[str], dict[str, str], Path]
"""A command line, its environment and its working directory."""


class Cell:
    """The cell of the tier `none`: the bot runs with our permissions. The other tiers derive from it."""

    is_isolated = False
    limits_interval = CONFIG.limits_interval
    """Seconds between two calls of `check_limits`."""

    def __init__(self, view: SandboxView, allowance: Allowance) -> None:
        self.view = view
        self.allowance = allowance
        self.pid = 0
        self.frozen = False
        self.accounts: ControlGroup | ProcessTree | None = None
        """What measures and stops the bot's processes."""
        self.uid: int | None = None
        """The user id of the bot; None: ours."""
        self._process: subprocess.Popen[bytes] | None = None
        self._exceeded: str | None = None

    def prepare(self, command: Sequence[str], env: Mapping[str, str], files: list[int]) -> Prepared:
        """Return what to run to start a command in this cell.

        Append to `files` the descriptors that it inherits. They are closed once it is started.
        """
        del files
        ours = {name: value for name, value in os.environ.items() if name not in SECRETS}
        return list(command), {**ours, **env}, self.view.folder

    def start(
        self, command: Sequence[str], env: Mapping[str, str], output: int | IO[bytes], files_to_pass: Sequence[int] = ()
    ) -> subprocess.Popen[bytes]:
        """Start a command in this cell. Raise `OSError`, or `ValueError` if the command or environment is invalid."""
        files: list[int] = []
        try:
            line, variables, folder = self.prepare(command, env, files)
            # In a session of its own, so that the whole group can be ended. No preexec_fn: gRPC does not allow it.
            process = subprocess.Popen(  # noqa: S603, a bot's command
                line,
                cwd=folder,
                env=variables,
                pass_fds=(*files, *files_to_pass),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        finally:
            for file in files:
                os.close(file)
        self._process = process
        self.pid = process.pid
        self.accounts = self.accounts or ProcessTree(self.pid)
        return process

    @contextlib.contextmanager
    def released(self, timeout: float = inf) -> Iterator[None]:
        """Kill the processes of the cell after the block, and release it."""
        try:
            yield
        finally:
            if self._process is not None:
                if self._process.poll() is None:
                    self.kill()
                    self._process.communicate()
                self.on_exit()
            self.kill()
            deadline = time.monotonic() + timeout
            while not self.remove() and time.monotonic() < deadline:
                time.sleep(0.005)

    def on_exit(self) -> None:
        """Note that the started process has ended; its id may be used again."""

    def processes(self) -> list[int]:
        """Return the ids of all processes of the cell."""
        return self.accounts.processes() if self.accounts else []

    def cpu_ms(self) -> float:
        """Return the CPU time of the bot so far."""
        with contextlib.suppress(OSError):
            return self.accounts.cpu_ns() / 1e6 if self.accounts else 0.0
        return 0.0

    def freeze(self, frozen: bool, *, again: bool = False) -> None:
        """Stop the bot's processes, or continue them. `again`: even if they should be stopped already."""
        if (again or frozen != self.frozen) and self.accounts:
            with contextlib.suppress(OSError):  # it has ended
                self.accounts.freeze(frozen)
                self.frozen = frozen

    def signal(self, sign: signal.Signals) -> None:
        """Send a signal to the bot's own processes, without those of the sandbox."""
        if self.pid:  # 0 would be our own group
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, sign)

    def kill(self) -> None:
        """Kill all processes of the cell."""
        self.signal(signal.SIGKILL)

    def check_limits(self) -> str | None:
        """Return a limit that the bot has reached since the last call, as the end of a sentence that begins with "it".

        Call this every `limits_interval`. In the user tier it also kills a bot that uses too much memory.
        """
        return None

    def exceeded_limit(self) -> str | None:
        """Return the limit that the bot had reached when it ended, in the same form."""
        return self._exceeded

    def remove(self) -> bool:
        """Release the cell. Return whether nothing is left of it; call again until it does."""
        return True


class UserCell(Cell):
    """The cell of the tier `user`: namespaces by bubblewrap. Memory is checked at intervals."""

    is_isolated = True
    limits_interval = CONFIG.user_limits_interval
    counts_processes = True
    """Whether the limit of processes is one of the user, not of a control group."""

    def __init__(self, view: SandboxView, allowance: Allowance) -> None:
        super().__init__(view, allowance)
        if os.geteuid() == 0:
            self.uid = CONFIG.first_uid + secrets.randbelow(CONFIG.uid_count)
        self._checked_disk = 0.0
        self._orphans: set[int] = set()
        """Killed processes whose parents were killed too. They may have become our children, which we must reap."""

    def prepare(self, command: Sequence[str], env: Mapping[str, str], files: list[int]) -> Prepared:
        # bubblewrap itself runs with neither our environment nor the bot's.
        outside = {"PATH": os.defpath} | {name: value for name, value in env.items() if name == MARK}
        line = bubblewrap_command(self.view, command, env, files, self.allowance, self.uid, count=self.counts_processes)
        return line, outside, Path("/")

    def on_exit(self) -> None:
        self.pid = 0  # everything in the sandbox has ended with it

    def signal(self, sign: signal.Signals) -> None:
        for pid in self._own() if self.pid else ():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, sign)

    def _own(self) -> list[int]:
        """Return the bot's processes, without bubblewrap's two: the first and its only child."""
        holders = {self.pid}
        with contextlib.suppress(OSError):
            holders |= set(map(int, Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()))
        return [pid for pid in self.processes() if pid not in holders]

    def kill(self) -> None:
        if not self.pid:
            return
        # Killing the first process ends the sandbox only once it is completely set up. So stop it first, then kill
        # every process that it has started.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(self.pid, signal.SIGSTOP)
            wait_until_stopped(self.pid)
            family = ProcessTree(self.pid).processes()
            self._orphans |= set(family) - {self.pid}
            for pid in reversed(family):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)

    def remove(self) -> bool:
        for pid in list(self._orphans):
            with contextlib.suppress(ChildProcessError):  # not our child
                if os.waitpid(pid, os.WNOHANG) == (0, 0):
                    continue
            self._orphans.discard(pid)
        reap_init_processes()
        return not self._orphans

    def check_limits(self) -> str | None:
        found = self._reached_limit()
        if found is None or found == self._exceeded:
            return None
        self._exceeded = found
        return found

    def _reached_limit(self) -> str | None:
        limit = self.allowance.memory
        if isinstance(self.accounts, ProcessTree) and self.accounts.memory(limit) > limit:
            self.kill()
            return self._out_of_memory()
        if time.monotonic() - self._checked_disk < Cell.limits_interval:
            return None
        self._checked_disk = time.monotonic()
        return self._disk_is_full()

    def _out_of_memory(self) -> str:
        return f"was killed at {bytes_shown(self.allowance.memory)} of memory"

    def _disk_is_full(self) -> str | None:
        for pid in self._own()[:1]:
            with contextlib.suppress(OSError):  # it has just ended, or is not readable
                if not os.statvfs(f"/proc/{pid}/root/tmp").f_bavail:
                    return f"had filled its /tmp, {bytes_shown(self.allowance.disk)}"
        return None


class StrongCell(UserCell):
    """The cell of the tier `strong`: namespaces and a control group. The kernel enforces the limits."""

    limits_interval = Cell.limits_interval
    counts_processes = False

    def __init__(self, view: SandboxView, allowance: Allowance) -> None:
        super().__init__(view, allowance)
        self.accounts = self.group = new_group(allowance)

    def prepare(self, command: Sequence[str], env: Mapping[str, str], files: list[int]) -> Prepared:
        line, outside, folder = super().prepare(command, env, files)
        return ["/bin/sh", "-c", JOIN, "sh", *map(str, self.group.folders), "--", *line], outside, folder

    def kill(self) -> None:
        super().kill()
        self.group.kill()

    def _reached_limit(self) -> str | None:
        if self.group.was_out_of_memory():
            return self._out_of_memory()
        if self.group.was_out_of_processes():
            return f"had reached its limit of {self.allowance.processes} processes and threads"
        return self._disk_is_full()

    def exceeded_limit(self) -> str | None:
        self.check_limits()
        return super().exceeded_limit()

    def remove(self) -> bool:
        self.check_limits()
        if self.group.processes():
            self.group.kill()
        reaped = super().remove()
        return self.group.remove() and reaped
