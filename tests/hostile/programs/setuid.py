"""Looks for more rights in programs that give them: its own, and the system's."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from tests.hostile.programs.attacker import Tally, boxed, play


def as_root(program: str) -> None:
    done = subprocess.run([program, "-u"], capture_output=True, text=True, check=True, timeout=30)
    if done.stdout.strip() != "0":
        raise PermissionError(f"it runs as {done.stdout.strip()}")


def own() -> None:
    shutil.copy("/usr/bin/id", "/tmp/id")  # noqa: S108
    os.chown("/tmp/id", 0, 0)  # noqa: S108
    Path("/tmp/id").chmod(0o4755)  # noqa: S108
    as_root("/tmp/id")  # noqa: S108


def attack(tally: Tally) -> None:
    assert boxed()
    tally.attempt("ran its own as root", own)
    status = dict(line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":\t" in line)
    if status["NoNewPrivs"] != "1":
        tally.did.append("programs may give it more rights")
    for name in ("CapEff", "CapPrm", "CapBnd", "CapInh", "CapAmb"):
        if name != "CapBnd" and int(status[name], 16):
            tally.did.append(f"has {name} {status[name]}")
    tally.attempt("became root", lambda: os.setresuid(0, 0, 0))
    tally.attempt("joined the group of root", lambda: os.setgroups([0]))
    if 0 in (os.getuid(), os.getgid(), *os.getgroups()):
        tally.did.append("is root, or in its group")


play(attack)
