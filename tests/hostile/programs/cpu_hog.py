"""Keeps six processes busy while others think, until they have used 2.4 seconds of processor time."""

from __future__ import annotations

import resource
import time

from tests.hostile.programs.attacker import Tally, end, play, start

SPIN = "import time\nwhile time.process_time() < 0.4: pass"


def attack(tally: Tally) -> None:
    began = time.monotonic()
    children = [start(SPIN) for _ in range(6)]
    for child in children:
        child.wait()
    end(children)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cores = (used.ru_utime + used.ru_stime) / (time.monotonic() - began)
    tally.limited.append(f"{cores:.1f} cores")  # whether it was held back is seen from outside


play(attack)
