"""Reaches servers on this machine, by TCP and UDP, and looks for a network."""

from __future__ import annotations

import socket

from tests.hostile.programs.attacker import Tally, aim, play


def attack(tally: Tally) -> None:
    port = int(aim("PORT"))
    for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::ffff:127.0.0.1")):
        with socket.socket(family) as tcp:
            tcp.settimeout(10)
            tally.attempt(f"reached {host} by TCP", lambda tcp=tcp, host=host: tcp.connect((host, port)))  # type: ignore[misc]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.settimeout(2)

        def ask() -> None:
            udp.sendto(b"hello", ("127.0.0.1", port))
            udp.recv(100)

        tally.attempt("got an answer by UDP", ask)
    others = [name for _, name in socket.if_nameindex() if name != "lo"]
    if others:
        tally.did.append(f"sees the network {others}")


play(attack)
