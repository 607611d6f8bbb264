"""Prints 100 MB."""

from __future__ import annotations

import os
import sys

from tests.hostile.programs.attacker import Tally, play

PIECE = (b"y" * 999 + b"\n") * 100


def attack(tally: Tally) -> None:
    written = 0
    while written < 100_000_000:
        written += os.write(sys.stderr.fileno(), PIECE)
    tally.limited.append("100 MB were taken, and the end of it kept")


play(attack)
