"""A cell: the processes of one bot, started, measured, stopped and ended together.

There is one class per tier. The referee knows only the interface of `Cell`.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Protocol

from arena.sandbox import cgroups
from arena.sandbox.allowance import Allowance, bytes_shown
from arena.sandbox.bubblewrap import (
    SandboxView,
    draw_uid,
    environment,
    find_bubblewrap,
    in_memory,
    inner_command,
    options,
    seccomp_program,
)
from arena.sandbox.config import CONFIG
from arena.sandbox.process_tree import ProcessTree, reap_init_processes, wait_until_stopped

MARK = "ARENA_PROCESS"
"""The environment variable that marks a bot and everything that it starts."""
SECRETS = ("ARENA_STORE", "PGPASSWORD")
"""Environment variables that are never passed to a bot: passwords of the store."""
JOIN = 'while [ "$1" != -- ]; do echo 0 > "$1/cgroup.procs" || exit 125; shift; done; shift; exec "$@"'
"""A shell script that enters control groups and then runs the command after `--`."""


@dataclass(slots=True)
class StartCommand:
    """How to start the bot, including its sandbox."""

    command: list[str]
    env: dict[str, str]
    folder: Path
    files: list[int] = field(default_factory=list)
    """File descriptors that it inherits; closed here once it is started."""

    def close(self) -> None:
        for file in self.files:
            os.close(file)
        self.files.clear()


class Accounts(Protocol):
    """What measures and stops a bot's processes: a control group, or a process tree."""

    def cpu_ns(self) -> int: ...
    def freeze(self, frozen: bool) -> None: ...
    def processes(self) -> list[int]: ...


class Cell:
    """The cell of the tier `none`: the bot runs with our permissions. The other tiers derive from it."""

    limits_interval = CONFIG.limits_interval
    """Seconds between two calls of `check_limits`."""

    def __init__(self, view: SandboxView, allowance: Allowance) -> None:
        self.view = view
        self.allowance = allowance
        self.pid = 0
        self.frozen = False
        self.accounts: Accounts | None = None
        self.uid: int | None = None
        """The user id of the bot; None: ours."""
        self._exceeded = ""

    def launch(self, command: Sequence[str], env: Mapping[str, str]) -> StartCommand:
        """Return how to start a command in this cell."""
        ours = {name: value for name, value in os.environ.items() if name not in SECRETS}
        return StartCommand(list(command), {**ours, **env}, self.view.folder)

    def start(self, command: Sequence[str], env: Mapping[str, str], output: int | IO[bytes]) -> subprocess.Popen[bytes]:
        """Start a command in this cell. Raise `OSError`, or `ValueError` if the command or environment is invalid."""
        launch = self.launch(command, env)
        try:
            # In a session of its own, so that the whole group can be ended. No preexec_fn: gRPC does not allow it.
            process = subprocess.Popen(  # noqa: S603, a bot's command
                launch.command,
                cwd=launch.folder,
                env=launch.env,
                pass_fds=launch.files,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        finally:
            launch.close()
        self.on_start(process.pid)
        return process

    def on_start(self, pid: int) -> None:
        """Note the process that was started."""
        self.pid = pid
        if self.accounts is None:
            self.accounts = ProcessTree(pid)

    def on_exit(self) -> None:
        """Note that the started process has ended; its id may be used again."""

    @property
    def is_isolated(self) -> bool:
        return False

    def cpu_ms(self) -> float:
        """Return the CPU time of the bot so far."""
        if self.accounts is None:
            return 0.0
        try:
            return self.accounts.cpu_ns() / 1e6
        except OSError:
            return 0.0

    def freeze(self, frozen: bool, *, again: bool = False) -> None:
        """Stop the bot's processes, or continue them. `again`: even if they should be stopped already."""
        if (again or frozen != self.frozen) and self.accounts is not None:
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
        return self._exceeded or None

    def remove(self) -> bool:
        """Release the cell. Return whether nothing is left of it; call again until it does."""
        return True


class UserCell(Cell):
    """The cell of the tier `user`: namespaces by bubblewrap. Memory is checked at intervals."""

    limits_interval = CONFIG.user_limits_interval

    def __init__(self, view: SandboxView, allowance: Allowance) -> None:
        super().__init__(view, allowance)
        self.uid = draw_uid()
        self._checked_disk = 0.0
        self._orphans: set[int] = set()
        """Killed processes whose parents were killed too. They may have become our children, which we must reap."""

    @property
    def is_isolated(self) -> bool:
        return True

    def launch(self, command: Sequence[str], env: Mapping[str, str]) -> StartCommand:
        bubblewrap = find_bubblewrap()
        assert bubblewrap, "found when the tier was chosen"
        settings = list(options(self.view, command, self.allowance))
        variables = environment(env)
        if any("\0" in word for word in (*settings, *command)):
            # bubblewrap reads them separated by NULs: a bot could add options of its own.
            raise ValueError("the command contains a NUL")
        # bubblewrap itself runs with neither our environment nor the bot's.
        outside = {"PATH": os.defpath} | {name: value for name, value in env.items() if name == MARK}
        launch = StartCommand([], outside, Path("/"))
        try:
            launch.files.append(in_memory(variables))
            launch.files.append(in_memory(seccomp_program(self.view)))
            settings += ["--seccomp", str(launch.files[1])]
            launch.files.append(in_memory("".join(f"{each}\0" for each in settings).encode(errors="surrogateescape")))
        except OSError:
            launch.close()
            raise
        inner = inner_command(command, launch.files[0], self.allowance, self.uid, count=self._counts_processes_itself)
        launch.command = [bubblewrap, "--args", str(launch.files[2]), "--", *inner]
        return launch

    @property
    def _counts_processes_itself(self) -> bool:
        return True

    def on_exit(self) -> None:
        self.pid = 0  # everything in the sandbox has ended with it

    def signal(self, sign: signal.Signals) -> None:
        for pid in self._own() if self.pid else ():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, sign)

    def _own(self) -> list[int]:
        """Return the bot's processes, without bubblewrap's two: the first and its only child."""
        processes = self.accounts.processes() if self.accounts else []
        holders = {self.pid}
        with contextlib.suppress(OSError):
            children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
            holders |= {int(child) for child in children}
        return [pid for pid in processes if pid not in holders]

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

    def check_limits(self) -> str | None:
        found = self._limit_reached()
        if found and found != self._exceeded:
            self._exceeded = found
            return found
        return None

    def remove(self) -> bool:
        for pid in list(self._orphans):
            with contextlib.suppress(ChildProcessError):  # not our child
                if os.waitpid(pid, os.WNOHANG) == (0, 0):
                    continue
            self._orphans.discard(pid)
        reap_init_processes()
        return not self._orphans

    def _limit_reached(self) -> str | None:
        if (
            isinstance(self.accounts, ProcessTree)
            and self.accounts.memory(self.allowance.memory) > self.allowance.memory
        ):
            self.kill()
            return self._out_of_memory_text
        if time.monotonic() - self._checked_disk < Cell.limits_interval:
            return None
        self._checked_disk = time.monotonic()
        return self._disk_is_full()

    @property
    def _out_of_memory_text(self) -> str:
        return f"was killed at {bytes_shown(self.allowance.memory)} of memory"

    def _disk_is_full(self) -> str | None:
        for pid in self._own()[:1]:
            with contextlib.suppress(OSError):  # it has just ended, or is not readable
                room = os.statvfs(f"/proc/{pid}/root/tmp")
                if not room.f_bavail:
                    return f"had filled its /tmp, {bytes_shown(self.allowance.disk)}"
        return None


class ControlGroups:
    """Creates the control groups of all bots of this process."""

    def __init__(self) -> None:
        self.trees = cgroups.find_hierarchies()
        self._numbers = itertools.count(1)
        cgroups.remove_orphans(self.trees)

    def group(self, allowance: Allowance) -> cgroups.ControlGroup:
        return cgroups.ControlGroup(f"{cgroups.PREFIX}{os.getpid()}-{next(self._numbers)}", self.trees, allowance)


class StrongCell(UserCell):
    """The cell of the tier `strong`: namespaces and a control group. The kernel enforces the limits."""

    limits_interval = Cell.limits_interval

    def __init__(self, view: SandboxView, allowance: Allowance, groups: ControlGroups) -> None:
        super().__init__(view, allowance)
        self.group = groups.group(allowance)
        self.accounts = self.group

    def launch(self, command: Sequence[str], env: Mapping[str, str]) -> StartCommand:
        launch = super().launch(command, env)
        folders = [str(folder) for folder in self.group.folders]
        launch.command = ["/bin/sh", "-c", JOIN, "sh", *folders, "--", *launch.command]
        return launch

    @property
    def _counts_processes_itself(self) -> bool:
        return False

    def kill(self) -> None:
        super().kill()
        self.group.kill()

    def _limit_reached(self) -> str | None:
        if self.group.was_out_of_memory():
            return self._out_of_memory_text
        if self.group.was_out_of_processes():
            return f"had reached its limit of {self.allowance.processes} processes and threads"
        return self._disk_is_full()

    def exceeded_limit(self) -> str | None:
        self.check_limits()
        return self._exceeded or None

    def remove(self) -> bool:
        self.exceeded_limit()
        if self.group.processes():
            self.group.kill()
        reaped = super().remove()
        return self.group.remove() and reaped
