"""Sends messages of 60 MiB on twenty streams at once, without a hello, and keeps the last bytes of each to itself."""

from __future__ import annotations

import struct
import time

from tests.hostile.programs.attacker import MIB, Tally, play
from tests.hostile.programs.h2 import FRAME, Wire
from tests.hostile.programs.raw import PLAY

STREAMS = 20
SIZE = 60 * MIB
PIECE = b"\0" * FRAME


def attack(tally: Tally) -> None:
    wire = Wire()
    sent = dict.fromkeys(range(1, 2 * STREAMS, 2), 0)
    until = time.monotonic() + 3
    try:
        for stream in sent:
            wire.open(stream, PLAY)
        while time.monotonic() < until and sum(sent.values()) < STREAMS * SIZE:
            for stream in sent:
                while wire.room(stream) and sent[stream] < SIZE:
                    first = b"\0" + struct.pack(">I", SIZE + 1000)
                    wire.data(stream, PIECE if sent[stream] else first + PIECE[5:])
                    sent[stream] += FRAME
            wire.listen()
        time.sleep(1)
    except OSError as error:
        tally.refused["more"] = str(error)
    wire.socket.close()
    tally.limited.append(f"the referee took {sum(sent.values()) // MIB} MiB")  # whether it grew is seen from outside


play(attack)
