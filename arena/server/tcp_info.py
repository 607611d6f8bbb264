"""The kernel's TCP statistics of a remote bot's connection: round-trip time, and whether packets arrive.

Neither the bot nor its gRPC library can influence these numbers, as they could influence pings of our own: a bot cannot
make its network look slower than it is to get more time. Behind a proxy, the connection ends at the proxy.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

OPEN_FILES = Path("/proc/self/fd")
MAX_ROUND_TRIP = 1.0
"""Seconds. A longer round trip is charged to the bot."""
RETRANSMITS_WHEN_LOST = 2
"""Retransmissions in a row without an acknowledgement after which packets count as lost."""

# Of struct tcp_info, to which Linux only appends: retransmits in a row; milliseconds since data and since an
# acknowledgement arrived; microseconds of the minimum round trip of the last minutes.
TCP_INFO_FIELDS = struct.Struct("=2xB49xII88xI")
IPV4_IN_IPV6 = "::ffff:"


class TcpStatus(NamedTuple):
    """The state of a connection. All times are in seconds."""

    round_trip: float
    """0 if it is not known."""
    lost: bool = False
    """Whether packets to the bot are lost."""
    silent: float = 0.0
    """Since anything arrived from the bot's machine."""
    without_data: float = 0.0
    """Since anything but acknowledgements arrived."""


UNKNOWN = TcpStatus(0.0, without_data=float("inf"))


class TcpProbe:
    """Reads the statistics of one gRPC connection."""

    def __init__(self, peer: str) -> None:
        """`peer` is gRPC's name of the other end, such as ipv4:192.0.2.7:1234."""
        family, _, address = unquote(peer).partition(":")
        host, _, port = address.rpartition(":")
        is_tcp = family in ("ipv4", "ipv6") and port.isdecimal()
        self._peer = (host.strip("[]").removeprefix(IPV4_IN_IPV6), int(port)) if is_tcp else None
        self._file = self._find()

    def status(self) -> TcpStatus:
        if self._file is None:
            return UNKNOWN
        try:
            with _borrowed(self._file) as ours:
                if _peer_of(ours) != self._peer:
                    return UNKNOWN  # closed, and the file number belongs to another connection
                info = ours.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TCP_INFO_FIELDS.size)
            retransmits, data, acknowledged, least = TCP_INFO_FIELDS.unpack(info)
        except (OSError, struct.error):
            return UNKNOWN
        return TcpStatus(
            min(MAX_ROUND_TRIP, least / 1e6),
            retransmits >= RETRANSMITS_WHEN_LOST,
            min(data, acknowledged) / 1000,
            data / 1000,
        )

    def _find(self) -> int | None:
        """Return the file descriptor of the connection; gRPC does not say which one it is."""
        if self._peer is None or not hasattr(socket, "TCP_INFO"):
            return None
        try:
            files = [int(path.name) for path in OPEN_FILES.iterdir()]
        except OSError:
            return None  # not Linux
        for file in files:
            try:
                with _borrowed(file) as ours:
                    if _peer_of(ours) == self._peer:
                        return file
            except OSError:
                continue  # not a connected socket
        return None


def _peer_of(ours: socket.socket) -> tuple[str, int] | None:
    peer = ours.getpeername()
    return (str(peer[0]).removeprefix(IPV4_IN_IPV6), peer[1]) if isinstance(peer, tuple) else None


@contextmanager
def _borrowed(file: int) -> Iterator[socket.socket]:
    """Use a socket that belongs to gRPC, without closing it. With copies of descriptors gRPC stopped accepting."""
    ours = socket.socket(fileno=file)
    try:
        yield ours
    finally:
        ours.detach()
