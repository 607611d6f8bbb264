"""Two hosts in network namespaces with a line between them that can be slow, lose packets, or be cut.

The kernel's own means for this, netem, is not in every kernel. So the packets pass through us: each host has a tun
device, and a thread carries what comes out of one into the other, later or never. Needs root.
"""

from __future__ import annotations

import fcntl
import heapq
import os
import select
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

TUNSETIFF = 0x400454CA
TUN, NO_INFO = 0x0001, 0x1000
MOST_BYTES = 65536


def ip(*words: str, check: bool = True) -> None:
    subprocess.run(("ip", *words), check=check, capture_output=True)


class SlowLine:
    """The line. Everything about it may be changed while it is used."""

    def __init__(self) -> None:
        self.delay = 0.0
        """Seconds, each way."""
        self.loss = 0.0
        """The share of packets that never arrive."""
        self.is_cut = False
        self.here, self.there = (f"arena{os.getpid() % 100000}{end}" for end in "ab")
        """The namespaces of the two hosts."""
        self.address_here, self.address_there = "10.213.9.1", "10.213.9.2"
        self._luck = Random(1)
        self._ended = threading.Event()

    def open(self) -> None:
        self._ends = []
        for space, ours, other in (
            (self.here, self.address_here, self.address_there),
            (self.there, self.address_there, self.address_here),
        ):
            ip("netns", "add", space)
            end = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
            self._ends.append(end)
            fcntl.ioctl(end, TUNSETIFF, struct.pack("16sH22x", space.encode(), TUN | NO_INFO))
            ip("link", "set", space, "netns", space)
            ip("-n", space, "link", "set", "lo", "up")
            ip("-n", space, "addr", "add", ours, "peer", other, "dev", space)
            ip("-n", space, "link", "set", space, "up")
        self._thread = threading.Thread(target=self._carry)
        self._thread.start()

    def close(self) -> None:
        self._ended.set()
        if hasattr(self, "_thread"):
            self._thread.join()
        for end in self._ends:
            os.close(end)
        for space in (self.here, self.there):
            ip("netns", "del", space, check=False)

    def _carry(self) -> None:
        under_way: list[tuple[float, int, int, bytes]] = []
        count = 0
        while not self._ended.is_set():
            wait = min(0.05, max(0.0, under_way[0][0] - time.monotonic())) if under_way else 0.05
            for end in select.select(self._ends, [], [], wait)[0]:
                packet = os.read(end, MOST_BYTES)
                if not self.is_cut and self._luck.random() >= self.loss:
                    count += 1
                    other = self._ends[1 - self._ends.index(end)]
                    heapq.heappush(under_way, (time.monotonic() + self.delay, count, other, packet))
            while under_way and under_way[0][0] <= time.monotonic():
                _, _, end, packet = heapq.heappop(under_way)
                if not self.is_cut:
                    os.write(end, packet)


@contextmanager
def slow_line() -> Iterator[SlowLine]:
    line = SlowLine()
    try:
        line.open()
        yield line
    finally:
        line.close()
