"""A bad line, as a program: passes frames from one network interface to another and back, late, and not all of them.

    python -m tests.tournament.runners.dask.wire HERE THERE SECONDS LOSS

It is for kernels without tc's netem: below TCP, so that what is lost is really lost, and TCP has to send it again.
SIGTERM ends it, and then it says how many frames it had and how many of them it has lost.
"""

from __future__ import annotations

import ctypes
import fcntl
import selectors
import signal
import socket
import struct
import sys
import time
from collections import deque
from contextlib import suppress
from random import Random

EVERY_PROTOCOL = 0x0003
LARGEST_FRAME = 65_536
SIOCETHTOOL = 0x8946
OFFLOADS = (0x17, 0x1F, 0x24)
"""ETHTOOL_STXCSUM, ETHTOOL_STSO, ETHTOOL_SGSO"""


def finish_frames(interface: str) -> None:
    """Lets the kernel finish frames before it sends them: it would leave checksums to hardware, which is not there."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for command in OFFLOADS:
            value = (ctypes.c_uint32 * 2)(command, 0)
            fcntl.ioctl(any_socket, SIOCETHTOOL, struct.pack("16sP", interface.encode(), ctypes.addressof(value)))


class Wire:
    """Both directions of the line."""

    def __init__(self, here: str, there: str, seconds: float, loss: float) -> None:
        self.ends = [socket.socket(socket.AF_PACKET, socket.SOCK_RAW) for _ in (here, there)]
        for end, name in zip(self.ends, (here, there), strict=True):
            end.bind((name, EVERY_PROTOCOL))
            end.setblocking(False)
        self.seconds = seconds
        self.loss = loss
        self.random = Random("wire")
        self.under_way: deque[tuple[float, socket.socket, bytes]] = deque()
        self.frames = 0
        self.lost = 0

    def run(self) -> None:
        with selectors.DefaultSelector() as selector:
            for end, other in (self.ends, self.ends[::-1]):
                selector.register(end, selectors.EVENT_READ, other)
            while True:
                wait = max(0.0, self.under_way[0][0] - time.monotonic()) if self.under_way else None
                for key, _ in selector.select(wait):
                    self._take(key.fileobj, key.data)  # type: ignore[arg-type]  # these are our own
                self._pass_on()

    def _take(self, end: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):  # there is no more, or the line is cut
            while True:
                frame, sender = end.recvfrom(LARGEST_FRAME)
                if sender[2] == socket.PACKET_OUTGOING:
                    continue  # sent from this side
                self.frames += 1
                if self.random.random() < self.loss:
                    self.lost += 1
                else:
                    self.under_way.append((time.monotonic() + self.seconds, other, frame))

    def _pass_on(self) -> None:
        while self.under_way and self.under_way[0][0] <= time.monotonic():
            _, end, frame = self.under_way.popleft()
            try:
                end.send(frame)
            except OSError:  # the line is cut, or there is no room
                self.lost += 1


def main() -> None:
    here, there, seconds, loss = sys.argv[1:]
    wire = Wire(here, there, float(seconds), float(loss))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    print("up", flush=True)
    try:
        wire.run()
    finally:
        print(f"{wire.frames} {wire.lost}", flush=True)


if __name__ == "__main__":
    main()
