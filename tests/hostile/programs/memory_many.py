"""Takes 1.5 GiB of memory, in 30 processes that each stay below the limit."""

from __future__ import annotations

import time

from tests.hostile.programs.attacker import Tally, boxed, end, play, start

TAKE = "import time; held = b'x' * (50 << 20); time.sleep(20)"


def attack(tally: Tally) -> None:
    assert boxed()
    children = []
    for _ in range(30):
        children.append(start(TAKE))
        time.sleep(0.15)
    alive = sum(child.poll() is None for child in children)
    end(children)
    if alive == len(children):
        tally.did.append("1.5 GiB in 30 processes")
    else:
        tally.limited.append(f"{len(children) - alive} of {len(children)} processes were ended")


play(attack)
