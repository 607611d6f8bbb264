"""Floods the referee with messages that say nothing."""

from __future__ import annotations

from arena.v1 import referee_pb2 as pb
from tests.hostile.programs.attacker import Tally
from tests.hostile.programs.raw import Raw


class Babbles(Raw):
    def answer(self, turn: int, message: pb.PlayRequest) -> None:
        if turn == 1:
            for _ in range(5_000):
                self.outgoing.put(pb.PlayRequest(answers=pb.Answers()).SerializeToString())
        super().answer(turn, message)

    def match_over(self, *, forfeited: bool) -> None:
        del forfeited
        Tally(limited=["5,000 empty messages"]).say()


Babbles().run()
