"""How much of the machine a bot may use."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one bot, all its processes together, may use at the most."""

    memory: int = 512 * MIB
    """Bytes. A bot that needs more is killed, and its author is told so."""
    processes: int = 128
    """Processes and threads: a bot in Python with gRPC has about ten, one in Java some forty."""
    cpus: float = 1.0
    """How many cores it may keep busy."""
    files: int = 256
    """Open files of each process."""
    disk: int = 64 * MIB
    """Bytes in its /tmp, and in any one file that it writes."""
    log: int = MIB
    """Bytes of its output that are kept."""


BUILD = Allowance(memory=4096 * MIB, processes=1024, cpus=64.0, files=4096, disk=1024 * MIB)
"""What a build may use: compilers are hungrier than bots, and nobody is waiting for a turn."""


def bytes_shown(size: int) -> str:
    """512 MiB, 1.5 GiB: as people say it."""
    for unit, name in ((1024 * MIB, "GiB"), (MIB, "MiB"), (1024, "KiB")):
        if size >= unit:
            return f"{size / unit:.4g} {name}"
    return f"{size} bytes"
