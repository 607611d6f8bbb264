"""Breaks the protocol, so that the referee no longer waits for it, then takes 1.5 GiB of memory during the match."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator

import grpc

from arena.v1 import referee_pb2 as pb
from tests.hostile.programs.attacker import MIB, Tally


def bomb() -> None:
    held = []
    for _ in range(48):
        held.append(b"x" * (32 * MIB))
        time.sleep(0.04)
    tally = Tally()
    tally.did.append("1.5 GiB while the others played on")
    tally.say()


def main() -> None:
    hello = pb.Hello(protocol=1, token=os.environ["ARENA_TOKEN"], name="attacker", games=[pb.GAME_MANTIS])
    asked = threading.Event()

    def messages() -> Iterator[bytes]:
        yield pb.PlayRequest(hello=hello).SerializeToString()
        asked.wait()
        yield b"\xff\xff\xff\xff garbage"
        time.sleep(60)

    channel = grpc.insecure_channel(os.environ["ARENA_ADDRESS"], options=[("grpc.enable_http_proxy", 0)])
    try:
        for data in channel.stream_stream("/arena.v1.Referee/Play", None, None)(messages()):
            if pb.PlayResponse.FromString(data).mantis_turns:
                asked.set()
                time.sleep(0.5)
                bomb()
    except grpc.RpcError:
        bomb()


main()
