"""Starts threads until it is refused one. They end by themselves."""

from __future__ import annotations

import threading
import time

from tests.hostile.programs.attacker import Tally, boxed, play

MOST = 2000


def attack(tally: Tally) -> None:
    assert boxed()
    threading.stack_size(64 * 1024)
    count = 0
    try:
        while count < MOST:
            threading.Thread(target=time.sleep, args=(3,), daemon=True).start()
            count += 1
    except RuntimeError as error:
        tally.limited.append(f"{count} threads, then: {error}")
        return
    tally.did.append(f"{count} threads")


play(attack)
