"""Fills every place that it may write to, with files that are each within the limit for one file."""

from __future__ import annotations

import os
from pathlib import Path

from tests.hostile.programs.attacker import MIB, Tally, boxed, play

MOST = 300 * MIB
PIECE = b"x" * MIB


def fill(folder: Path) -> int:
    """Writes until it is stopped. Returns how much it has written."""
    written = number = 0
    try:
        while written < MOST:
            number += 1
            with (folder / f"fill-{number}").open("wb", buffering=0) as file:
                for _ in range(4):
                    written += file.write(PIECE)
    except OSError:
        pass
    for path in folder.glob("fill-*"):
        path.unlink()
    return written


def attack(tally: Tally) -> None:
    assert boxed()
    for folder in ("/tmp", "/dev/shm", "/dev", "/var/tmp", "/run", "/"):  # noqa: S108
        if os.access(folder, os.W_OK):
            written = fill(Path(folder))
            (tally.did if written >= MOST else tally.limited).append(f"{written // MIB} MiB in {folder}")


play(attack)
