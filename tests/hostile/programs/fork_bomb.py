"""Starts processes until it is refused one. They end by themselves."""

from __future__ import annotations

import os

from tests.hostile.programs.attacker import MARK, Tally, boxed, play

MOST = 2000


def attack(tally: Tally) -> None:
    assert boxed()
    count = 0
    try:
        while count < MOST:
            os.posix_spawn("/bin/sleep", [MARK, "30"], {})
            count += 1
    except OSError as error:
        tally.limited.append(f"{count} processes, then {error.strerror}")
        return
    tally.did.append(f"{count} processes")


play(attack)
