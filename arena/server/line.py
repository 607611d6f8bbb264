"""What the kernel knows of the way to a guest: how long it takes, and whether anything still arrives there.

Neither the bot's program nor its library has a say in this, as they would have in pings of our own: a bot that wants to
think for longer cannot make its way look longer than it is. What stands between us and the bot, a proxy for instance,
is the end of the way that the kernel sees.
"""

from __future__ import annotations

import socket
import struct
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

FILES = Path("/proc/self/fd")
MOST_CREDITED = 1.0
"""Seconds: a way that takes longer is the bot's own affair."""
LOST_AFTER = 2
"""So often in a row what was sent must have been sent again, and not have arrived, for a line to be called dead."""

# Of struct tcp_info, which Linux only ever adds to: timeouts in a row; milliseconds since data and since anything else
# arrived; microseconds of the least round trip of the last minutes.
INFO = struct.Struct("=2xB49xII88xI")
MAPPED = "::ffff:"
"""So an address of the older kind begins on a socket that is for both."""


class Condition(NamedTuple):
    """How a line is doing."""

    round_trip: float
    """Seconds to the bot and back; 0 where that cannot be known."""
    dead: bool = False
    """Whether nothing arrives there."""
    silent: float = 0.0
    """For how many seconds nothing has come from there."""
    wordless: float = 0.0
    """For how many seconds nothing has come but receipts for what we sent."""


UNKNOWN = Condition(0.0, wordless=float("inf"))


class Line:
    """The connection of one guest, below gRPC."""

    def __init__(self, peer: str) -> None:
        """`peer`: as gRPC says it, for instance ipv4:192.0.2.7:1234."""
        family, _, address = unquote(peer).partition(":")
        host, _, port = address.rpartition(":")
        is_known = family in ("ipv4", "ipv6") and port.isdecimal()
        self._peer = (host.strip("[]").removeprefix(MAPPED), int(port)) if is_known else None
        self._family = -1
        self._file = self._find()

    def condition(self) -> Condition:
        """How it is doing now."""
        if self._file is None:
            return UNKNOWN
        try:
            with _Borrowed(self._file, self._family) as ours:
                if _peer_of(ours) != self._peer:
                    return UNKNOWN  # it is closed, and the number is another file's
                info = ours.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, INFO.size)
            timeouts, data, receipt, least = INFO.unpack(info)
        except (OSError, struct.error):
            return UNKNOWN
        return Condition(
            min(MOST_CREDITED, least / 1e6), timeouts >= LOST_AFTER, min(data, receipt) / 1000, data / 1000
        )

    def _find(self) -> int | None:
        if self._peer is None or not hasattr(socket, "TCP_INFO"):
            return None
        try:
            files = [int(path.name) for path in FILES.iterdir()]
        except OSError:
            return None  # not a Linux
        for file in files:
            try:
                with _Borrowed(file) as ours:
                    if _peer_of(ours) == self._peer:
                        self._family = ours.family
                        return file
            except OSError:
                continue  # not a socket, or not one that is connected
        return None


def _peer_of(ours: socket.socket) -> tuple[str, int] | None:
    peer = ours.getpeername()
    return (str(peer[0]).removeprefix(MAPPED), peer[1]) if isinstance(peer, tuple) else None


class _Borrowed:
    """A socket that is gRPC's: used, and never closed."""

    def __init__(self, file: int, family: int = -1) -> None:
        """What kind it is need not be found out where it is known."""
        self.socket = socket.socket(family, -1 if family == -1 else socket.SOCK_STREAM, -1 if family == -1 else 0, file)

    def __enter__(self) -> socket.socket:
        return self.socket

    def __exit__(self, *_: object) -> None:
        self.socket.detach()
