"""The timing and limits of the sandbox itself. What a bot may use is an `Allowance`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SandboxConfig:
    """Timing and limits of cells, probes and the doctor."""

    limits_interval: float = 1.0  # seconds between two checks of a bot's limits
    user_limits_interval: float = 0.1  # in the user tier, where only these checks limit the memory
    tree_interval: float = 0.25  # seconds for which a list of all processes is used
    stop_timeout: float = 1.0  # seconds for a process to stop after SIGSTOP
    probe_timeout: float = 30.0  # seconds for the test program of a tier
    cpu_period_us: int = 100_000  # over which the use of cores is limited
    max_depth: int = 64  # of nested folders
    first_uid: int = 0x60000000  # far above the ids of people and services
    uid_count: int = 0x10000000
    enough_files: int = 4096  # open files: three per bot, and one referee per core
    enough_processes: int = 4096
    enough_disk: int = 1024**3
    longest_socket_path: int = 107  # in bytes, of a unix socket


CONFIG = SandboxConfig()
