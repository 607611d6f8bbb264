"""Opens thousands of streams to the referee on one connection, and leaves them open."""

from __future__ import annotations

import time

from tests.hostile.programs.attacker import Tally, play
from tests.hostile.programs.h2 import Wire

MOST = 4000
WATCH = "/grpc.health.v1.Health/Watch"


def attack(tally: Tally) -> None:
    wire = Wire()
    try:
        for stream in range(1, 2 * MOST, 2):
            wire.open(stream, WATCH)
            wire.data(stream, b"\0" * 5, last=True)
            if not stream % 101:
                wire.listen()
        until = time.monotonic() + 10
        while time.monotonic() < until and len(wire.served) + len(wire.refused) < MOST:
            wire.listen()
    except OSError as error:
        tally.refused["more"] = str(error)
    served = len(wire.served - wire.refused)
    wire.socket.close()
    (tally.did if served > MOST // 2 else tally.limited).append(f"{served} streams were open at once")


play(attack)
