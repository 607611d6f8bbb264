"""Whatever a bot sends, and whenever: its stream may end, its matches may be lost, and nothing else happens.

The bytes are a script of what the attacker does, so that what comes out of a crash can be read and a mutation of it is
another script: a byte says what is done, the bytes after it how.
"""

from __future__ import annotations

from functools import cache

from arena.replay import FaultKind
from arena.v1 import referee_pb2 as pb
from tests.fuzz.targets.desk import Desk, request, turns_in

MOST_STEPS = 60
PLAYED_OUT = 5
"""One script in so many is followed by the rest of all matches, which takes several times as long as the attack."""
TAKE, RAW, HONEST, ANSWERS, TWEAK, WAIT, OTHERS, HELLO = range(8)
"""What a step does, by its first byte modulo 8."""
HELLO_AGAIN = pb.PlayRequest(hello=pb.Hello(protocol=1, name="x", games=[pb.GAME_MANTIS, pb.GAME_TENTAGRAM]))
WILD = (0, 1, 2**31, 2**32 - 1)
"""Numbers that a byte does not reach."""


class Script:
    """The bytes, read from the front. Where they end, everything is zero."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.place = 0

    def byte(self) -> int:
        (value,) = self.bytes(1) or b"\0"
        return value

    def bytes(self, count: int) -> bytes:
        taken = self.data[self.place : self.place + count]
        self.place += count
        return taken

    def number(self) -> int:
        """Mostly small, because those are the numbers that stand for something."""
        value = self.byte()
        return value if value < 256 - len(WILD) else WILD[255 - value]

    @property
    def ended(self) -> bool:
        return self.place >= len(self.data)


class Attack:
    """A script at work."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.desk = Desk()
        self.asked: list[tuple[int, int, int]] = []
        """What the attacker has been asked, and has not tried to answer yet."""

    def run(self) -> Desk:
        for _ in range(MOST_STEPS):
            if self.script.ended:
                break
            self.step(self.script.byte() % 8)
            self.desk.check_books()
        self.desk.cut_off(FaultKind.DISCONNECT)
        self.desk.check_books()  # which say that every match goes on with somebody else, or is over
        return self.desk

    def step(self, what: int) -> None:
        desk, script = self.desk, self.script
        if what == TAKE:
            if script.byte() % 2:
                desk.attacker.release()
            if message := desk.take():
                self.asked += turns_in(message)
        elif what == RAW:
            desk.send(script.bytes(script.byte()))
        elif what == HONEST:
            asked, self.asked = self.asked, []
            desk.send(request(asked).SerializeToString())
        elif what == ANSWERS:
            self.send_answers()
        elif what == TWEAK:
            match, turn, action = script.byte() % 3 - 1, script.byte() % 3 - 1, script.number()
            tweaked = [(max(0, m + match), max(0, t + turn), action or a) for m, t, a in self.asked]
            desk.send(request(tweaked).SerializeToString())
        elif what == WAIT:
            desk.wait(script.byte() / 100)
        elif what == OTHERS:
            desk.play_honestly()
        else:
            desk.send(HELLO_AGAIN.SerializeToString())

    def send_answers(self) -> None:
        """Three lists of numbers, not always equally long."""
        script = self.script
        lengths = script.byte()
        count, uneven = lengths % 16, lengths // 16
        answers = pb.Answers(
            match=[script.number() for _ in range(count)],
            turn=[script.number() for _ in range(count + (uneven == 1))],
            action=[script.number() for _ in range(count + (uneven == 2))],
        )
        self.desk.send(pb.PlayRequest(answers=answers).SerializeToString())


@cache
def undisturbed() -> list[list[tuple[int, str]]]:
    """What the others play when nobody attacks."""
    desk = Desk()
    desk.play_to_the_end()
    return desk.untouched()


def check(data: bytes) -> None:
    desk = Attack(Script(data)).run()
    if len(data) % PLAYED_OUT == 0:
        desk.play_to_the_end()
        desk.check_books()
        desk.check_outcomes()
        assert desk.untouched() == undisturbed()
    for played, expected in zip(desk.untouched(), undisturbed(), strict=True):
        assert played == expected[: len(played)]


def seeds() -> list[bytes]:
    honest = bytes((TAKE, 1, HONEST, OTHERS))
    hello = HELLO_AGAIN.SerializeToString()
    good = request([(1, 1, 1), (2, 2, 16), (3, 2, 1)]).SerializeToString()
    return [
        honest * 12,
        honest * 2 + bytes((TAKE, 1, TWEAK, 1, 1, 99)) + honest,
        honest * 2 + bytes((TAKE, 1, TWEAK, 1, 2, 0, TWEAK, 0, 1, 0)),
        honest + bytes((TAKE, 1, RAW, len(good))) + good + bytes((RAW, len(hello))) + hello,
        honest + bytes((TAKE, 1, WAIT, 60, RAW, 0, WAIT, 60)) + honest,
        honest + bytes((TAKE, 1, WAIT, 150, HONEST)) + honest,
        bytes((TAKE, 1, ANSWERS, 2, 1, 2, 1, 1, 1, 1)) + honest,
        bytes((TAKE, 1, ANSWERS, 17, 1, 1, 1, 1)) + honest,
        honest + bytes((HELLO,)) + honest,
    ]
