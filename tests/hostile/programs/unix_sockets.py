"""Reaches unix sockets of others: one with a name in the kernel's own space, one that is a file."""

from __future__ import annotations

import socket

from tests.hostile.programs.attacker import Tally, aim, play


def attack(tally: Tally) -> None:
    for address in (f"\0{aim('ABSTRACT')}", aim("SOCKET")):
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(10)
            tally.attempt(
                f"reached {address.lstrip(chr(0))}",
                lambda client=client, address=address: client.connect(address),  # type: ignore[misc]
            )
    unusual = {"packet": (17, 3), "vsock": (40, 1), "alg": (38, 5), "bluetooth": (31, 3), "raw": (2, 3)}
    for name, (family, kind) in unusual.items():
        if family != socket.AF_INET:
            tally.attempt(f"opened a socket for {name}", lambda f=family, k=kind: socket.socket(f, k).close())  # type: ignore[misc]


play(attack)
