"""A bot that plays well at first and does not go when it should, or does not listen, as its first argument says.

Its second argument is a tag by which a test finds it and what it has started. It stops by itself after a while, so that
a failing test leaves nothing behind for ever.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from queue import SimpleQueue

import grpc

from arena.v1 import referee_pb2 as pb

LIFE = 300.0
"""Seconds after which it ends in any case."""
MODES_THAT_DO_NOT_LISTEN = ("never-reads", "no-window", "freezes", "one-answer")


def hello() -> bytes:
    said = pb.Hello(protocol=1, token=os.environ["ARENA_TOKEN"], name="stubborn", games=[pb.GAME_MANTIS])
    return pb.PlayRequest(hello=said).SerializeToString()


def play(mode: str, tag: str) -> None:
    outgoing: SimpleQueue[bytes] = SimpleQueue()

    def messages() -> Iterator[bytes]:
        while True:
            yield outgoing.get()

    channel = grpc.insecure_channel(os.environ["ARENA_ADDRESS"], options=[("grpc.enable_http_proxy", 0)])
    outgoing.put(hello())
    answers = channel.stream_stream("/arena.v1.Referee/Play", None, None)(messages())
    if mode == "never-reads":
        time.sleep(LIFE)
    answered = 0
    for data in answers:
        for turn in pb.PlayResponse.FromString(data).mantis_turns:
            if answered == 0 and mode == "outlives":
                child = (sys.executable, "-c", f"import time; time.sleep({LIFE})", tag)
                subprocess.Popen(child, start_new_session=True)
            if answered == 1 and mode == "one-answer":
                time.sleep(LIFE)
            if answered == 1 and mode == "freezes":
                os.kill(os.getpid(), signal.SIGSTOP)
            answer = pb.Answers(match=[turn.match], turn=[turn.turn], action=[turn.legal[0]])
            outgoing.put(pb.PlayRequest(answers=answer).SerializeToString())
            answered += 1


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    """A frame of HTTP/2."""
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def header(name: bytes, value: bytes) -> bytes:
    """A header as HPACK writes it without tables and compression."""
    return b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value


def open_a_stream_without_a_window() -> None:
    """Says hello over bare HTTP/2 and leaves the referee no room to send even a single byte."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(os.environ["ARENA_ADDRESS"].removeprefix("unix:"))
    headers = b"".join(
        header(name, value)
        for name, value in (
            (b":method", b"POST"),
            (b":scheme", b"http"),
            (b":path", b"/arena.v1.Referee/Play"),
            (b":authority", b"localhost"),
            (b"te", b"trailers"),
            (b"content-type", b"application/grpc"),
        )
    )
    no_window = b"\x00\x04" + bytes(4)  # SETTINGS_INITIAL_WINDOW_SIZE is 0
    message = b"\x00" + len(hello()).to_bytes(4, "big") + hello()
    connection.sendall(
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        + frame(4, 0, 0, no_window)
        + frame(4, 1, 0, b"")  # the referee's settings are fine
        + frame(1, 4, 1, headers)
        + frame(0, 0, 1, message)
    )
    time.sleep(LIFE)


def burn() -> None:
    until = time.monotonic() + LIFE
    while time.monotonic() < until:
        pass


def run(mode: str, tag: str) -> None:
    death = threading.Timer(LIFE, os._exit, [1])
    death.daemon = True
    death.start()
    if mode != "honest":
        for sign in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(sign, signal.SIG_IGN)
    if mode == "burns":
        threading.Thread(target=burn, daemon=True).start()
    if mode == "comes-late":
        time.sleep(2.0)
    if mode == "no-window":
        open_a_stream_without_a_window()
    with suppress(grpc.RpcError):  # when its stream is closed
        play(mode, tag)
    if mode != "honest":
        time.sleep(LIFE)


if __name__ == "__main__":
    run(*sys.argv[1:3])
