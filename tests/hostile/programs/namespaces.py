"""Makes namespaces of its own, in which it would be root, or enters those of others."""

from __future__ import annotations

import os
from pathlib import Path

from tests.hostile.programs.attacker import Tally, boxed, call, play

KINDS = {"user": 0x10000000, "mount": 0x20000, "pid": 0x20000000, "net": 0x40000000, "ipc": 0x8000000, "time": 0x80}
SIGCHLD = 17


def clone(flags: int) -> None:
    pid = call("clone", flags | SIGCHLD, 0, 0, 0, 0)
    if not pid:
        os._exit(0)
    os.waitpid(pid, 0)


def clone3(flags: int) -> None:
    arguments = b"".join(word.to_bytes(8, "little") for word in (flags, 0, 0, 0, SIGCHLD, 0, 0, 0))
    pid = call("clone3", arguments, len(arguments))
    if not pid:
        os._exit(0)
    os.waitpid(pid, 0)


def enter(name: str) -> None:
    file = os.open(f"/proc/1/ns/{name}", os.O_RDONLY)
    try:
        call("setns", file, 0)
    finally:
        os.close(file)


def attack(tally: Tally) -> None:
    assert boxed()
    for name, flag in KINDS.items():
        for flags in (flag, flag | KINDS["user"]):
            tally.attempt(f"unshared {name}", lambda flags=flags: call("unshare", flags))  # type: ignore[misc]
            tally.attempt(f"cloned {name}", lambda flags=flags: clone(flags))  # type: ignore[misc]
            tally.attempt(f"cloned {name} by clone3", lambda flags=flags: clone3(flags))  # type: ignore[misc]
    for path in Path("/proc/self/ns").iterdir():
        tally.attempt(f"entered {path.name}", lambda path=path: enter(path.name))  # type: ignore[misc]


play(attack)
