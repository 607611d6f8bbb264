"""What a bot may use of the machine, and the timing and limits of the sandbox itself."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Allowance:
    """The resource limits of one bot, for all its processes together."""

    memory: int = 512 * MIB
    """Bytes. A bot that uses more is killed, and its log says so."""
    processes: int = 128
    """Processes and threads. A bot in Python with gRPC has about 10, one in Java about 40."""
    cpus: float = 1.0
    """Cores."""
    files: int = 256
    """Open files of each process."""
    disk: int = 64 * MIB
    """Bytes in its /tmp, and in any one file that it writes."""
    log: int = MIB
    """Bytes of its output that are kept."""


BUILD = Allowance(memory=4096 * MIB, processes=1024, cpus=64.0, files=4096, disk=1024 * MIB)
"""The resource limits of a build."""


def bytes_shown(size: int) -> str:
    """Return a size as `512 MiB` or `1.5 GiB`."""
    for unit, name in ((1024 * MIB, "GiB"), (MIB, "MiB"), (1024, "KiB")):
        if size >= unit:
            return f"{size / unit:.4g} {name}"
    return f"{size} bytes"


@dataclass(frozen=True, slots=True)
class SandboxConfig:
    """Timing and limits of cells, probes and the doctor."""

    limits_interval: float = 1.0  # seconds between two checks of a bot's limits
    user_limits_interval: float = 0.1  # in the user tier, where only these checks limit the memory
    tree_interval: float = 0.25  # seconds for which a list of all processes is used
    recent: float = 0.02  # the same where processes are ended: many bots are ended together
    stop_timeout: float = 1.0  # seconds for a process to stop after SIGSTOP
    probe_timeout: float = 30.0  # seconds for the test program of a tier
    removal_timeout: float = 5.0  # seconds until nothing is left of it
    cpu_period_us: int = 100_000  # over which the use of cores is limited
    max_depth: int = 64  # of nested folders
    first_uid: int = 0x60000000  # far above the ids of people and services
    uid_count: int = 0x10000000
    enough_files: int = 4096  # open files: three per bot, and one referee per core
    enough_processes: int = 4096
    enough_disk: int = 1024**3
    longest_socket_path: int = 107  # in bytes, of a unix socket


CONFIG = SandboxConfig()
