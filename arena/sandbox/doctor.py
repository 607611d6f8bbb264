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


def _sandbox() -> Iterator[Finding]:
    strong, user = probe(Tier.STRONG), probe(Tier.USER)
    yield _tier("strong tier", strong.works, Health.MISSING, strong.detail, strong.remedy)
    yield _tier("user tier", user.works, Health.MISSING if strong.works else Health.BAD, user.detail, user.remedy)


def _tier(what: str, works: bool, otherwise: Health, detail: str, remedy: str) -> Finding:
    return Finding("sandbox", what, Health.GOOD if works else otherwise, detail, "" if works else remedy)


def _control_groups() -> Iterator[Finding]:
    trees = find_hierarchies()
    for controller in NEEDED:
        tree = trees.get(controller)
        if tree is None:
            remedy = "mount it, or in a container pass the control groups on; the strong tier needs it"
            yield Finding("control groups", controller, Health.MISSING, "no such controller", remedy)
        elif not os.access(tree.folder, os.W_OK):
            yield Finding("control groups", controller, Health.MISSING, f"v{tree.version}, not writable", "run as root")
        else:
            yield Finding("control groups", controller, Health.GOOD, f"v{tree.version}, {tree.folder}")


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
    said = (done.stdout or done.stderr).strip().splitlines()
    version = re.search(r"\d+(\.\d+)+", said[0] if said else "")
    return Finding("runtimes", name, Health.GOOD, f"{version[0] if version else 'found'}, {path}")


def _limits() -> Iterator[Finding]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    state = Health.GOOD if soft >= CONFIG.enough_files or soft == resource.RLIM_INFINITY else Health.BAD
    remedy = "" if state is Health.GOOD else f"run `ulimit -n {CONFIG.enough_files}`"
    yield Finding("limits", "open files", state, f"{_count(soft)} (at most {_count(hard)})", remedy)
    soft, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    state = Health.GOOD if soft >= CONFIG.enough_processes or soft == resource.RLIM_INFINITY else Health.BAD
    remedy = "" if state is Health.GOOD else f"run `ulimit -u {CONFIG.enough_processes}`"
    yield Finding("limits", "processes", state, f"{_count(soft)} (at most {_count(hard)})", remedy)
    yield Finding("limits", "cores", Health.GOOD, f"{len(os.sched_getaffinity(0))}, {platform.machine()}")
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    yield Finding("limits", "memory", Health.GOOD, bytes_shown(memory))


def _count(limit: int) -> str:
    return "unlimited" if limit == resource.RLIM_INFINITY else f"{limit:,}"


def _clocks() -> Iterator[Finding]:
    file = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
    source = file.read_text().strip() if file.exists() else "unknown"
    good = source in GOOD_CLOCKS or not file.exists()
    remedy = "" if good else "reading it is slow; boot with `clocksource=tsc` if the machine has it"
    took = _nanoseconds_to_read(time.perf_counter)
    yield Finding(
        "clocks",
        "clock source",
        Health.GOOD if good else Health.BAD,
        f"{source}, {took} ns to read",
        remedy,
    )
    try:
        took = _nanoseconds_to_read(lambda: time.clock_gettime_ns(cpu_clock(os.getpid())))
    except OSError as error:
        remedy = "outside the strong tier, wall time is charged instead"
        yield Finding("clocks", "CPU time", Health.BAD, f"cannot be read: {error.strerror}", remedy)
    else:
        yield Finding("clocks", "CPU time", Health.GOOD, f"of every process, {took} ns to read")


def _nanoseconds_to_read(read: Callable[[], object], times: int = 1000) -> int:
    began = time.perf_counter_ns()
    for _ in range(times):
        read()
    return round((time.perf_counter_ns() - began) / times)


def _places(home: Path) -> Iterator[Finding]:
    place = next(parent for parent in (home.resolve(), *home.resolve().parents) if parent.exists())
    free = shutil.disk_usage(place).free
    if not os.access(place, os.W_OK):
        yield Finding("places", "home", Health.BAD, f"{place} cannot be written to", "choose another with `--home DIR`")
    else:
        enough = free >= CONFIG.enough_disk
        remedy = "" if enough else "free disk space, or choose another place with `--home DIR`"
        yield Finding(
            "places",
            "home",
            Health.GOOD if enough else Health.BAD,
            f"{place}, {bytes_shown(free)} free",
            remedy,
        )
    folder = tempfile.gettempdir()
    fits = len(f"{folder}/arena-12345678/socket/referee") <= CONFIG.longest_socket_path
    remedy = "" if fits else "its path is too long for a socket; set `TMPDIR=/tmp`"
    yield Finding("places", "temporary files", Health.GOOD if fits else Health.BAD, folder, remedy)
