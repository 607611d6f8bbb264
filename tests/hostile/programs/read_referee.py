"""Looks into the referee's folder, and tries to put itself in the place of the referee's socket."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from tests.hostile.programs.attacker import Tally, aim, boxed, play


def attack(tally: Tally) -> None:
    found = [path for folder in ("/tmp", "/var/tmp") for path in Path(folder).glob("arena-*/**/*")]  # noqa: S108
    tally.did += [f"saw {path}" for path in found[:3]]
    tally.attempt("read the referee's folder", lambda: list(Path(aim("FOLDER")).iterdir()))
    if not boxed():
        return  # without a sandbox it would succeed, and no match could be played
    place = Path(os.environ["ARENA_ADDRESS"].removeprefix("unix:"))
    tally.attempt("removed the socket", place.unlink)
    tally.attempt("renamed the socket", lambda: place.rename(place.with_name("other")))
    tally.attempt("closed the socket to others", lambda: place.chmod(0o000))
    tally.attempt("put a file beside it", lambda: place.with_name("file").write_text("x"))
    with socket.socket(socket.AF_UNIX) as server:
        tally.attempt("listens beside it", lambda: server.bind(str(place.with_name("second"))))


play(attack)
