"""A bot that misbehaves in the way its argument names. It speaks raw gRPC, because the SDK would not let it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from queue import SimpleQueue

import grpc

from arena.v1 import referee_pb2 as pb

ANSWERS_BEFORE_IT_GOES_WRONG = 3
CHILD = ["sleep", "314.15"]
"""The child process it leaves behind; no other process has the same command."""


def burn(seconds: float) -> None:
    """Uses that much processor time, however long it takes."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


class Naughty:
    def __init__(self, mode: str) -> None:
        self.mode = mode
        self.answered = 0
        self.outgoing: SimpleQueue[bytes | None] = SimpleQueue()

    def hello(self) -> pb.Hello:
        return pb.Hello(
            protocol=9 if self.mode == "other-protocol" else 1,
            token="stolen" if self.mode == "wrong-token" else os.environ["ARENA_TOKEN"],
            name="naughty",
            games=[] if self.mode == "no-games" else [pb.GAME_MANTIS],
            matches_at_once=1 if self.mode == "one-at-a-time" else 0,
        )

    def run(self) -> None:
        if self.mode == "crash-at-start":
            sys.exit("I do not feel like it.")
        if self.mode == "never-hello":
            time.sleep(60)
        if self.mode == "ignore-sigterm":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if self.mode == "leave-children":
            subprocess.Popen(CHILD)
            subprocess.Popen(["setsid", *CHILD])
        if self.mode == "megabytes-on-stderr":
            for _ in range(200):
                sys.stderr.write("x" * 50_000 + "\n")
        options = [("grpc.max_send_message_length", -1), ("grpc.enable_http_proxy", 0)]
        channel = grpc.insecure_channel(os.environ["ARENA_ADDRESS"], options=options)
        play = channel.stream_stream("/arena.v1.Referee/Play", None, None)
        self.send(pb.PlayRequest(hello=self.hello()))
        try:
            for data in play(self.messages()):
                self.handle(pb.PlayResponse.FromString(data))
        except grpc.RpcError as error:
            print("stream:", error.code(), file=sys.stderr)
        if self.mode == "ignore-sigterm":
            time.sleep(60)

    def messages(self) -> Iterator[bytes]:
        while (message := self.outgoing.get()) is not None:
            yield message

    def send(self, request: pb.PlayRequest) -> None:
        self.outgoing.put(request.SerializeToString())

    def handle(self, message: pb.PlayResponse) -> None:
        for fault in message.faults:
            print("fault:", fault.kind, fault.detail, file=sys.stderr, flush=True)
        for turn in message.mantis_turns:
            answers = pb.Answers(match=[turn.match], turn=[turn.turn], action=[turn.legal[0]])
            if self.answered >= ANSWERS_BEFORE_IT_GOES_WRONG:
                self.go_wrong(answers)
            else:
                self.send(pb.PlayRequest(answers=answers))
            self.answered += 1

    def go_wrong(self, answers: pb.Answers) -> None:  # noqa: C901 - a list of sins, one case each
        good = pb.PlayRequest(answers=answers)
        match self.mode:
            case "crash":
                print("about to crash", file=sys.stderr, flush=True)
                os.kill(os.getpid(), signal.SIGSEGV)
            case "exit":
                os._exit(3)
            case "sleep":
                time.sleep(60)
            case "slow-once":
                if self.answered == ANSWERS_BEFORE_IT_GOES_WRONG:
                    burn(1.5)
                self.send(good)
            case "illegal":
                good.answers.action[0] = 16 + 5
                self.send(good)
            case "no-such-action":
                good.answers.action[0] = 4711
                self.send(good)
            case "another-match":
                good.answers.match[0] = 4711
                self.send(good)
            case "answer-twice":
                self.send(good)
                self.send(good)
            case "wrong-turn":
                good.answers.turn[0] += 100
                self.send(good)
            case "uneven-lists":
                good.answers.turn.append(1)
                self.send(good)
            case "second-hello":
                self.send(pb.PlayRequest(hello=self.hello()))
            case "garbage":
                self.outgoing.put(b"\xff\xff\xff\xff garbage")
            case "empty":
                self.outgoing.put(b"")
            case "huge":
                self.outgoing.put(b"\x00" * 10_000_000)
            case "flood":
                for _ in range(20_000):
                    self.send(good)
            case "hang-up":
                self.outgoing.put(None)
                time.sleep(60)
            case _:
                self.send(good)


if __name__ == "__main__":
    Naughty(sys.argv[1]).run()
