"""Thinks without end, and sends empty messages so that its clock starts again."""

from __future__ import annotations

import time

from arena.v1 import referee_pb2 as pb
from tests.hostile.programs.attacker import Tally
from tests.hostile.programs.raw import Raw


class Stalls(Raw):
    def answer(self, turn: int, message: pb.PlayRequest) -> None:
        if turn == 2:
            began, used = time.monotonic(), time.process_time()
            while time.process_time() - used < 4.5 and time.monotonic() - began < 60:
                spin = time.process_time()
                while time.process_time() - spin < 0.2:
                    pass
                self.outgoing.put(pb.PlayRequest(answers=pb.Answers()).SerializeToString())
                time.sleep(0.02)  # so that it is sent
        super().answer(turn, message)

    def match_over(self, *, forfeited: bool) -> None:
        Tally(did=[] if forfeited else ["played to the end"]).say()


Stalls().run()
