"""Changes the kernel's settings."""

from __future__ import annotations

import os
from pathlib import Path

from tests.hostile.programs.attacker import Tally, boxed, play


def rewrite(path: Path) -> None:
    path.write_text(path.read_text())


def attack(tally: Tally) -> None:
    assert boxed()
    for name in ("vm/swappiness", "kernel/core_pattern", "kernel/hostname", "kernel/pid_max", "fs/file-max"):
        tally.attempt(f"wrote {name}", lambda name=name: rewrite(Path("/proc/sys", name)))  # type: ignore[misc]
    for path in ("/proc/sysrq-trigger", "/proc/kcore", "/proc/kmsg"):
        for mode in (os.O_WRONLY, os.O_RDONLY):
            tally.attempt(f"opened {path}", lambda path=path, mode=mode: os.close(os.open(path, mode)))  # type: ignore[misc]


play(attack)
