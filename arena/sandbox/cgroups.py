"""Control groups: the kernel measures, limits, freezes and ends a group of processes.

A machine has version 1 (a hierarchy per controller), version 2 (one hierarchy), or both, with each controller in one of
them. So every access here names a controller and looks up its hierarchy.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from arena.sandbox.config import CONFIG, Allowance

PREFIX = "arena-"
NEEDED = ("memory", "pids", "cpu", "cpuacct", "freezer")


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A folder in which groups can be created, for one or several controllers."""

    folder: Path
    version: int


def find_hierarchies(mounts: str | None = None, own: str | None = None) -> dict[str, Hierarchy]:
    """Return the hierarchy of each needed controller that this machine has."""
    mounts = Path("/proc/self/mounts").read_text() if mounts is None else mounts
    own = Path("/proc/self/cgroup").read_text() if own is None else own
    groups: dict[str, str] = {}  # of this process, by controller; of version 2 under the name ""
    for line in own.splitlines():
        _, controllers, path = line.split(":", 2)
        groups |= dict.fromkeys(controllers.split(","), path)
    trees: dict[str, Hierarchy] = {}
    for line in mounts.splitlines():
        _, folder, kind, options, *_ = line.split()
        place = Path(folder)
        if kind == "cgroup":
            for controller in set(options.split(",")) & set(NEEDED):
                trees[controller] = Hierarchy(place / groups.get(controller, "/").lstrip("/"), 1)
        elif kind == "cgroup2":
            # Processes may only be in leaves, so our groups are not below the group of this process.
            available = (place / "cgroup.controllers").read_text().split() if place.exists() else []
            for controller in {*available, "cpuacct", "freezer"}:  # these two are built in
                if controller in NEEDED and (controller in available or "memory" in available):
                    trees.setdefault(controller, Hierarchy(place, 2))
    return trees


def describe(trees: dict[str, Hierarchy]) -> str:
    """Return the versions in use, for people."""
    versions = {tree.version for tree in trees.values()}
    return "cgroup v1 and v2" if len(versions) > 1 else f"cgroup v{versions.pop()}" if versions else "no cgroup"


_numbers = itertools.count(1)


def new_group(allowance: Allowance) -> ControlGroup:
    """Create the control group of a bot. Raise `OSError` if it cannot be created."""
    return ControlGroup(f"{PREFIX}{os.getpid()}-{next(_numbers)}", _usable_hierarchies(), allowance)


@cache
def _usable_hierarchies() -> dict[str, Hierarchy]:
    trees = find_hierarchies()
    remove_orphans(trees)
    return trees


class ControlGroup:
    """The control group of one bot. The constructor raises `OSError` if it cannot be created."""

    def __init__(self, name: str, trees: dict[str, Hierarchy], allowance: Allowance) -> None:
        if missing := [controller for controller in NEEDED if controller not in trees]:
            raise FileNotFoundError(f"no control groups for {', '.join(missing)}")
        self._trees = trees
        self._name = name
        self.folders = sorted({tree.folder / name for tree in trees.values()})
        self._usage = self._freezer = -1
        try:
            for folder in self.folders:
                _enable_controllers(folder.parent)
                folder.mkdir()
            self._limit(allowance)
            usage = "cpuacct.usage" if self._is_v1("cpuacct") else "cpu.stat"
            # Kept open: they are used often, and must work when no file descriptors are left.
            self._usage = os.open(self._file("cpuacct", usage), os.O_RDONLY | os.O_CLOEXEC)
            freezer = "freezer.state" if self._is_v1("freezer") else "cgroup.freeze"
            self._freezer = os.open(self._file("freezer", freezer), os.O_WRONLY | os.O_CLOEXEC)
        except OSError:
            self.remove()
            raise

    def _file(self, controller: str, name: str) -> Path:
        return self._trees[controller].folder / self._name / name

    def _is_v1(self, controller: str) -> bool:
        return self._trees[controller].version == 1

    def _limit(self, allowance: Allowance) -> None:
        if self._is_v1("memory"):
            self._file("memory", "memory.limit_in_bytes").write_text(str(allowance.memory))
            with contextlib.suppress(OSError):  # missing where swap is not accounted for
                self._file("memory", "memory.memsw.limit_in_bytes").write_text(str(allowance.memory))
        else:
            self._file("memory", "memory.max").write_text(str(allowance.memory))
            self._file("memory", "memory.oom.group").write_text("1")
            with contextlib.suppress(OSError):
                self._file("memory", "memory.swap.max").write_text("0")
        self._file("pids", "pids.max").write_text(str(allowance.processes))
        quota = int(allowance.cpus * CONFIG.cpu_period_us)
        if self._is_v1("cpu"):
            self._file("cpu", "cpu.cfs_period_us").write_text(str(CONFIG.cpu_period_us))
            self._file("cpu", "cpu.cfs_quota_us").write_text(str(quota))
        else:
            self._file("cpu", "cpu.max").write_text(f"{quota} {CONFIG.cpu_period_us}")

    def cpu_ns(self) -> int:
        """Return the CPU time of all processes."""
        data = os.pread(self._usage, 64, 0)
        # Version 1 is a number in ns; version 2 begins with "usage_usec 123".
        return int(data) if data[:1].isdigit() else 1000 * int(data.split(None, 2)[1])

    def freeze(self, frozen: bool) -> None:
        """Stop all processes, or continue them."""
        if self._is_v1("freezer"):
            os.pwrite(self._freezer, b"FROZEN" if frozen else b"THAWED", 0)
        else:
            os.pwrite(self._freezer, b"1" if frozen else b"0", 0)

    def processes(self) -> list[int]:
        with contextlib.suppress(OSError):
            return [int(line) for line in self._file("pids", "cgroup.procs").read_text().split()]
        return []

    def was_out_of_memory(self) -> bool:
        """Return whether the kernel killed a process because of the memory limit."""
        name = "memory.oom_control" if self._is_v1("memory") else "memory.events"
        return self._count("memory", name, "oom_kill") > 0

    def was_out_of_processes(self) -> bool:
        """Return whether a process or thread was refused because of their limit."""
        return self._count("pids", "pids.events", "max") > 0

    def _count(self, controller: str, file: str, key: str) -> int:
        with contextlib.suppress(OSError):
            for line in self._file(controller, file).read_text().splitlines():
                name, _, value = line.partition(" ")
                if name == key:
                    return int(value)
        return 0

    def kill(self) -> None:
        """Kill all processes."""
        with contextlib.suppress(OSError):
            self.freeze(False)
        if not self._is_v1("pids"):
            with contextlib.suppress(OSError):
                self._file("pids", "cgroup.kill").write_text("1")
                return
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def remove(self) -> bool:
        """Remove the group. Return whether it is gone, which takes until its last process has ended."""
        for file in (self._usage, self._freezer):
            if file >= 0:
                os.close(file)
        self._usage = self._freezer = -1
        for folder in list(self.folders):
            try:
                folder.rmdir()
            except FileNotFoundError:
                pass
            except OSError:
                return False
            self.folders.remove(folder)
        return True


def _enable_controllers(folder: Path) -> None:
    """Enable the controllers for the children of a group, which version 2 requires."""
    control = folder / "cgroup.subtree_control"
    if control.exists():
        present = control.read_text().split()
        wanted = [name for name in ("memory", "pids", "cpu") if name not in present]
        if wanted:
            control.write_text(" ".join(f"+{name}" for name in wanted))


def remove_orphans(trees: dict[str, Hierarchy]) -> None:
    """Kill and remove the groups of arenas that were killed."""
    for folder in {tree.folder for tree in trees.values()}:
        for left in folder.glob(f"{PREFIX}*"):
            owner = left.name.removeprefix(PREFIX).split("-")[0]
            if owner.isdigit() and not Path("/proc", owner).exists():
                for name, thawed in (("freezer.state", "THAWED"), ("cgroup.freeze", "0")):
                    if (left / name).exists():  # a frozen process cannot end
                        with contextlib.suppress(OSError):
                            (left / name).write_text(thawed)
                with contextlib.suppress(OSError):
                    for pid in (left / "cgroup.procs").read_text().split():
                        if pid != "0":  # a process outside our PID namespace
                            os.kill(int(pid), signal.SIGKILL)
                with contextlib.suppress(OSError):
                    left.rmdir()
