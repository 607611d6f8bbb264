"""Takes 1.5 GiB of memory, in one process."""

from __future__ import annotations

import time

from tests.hostile.programs.attacker import MIB, Tally, boxed, play


def attack(tally: Tally) -> None:
    assert boxed()
    held = []
    for _ in range(48):
        held.append(b"x" * (32 * MIB))
        time.sleep(0.1)
    tally.did.append("1.5 GiB in one process")


play(attack)
