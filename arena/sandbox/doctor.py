"""Checks of this machine for `arena doctor`, each with a remedy for what is missing."""

from __future__ import annotations

import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from timeit import timeit

from arena.sandbox import Tier, bytes_shown, probe
from arena.sandbox.cgroups import NEEDED, find_hierarchies
from arena.sandbox.config import CONFIG
from arena.sandbox.process_tree import cpu_clock

GOOD_CLOCKS = ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page", "xen")
"""Clock sources that are read without a system call."""
VERSION_COMMANDS = {
    "python": ((sys.executable, "--version"), ""),
    "node": (("node", "--version"), "apt-get install nodejs npm"),
    "java": (("java", "-version"), "apt-get install default-jdk-headless"),
    "g++": (("g++", "--version"), "apt-get install g++"),
    "go": (("go", "version"), "apt-get install golang-go"),
}
"""The command that prints the version of each language's runtime, and the one that installs it."""


class Health(StrEnum):
    """The state of one thing."""

    GOOD = "good"
    MISSING = "missing"
    """Missing, but not required."""
    BAD = "bad"
    """Needs attention."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    area: str
    what: str
    state: Health
    detail: str
    remedy: str = ""


def findings(home: Path) -> Iterator[Finding]:
    """Yield the results one by one; some checks take a moment."""
    yield from _sandbox()
    yield from _control_groups()
    for name, (command, remedy) in VERSION_COMMANDS.items():
        yield _runtime(name, command, remedy)
    yield from _limits()
    yield from _clocks()
    yield from _places(home)


def _finding(
    area: str, what: str, good: bool, detail: str, remedy: str = "", otherwise: Health = Health.BAD
) -> Finding:
    """Return a finding, with the remedy only if it is not good."""
    return Finding(area, what, Health.GOOD if good else otherwise, detail, "" if good else remedy)


def _sandbox() -> Iterator[Finding]:
    strong, user = probe(Tier.STRONG), probe(Tier.USER)
    without_user = Health.MISSING if strong.works else Health.BAD
    yield _finding("sandbox", "strong tier", strong.works, strong.detail, strong.remedy, Health.MISSING)
    yield _finding("sandbox", "user tier", user.works, user.detail, user.remedy, without_user)


def _control_groups() -> Iterator[Finding]:
    trees = find_hierarchies()
    for controller in NEEDED:
        tree = trees.get(controller)
        if tree is None:
            remedy = "mount it, or in a container pass the control groups on; the strong tier needs it"
            yield Finding("control groups", controller, Health.MISSING, "no such controller", remedy)
        else:
            writable = os.access(tree.folder, os.W_OK)
            detail = f"v{tree.version}, {tree.folder if writable else 'not writable'}"
            yield _finding("control groups", controller, writable, detail, "run as root", Health.MISSING)


def _runtime(name: str, command: tuple[str, ...], remedy: str) -> Finding:
    path = shutil.which(command[0])
    if path is None:
        return Finding("runtimes", name, Health.MISSING, "not found", f"for bots that need it, run `{remedy}`")
    try:
        done = subprocess.run(  # noqa: S603, a fixed list
            command, capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding("runtimes", name, Health.BAD, f"{path} cannot be run: {error}", f"run `{remedy}`")
    first_line = (done.stdout or done.stderr).strip().partition("\n")[0]
    version = re.search(r"\d+(\.\d+)+", first_line)
    return Finding("runtimes", name, Health.GOOD, f"{version[0] if version else 'found'}, {path}")


def _limits() -> Iterator[Finding]:
    for what, limit, enough, option in (
        ("open files", resource.RLIMIT_NOFILE, CONFIG.enough_files, "-n"),
        ("processes", resource.RLIMIT_NPROC, CONFIG.enough_processes, "-u"),
    ):
        soft, hard = resource.getrlimit(limit)
        good = soft >= enough or soft == resource.RLIM_INFINITY
        detail = f"{_count(soft)} (at most {_count(hard)})"
        yield _finding("limits", what, good, detail, f"run `ulimit {option} {enough}`")
    yield Finding("limits", "cores", Health.GOOD, f"{len(os.sched_getaffinity(0))}, {platform.machine()}")
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    yield Finding("limits", "memory", Health.GOOD, bytes_shown(memory))


def _count(limit: int) -> str:
    return "unlimited" if limit == resource.RLIM_INFINITY else f"{limit:,}"


def _clocks() -> Iterator[Finding]:
    file = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
    source = file.read_text().strip() if file.exists() else "unknown"
    detail = f"{source}, {_nanoseconds_to_read(time.perf_counter)} ns to read"
    remedy = "reading it is slow; boot with `clocksource=tsc` if the machine has it"
    yield _finding("clocks", "clock source", source in (*GOOD_CLOCKS, "unknown"), detail, remedy)
    try:
        took = _nanoseconds_to_read(lambda: time.clock_gettime_ns(cpu_clock(os.getpid())))
    except OSError as error:
        remedy = "outside the strong tier, wall time is charged instead"
        yield Finding("clocks", "CPU time", Health.BAD, f"cannot be read: {error.strerror}", remedy)
    else:
        yield Finding("clocks", "CPU time", Health.GOOD, f"of every process, {took} ns to read")


def _nanoseconds_to_read(read: Callable[[], object]) -> int:
    return round(timeit(read, number=1000) * 1e6)


def _places(home: Path) -> Iterator[Finding]:
    place = next(parent for parent in (home.resolve(), *home.resolve().parents) if parent.exists())
    if os.access(place, os.W_OK):
        free = shutil.disk_usage(place).free
        remedy = "free disk space, or choose another place with `--home DIR`"
        detail = f"{place}, {bytes_shown(free)} free"
        yield _finding("places", "home", free >= CONFIG.enough_disk, detail, remedy)
    else:
        yield Finding("places", "home", Health.BAD, f"{place} cannot be written to", "choose another with `--home DIR`")
    folder = tempfile.gettempdir()
    fits = len(f"{folder}/arena-12345678/socket/referee") <= CONFIG.longest_socket_path
    remedy = "its path is too long for a socket; set `TMPDIR=/tmp`"
    yield _finding("places", "temporary files", fits, folder, remedy)
