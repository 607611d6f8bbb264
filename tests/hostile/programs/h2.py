"""As much of HTTP/2 as it takes to misuse it: a library would keep to what the referee allows."""

from __future__ import annotations

import os
import socket
import struct

FRAME = 16384
DATA, HEADERS, RESET, SETTINGS, PING, AWAY, WINDOW = 0, 1, 3, 4, 6, 7, 8
FIRST_WINDOW = 65535


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + payload


def _field(name: str, value: str) -> bytes:
    return b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()


class Wire:
    """A connection to the referee, with the windows that it has granted."""

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(5)
        self.socket.connect(os.environ["ARENA_ADDRESS"].removeprefix("unix:"))
        self.socket.settimeout(0.2)
        self.windows: dict[int, int] = {}
        self.window = FIRST_WINDOW
        self.served: set[int] = set()
        self.refused: set[int] = set()
        self._initial = FIRST_WINDOW
        self._received = b""
        self.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0))

    def send(self, data: bytes) -> None:
        """Send all data, however slowly it is received."""
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[self.socket.send(rest) :]
            except TimeoutError:
                self.listen()

    def open(self, stream: int, path: str) -> None:
        fields = {":method": "POST", ":scheme": "http", ":path": path, ":authority": "x"}
        fields |= {"content-type": "application/grpc", "te": "trailers"}
        self.windows[stream] = self._initial
        self.send(frame(HEADERS, 4, stream, b"".join(_field(*each) for each in fields.items())))

    def room(self, stream: int) -> bool:
        return min(self.window, self.windows[stream]) > FRAME

    def data(self, stream: int, payload: bytes, *, last: bool = False) -> None:
        self.windows[stream] -= len(payload)
        self.window -= len(payload)
        self.send(frame(DATA, int(last), stream, payload))

    def listen(self) -> None:
        """Read what has arrived. Raise `OSError` if the referee has closed the connection."""
        try:
            data = self.socket.recv(65536)
        except TimeoutError:
            return
        if not data:
            raise ConnectionResetError("the referee has hung up")
        self._received += data
        while len(self._received) >= 9 + (length := int.from_bytes(self._received[:3], "big")):
            kind, flags = self._received[3], self._received[4]
            stream, payload = int.from_bytes(self._received[5:9], "big"), self._received[9 : 9 + length]
            self._received = self._received[9 + length :]
            self._take(kind, flags, stream, payload)
            if len(self._received) < 9:
                break

    def _take(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        if kind == SETTINGS and not flags & 1:
            for at in range(0, len(payload), 6):
                if payload[at : at + 2] == b"\0\4":
                    new = int.from_bytes(payload[at + 2 : at + 6], "big")
                    self.windows = {each: left + new - self._initial for each, left in self.windows.items()}
                    self._initial = new
            self.socket.sendall(frame(SETTINGS, 1, 0))
        elif kind == PING and not flags & 1:
            self.socket.sendall(frame(PING, 1, 0, payload))
        elif kind == WINDOW and stream:
            self.windows[stream] = self.windows.get(stream, 0) + int.from_bytes(payload, "big")
        elif kind == WINDOW:
            self.window += int.from_bytes(payload, "big")
        elif kind == HEADERS and not flags & 1:
            self.served.add(stream)
        elif kind in (RESET, HEADERS):  # headers with which the stream ends: an error
            self.windows[stream] = 0
            self.refused.add(stream)
