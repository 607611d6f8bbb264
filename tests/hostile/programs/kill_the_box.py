"""Attacks what holds it: the first process of its sandbox, and its parent."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from tests.hostile.programs.attacker import Tally, boxed, call, play


def write_memory(pid: int) -> None:
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        if " rw-p " in line:
            with Path(f"/proc/{pid}/mem").open("r+b", buffering=0) as memory:
                memory.seek(int(line.split("-")[0], 16))
                memory.write(memory.read(8))
            return
    raise PermissionError("nothing to write to")


def still_there() -> None:
    os.kill(os.getpid(), 0)
    if not Path("/proc/1/stat").exists():
        raise AssertionError("pid 1 has gone")


def attack(tally: Tally) -> None:
    assert boxed()
    for pid in {1, os.getppid()}:
        for each in (signal.SIGTERM, signal.SIGSEGV, signal.SIGSTOP, signal.SIGKILL):
            # Where it may send it, the kernel keeps it from the first process: then we are still here.
            try:
                os.kill(pid, each)
            except PermissionError:
                tally.refused[f"{each.name} to {pid}"] = "EPERM"
        still_there()
        tally.attempt(f"traced {pid}", lambda pid=pid: call("ptrace", 16, pid, 0, 0))  # type: ignore[misc]
    tally.refused["end of pid 1"] = "it is still there"
    try:
        write_memory(1)
        tally.limited.append("wrote into the memory of pid 1, which has no more rights than the bot")
    except OSError:
        tally.refused["memory of pid 1"] = "refused"


play(attack)
