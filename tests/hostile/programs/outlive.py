"""Leaves a process behind that has cut all ties: twice forked, in a session of its own, with an empty environment."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.hostile.programs.attacker import MARK, Tally, play

LEAVE = """
import os, sys
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
os.closerange(0, 100)
os.execve("/bin/sleep", [sys.argv[1], "60"], {})
"""


def attack(tally: Tally) -> None:
    tally.attempt("left a process", lambda: subprocess.run([sys.executable, "-S", "-c", LEAVE, MARK], check=True))
    tally.limited, tally.did = tally.did, []  # whether it lives on is seen from outside
    del os.environ["ARENA_TOKEN"]


play(attack)
