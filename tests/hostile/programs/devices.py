"""Makes devices, and opens those of the machine."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from tests.hostile.programs.attacker import Tally, boxed, call, play

USUAL = {"null", "zero", "full", "random", "urandom", "tty", "ptmx", "console"}


def attack(tally: Tally) -> None:
    assert boxed()
    for kind, major, minor in ((stat.S_IFCHR, 1, 1), (stat.S_IFBLK, 8, 0), (stat.S_IFBLK, 254, 0)):
        number = os.makedev(major, minor)
        tally.attempt(f"made {major}:{minor}", lambda kind=kind, number=number: os.mknod("/tmp/d", kind, number))  # type: ignore[misc]  # noqa: S108
    named = ("kmsg", "mem", "kvm", "fuse", "net/tun", "sda", "vda", "nvme0n1", "loop0", "loop-control", "vsock")
    for path in (*(Path("/dev", name) for name in named), *Path("/dev").iterdir()):
        mode = path.stat().st_mode if path.exists() else stat.S_IFCHR
        if path.name not in USUAL and not path.is_symlink() and (stat.S_ISCHR(mode) or stat.S_ISBLK(mode)):
            tally.attempt(f"opened {path}", lambda path=path: os.close(os.open(path, os.O_RDONLY)))  # type: ignore[misc]
    tally.attempt("opened the terminal", lambda: os.close(os.open("/dev/tty", os.O_RDWR)))
    tally.attempt("read the kernel's log", lambda: call("syslog", 10, 0, 0))


play(attack)
