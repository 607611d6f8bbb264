"""A cell: where one bot's processes are, what they use, and how they are stopped, ended, and counted.

The three kinds of cells are the three tiers. What they have in common is all that the referee knows of a sandbox.
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
from arena.sandbox.process_tree import ProcessTree, reap_init_processes, wait_until_stopped

MARK = "ARENA_PROCESS"
"""In the environment of a bot and all that it starts: which of the arena's processes it belongs to."""
SECRETS = ("ARENA_STORE", "PGPASSWORD")
"""Of the environment that we were started in, what no bot is handed: passwords of the store."""
JOIN = 'while [ "$1" != -- ]; do echo 0 > "$1/cgroup.procs" || exit 125; shift; done; shift; exec "$@"'
"""Enters control groups and becomes the command behind the --."""


@dataclass(slots=True)
class StartCommand:
    """How the process that leads to the bot is started."""

    command: list[str]
    env: dict[str, str]
    folder: Path
    files: list[int] = field(default_factory=list)
    """Open files that it inherits; to be closed here once it is started."""

    def close(self) -> None:
        for file in self.files:
            os.close(file)
        self.files.clear()


class Accounts(Protocol):
    """What keeps count of a bot's processes: a control group, or else the family of its first process."""

    def cpu_ns(self) -> int: ...
    def freeze(self, frozen: bool) -> None: ...
    def processes(self) -> list[int]: ...


class Cell:
    """One bot's place. This one is open: the bot runs as we do. The others are derived from it."""

    limits_interval = 1.0
    """Seconds between two calls of `look`."""

    def __init__(self, view: SandboxView, allowance: Allowance) -> None:
        self.view = view
        self.allowance = allowance
        self.pid = 0
        self.frozen = False
        self.accounts: Accounts | None = None
        self.uid: int | None = None
        """The user that the bot runs as; None: as we do."""
        self._exceeded = ""

    def launch(self, command: Sequence[str], env: Mapping[str, str]) -> StartCommand:
        """How to start the command in here."""
        ours = {name: value for name, value in os.environ.items() if name not in SECRETS}
        return StartCommand(list(command), {**ours, **env}, self.view.folder)

    def start(self, command: Sequence[str], env: Mapping[str, str], output: int | IO[bytes]) -> subprocess.Popen[bytes]:
        """Starts the command in here. Raises OSError, or ValueError where no process can have such a command."""
        launch = self.launch(command, env)
        try:
            # Its own session, so that the whole group can be ended; no preexec_fn, which must not be used beside grpc.
            process = subprocess.Popen(  # noqa: S603, starting what others have written is what a cell is for
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
        """The process is started."""
        self.pid = pid
        if self.accounts is None:
            self.accounts = ProcessTree(pid)

    def on_exit(self) -> None:
        """The process that we started has ended, and its number may be given to another."""

    @property
    def is_isolated(self) -> bool:
        return False

    def cpu_ms(self) -> float:
        """The processor time of the bot so far."""
        if self.accounts is None:
            return 0.0
        try:
            return self.accounts.cpu_ns() / 1e6
        except OSError:
            return 0.0

    def freeze(self, frozen: bool, *, again: bool = False) -> None:
        """Stops the bot where it is, or lets it go on. `again`: even if it should be stopped already."""
        if (again or frozen != self.frozen) and self.accounts is not None:
            with contextlib.suppress(OSError):  # it is gone
                self.accounts.freeze(frozen)
                self.frozen = frozen

    def signal(self, sign: signal.Signals) -> None:
        """To the bot's own processes, not to what holds them."""
        if self.pid:  # 0 would be ourselves
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, sign)

    def kill(self) -> None:
        """Ends all of it at once."""
        self.signal(signal.SIGKILL)

    def check_limits(self) -> str | None:
        """Called now and then. Returns a limit that the bot has reached: the rest of a sentence that begins with "it".

        Each is returned once. A bot that cannot be kept within its limits in another way is ended here.
        """
        return None

    def exceeded_limit(self) -> str | None:
        """The limit that the bot had reached when it ended, in the same way."""
        return self._exceeded or None

    def remove(self) -> bool:
        """Returns whether nothing is left of it. Called until it is so."""
        return True


class UserCell(Cell):
    """Namespaces of its own, by bubblewrap: the `user` tier. Memory is looked at now and then."""

    limits_interval = 0.1
    """Seconds. Here nobody else keeps the bot from taking all the memory."""

    def __init__(self, view: SandboxView, allowance: Allowance) -> None:
        super().__init__(view, allowance)
        self.uid = draw_uid()
        self._looked_at_disk = 0.0
        self._orphans: set[int] = set()
        """Processes whose parents were killed with them. They may have become our children, and ours to bury."""

    @property
    def is_isolated(self) -> bool:
        return True

    def launch(self, command: Sequence[str], env: Mapping[str, str]) -> StartCommand:
        bubblewrap = find_bubblewrap()
        assert bubblewrap, "it was there when the tier was chosen"
        settings = list(options(self.view, command, self.allowance))
        variables = environment(env)
        if any("\0" in word for word in (*settings, *command)):
            # They are handed over with NULs between them, so this is also what keeps a bot from adding its own.
            raise ValueError("a command with a NUL")
        # Nothing of the environment that we were started in, and nothing of what the bot's author wants in its own.
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
        self.pid = 0  # with it all that was in the box

    def signal(self, sign: signal.Signals) -> None:
        for pid in self._own() if self.pid else ():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, sign)

    def _own(self) -> list[int]:
        """The bot's own processes: without bubblewrap's two, which are the first and its only child."""
        processes = self.accounts.processes() if self.accounts else []
        holders = {self.pid}
        with contextlib.suppress(OSError):
            children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
            holders |= {int(child) for child in children}
        return [pid for pid in processes if pid not in holders]

    def kill(self) -> None:
        if not self.pid:
            return
        # Whatever is in the box ends with its first process, and that with the one that we started; but not if they are
        # only just being started. So nothing new is begun from here on, and then all of them go.
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
            with contextlib.suppress(ChildProcessError):  # they were not, and somebody else has buried them
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
        if time.monotonic() - self._looked_at_disk < Cell.limits_interval:
            return None
        self._looked_at_disk = time.monotonic()
        return self._disk_is_full()

    @property
    def _out_of_memory_text(self) -> str:
        return f"was killed at {bytes_shown(self.allowance.memory)} of memory"

    def _disk_is_full(self) -> str | None:
        for pid in self._own()[:1]:
            with contextlib.suppress(OSError):  # it has just ended, or is not to be looked into
                room = os.statvfs(f"/proc/{pid}/root/tmp")
                if not room.f_bavail:
                    return f"had filled its /tmp, {bytes_shown(self.allowance.disk)}"
        return None


class ControlGroups:
    """Where the control groups of one process's bots are."""

    def __init__(self) -> None:
        self.trees = cgroups.find_hierarchies()
        self._numbers = itertools.count(1)
        cgroups.remove_orphans(self.trees)

    def group(self, allowance: Allowance) -> cgroups.ControlGroup:
        return cgroups.ControlGroup(f"{cgroups.PREFIX}{os.getpid()}-{next(self._numbers)}", self.trees, allowance)


class StrongCell(UserCell):
    """A box inside a control group: the `strong` tier. The kernel itself keeps the limits."""

    limits_interval = Cell.limits_interval

    def __init__(self, view: SandboxView, allowance: Allowance, block: ControlGroups) -> None:
        super().__init__(view, allowance)
        self.group = block.group(allowance)
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
        buried = super().remove()
        return self.group.remove() and buried
