"""Keeps more than a thousand connections to the referee open, and says nothing on any of them."""

from __future__ import annotations

import os
import time

from tests.hostile.programs.attacker import Tally, end, play, start

MOST = 1400
FLOOD = """
import os, socket, sys, time
address, until, held = sys.argv[2], time.monotonic() + 12, []
while time.monotonic() < until:
    try:
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(1)
        client.connect(address)
        held.append(client)
    except OSError:
        time.sleep(0.05)
    if len(held) >= 200:
        time.sleep(0.5)
        held = held[100:]
"""


def attack(tally: Tally) -> None:
    address = os.environ["ARENA_ADDRESS"].removeprefix("unix:")
    children = [start(FLOOD, address) for _ in range(MOST // 200)]
    time.sleep(12)
    end(children)
    tally.limited.append(f"up to {MOST} connections")


play(attack)
