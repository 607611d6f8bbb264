"""What this machine can do for an arena, each thing with the remedy where it is missing."""

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
from arena.sandbox.process_tree import cpu_clock

ENOUGH_FILES = 4096
"""Open files: a referee needs three for each bot, and tournaments are played by one referee for each core."""
ENOUGH_PROCESSES = 4096
ENOUGH_DISK = 1024**3
GOOD_CLOCKS = ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page", "xen")
"""Clocks that are read without the kernel's help, or nearly."""
LONGEST_SOCKET = 107
"""The bytes of a unix socket's path."""
VERSION_COMMANDS = {
    "python": ((sys.executable, "--version"), ""),
    "node": (("node", "--version"), "apt-get install nodejs npm"),
    "java": (("java", "-version"), "apt-get install default-jdk-headless"),
    "g++": (("g++", "--version"), "apt-get install g++"),
    "go": (("go", "version"), "apt-get install golang-go"),
}
"""How each language that bots are often written in is asked for its version, and how it is installed."""


class Health(StrEnum):
    """How it stands with one thing."""

    GOOD = "good"
    MISSING = "missing"
    """One can do without it."""
    BAD = "bad"
    """This hurts."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found out about one thing."""

    area: str
    what: str
    state: Health
    detail: str
    remedy: str = ""


def findings(home: Path) -> Iterator[Finding]:
    """Everything that was looked at, one after the other: some of it takes a moment."""
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
            remedy = "mount it, or in a container pass the control groups on; without it there is no strong tier"
            yield Finding("control groups", controller, Health.MISSING, "no such controller", remedy)
        elif not os.access(tree.folder, os.W_OK):
            yield Finding(
                "control groups", controller, Health.MISSING, f"v{tree.version}, not ours to write", "run as root"
            )
        else:
            yield Finding("control groups", controller, Health.GOOD, f"v{tree.version}, {tree.folder}")


def _runtime(name: str, command: tuple[str, ...], remedy: str) -> Finding:
    path = shutil.which(command[0])
    if path is None:
        return Finding("runtimes", name, Health.MISSING, "not found", f"for bots that need it: {remedy}")
    try:
        done = subprocess.run(  # noqa: S603, a fixed list
            command, capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding("runtimes", name, Health.BAD, f"{path} cannot be run: {error}", f"install it anew: {remedy}")
    said = (done.stdout or done.stderr).strip().splitlines()
    version = re.search(r"\d+(\.\d+)+", said[0] if said else "")
    return Finding("runtimes", name, Health.GOOD, f"{version[0] if version else 'found'}, {path}")


def _limits() -> Iterator[Finding]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    state = Health.GOOD if soft >= ENOUGH_FILES or soft == resource.RLIM_INFINITY else Health.BAD
    remedy = "" if state is Health.GOOD else f"ulimit -n {ENOUGH_FILES}, for good in /etc/security/limits.conf"
    yield Finding("limits", "open files", state, f"{_count(soft)} (at most {_count(hard)})", remedy)
    soft, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    state = Health.GOOD if soft >= ENOUGH_PROCESSES or soft == resource.RLIM_INFINITY else Health.BAD
    remedy = "" if state is Health.GOOD else f"ulimit -u {ENOUGH_PROCESSES}"
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
    remedy = "" if good else "reading it is slow; if the machine has a better one: boot with clocksource=tsc"
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
        remedy = "without it think time is charged by the clock on the wall, outside the strong tier"
        yield Finding("clocks", "processor time", Health.BAD, f"cannot be read: {error.strerror}", remedy)
    else:
        yield Finding("clocks", "processor time", Health.GOOD, f"of every process, {took} ns to read")


def _nanoseconds_to_read(read: Callable[[], object], times: int = 1000) -> int:
    began = time.perf_counter_ns()
    for _ in range(times):
        read()
    return round((time.perf_counter_ns() - began) / times)


def _places(home: Path) -> Iterator[Finding]:
    place = next(parent for parent in (home.resolve(), *home.resolve().parents) if parent.exists())
    free = shutil.disk_usage(place).free
    if not os.access(place, os.W_OK):
        yield Finding("places", "home", Health.BAD, f"{place} cannot be written to", "choose another: --home DIR")
    else:
        enough = free >= ENOUGH_DISK
        remedy = "" if enough else "make room, or choose another place: --home DIR"
        yield Finding(
            "places",
            "home",
            Health.GOOD if enough else Health.BAD,
            f"{place}, {bytes_shown(free)} free",
            remedy,
        )
    folder = tempfile.gettempdir()
    fits = len(f"{folder}/arena-12345678/socket/referee") <= LONGEST_SOCKET
    remedy = "" if fits else "its path is too long for a socket; choose another: TMPDIR=/tmp"
    yield Finding("places", "temporary files", Health.GOOD if fits else Health.BAD, folder, remedy)
