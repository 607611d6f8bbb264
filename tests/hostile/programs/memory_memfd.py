"""Takes 0.5 GiB of memory, in memory files that no process maps."""

from __future__ import annotations

import os
import time

from tests.hostile.programs.attacker import MIB, Tally, boxed, play

PIECE = b"x" * MIB


def attack(tally: Tally) -> None:
    assert boxed()
    files = []
    for _ in range(32):
        files.append(os.memfd_create("bomb"))
        for _ in range(16):
            os.write(files[-1], PIECE)
        time.sleep(0.03)
    for file in files:
        os.close(file)
    tally.did.append("0.5 GiB in memfd")


play(attack)
