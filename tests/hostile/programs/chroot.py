"""Breaks out of its root in the classic way, and by handles of files."""

from __future__ import annotations

import os
from pathlib import Path

from tests.hostile.programs.attacker import Tally, boxed, call, play


def escape() -> None:
    Path("/tmp/cell").mkdir(exist_ok=True)  # noqa: S108
    root = os.open("/", os.O_RDONLY)
    try:
        os.chroot("/tmp/cell")  # noqa: S108
        os.fchdir(root)
        for _ in range(64):
            os.chdir("..")
        os.chroot(".")
    finally:
        os.close(root)


def attack(tally: Tally) -> None:
    assert boxed()
    tally.attempt("changed its root", escape)
    tally.attempt("went above its root", lambda: Path("/../../../../etc/passwd").read_bytes())
    tally.attempt("went through /proc/1/root", lambda: Path("/proc/1/root/etc/passwd").read_bytes())
    handle = (8).to_bytes(4, "little") + (1).to_bytes(4, "little") + (2).to_bytes(8, "little")
    tally.attempt("opened a file by its handle", lambda: call("open_by_handle_at", -100, handle, 0))


play(attack)
