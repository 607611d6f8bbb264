"""The resources that a bot may use."""

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
