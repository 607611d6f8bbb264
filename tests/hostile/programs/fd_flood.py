"""Opens files until it is refused one, in ten processes."""

from __future__ import annotations

import os

from tests.hostile.programs.attacker import Tally, boxed, end, play, start

MOST = 5000
FLOOD = f"""
import os, time
try:
    for _ in range({MOST}): os.open("/dev/null", os.O_RDONLY)
except OSError: pass
time.sleep(3)
"""


def attack(tally: Tally) -> None:
    assert boxed()
    children = [start(FLOOD) for _ in range(10)]
    files: list[int] = []
    try:
        while len(files) < MOST:
            files.append(os.open("/dev/null", os.O_RDONLY))
        tally.did.append(f"{len(files)} open files")
    except OSError as error:
        tally.limited.append(f"{len(files)} open files, then {error.strerror}")
    for file in files:
        os.close(file)
    end(children)


play(attack)
