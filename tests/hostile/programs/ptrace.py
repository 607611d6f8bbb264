"""Traces other processes, and reads and writes their memory."""

from __future__ import annotations

import ctypes
import os

from tests.hostile.programs.attacker import Tally, aim, boxed, call, end, play, start

SEIZE, INTERRUPT, DETACH = 0x4206, 0x4207, 17
ALL_CHILDREN = 0x40000000


def trace(pid: int) -> None:
    call("ptrace", SEIZE, pid, 0, 0)
    call("ptrace", INTERRUPT, pid, 0, 0)
    os.waitpid(pid, ALL_CHILDREN)
    call("ptrace", DETACH, pid, 0, 0)


def read_memory(pid: int) -> None:
    buffer = ctypes.create_string_buffer(8)

    class Vector(ctypes.Structure):
        _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))

    here = Vector(ctypes.addressof(buffer), 8)
    call("process_vm_readv", pid, ctypes.addressof(here), 1, ctypes.addressof(here), 1, 0)


def attack(tally: Tally) -> None:
    victim = int(aim("VICTIM"))
    tally.attempt("traced the victim", lambda: trace(victim))
    if boxed():
        child = start("import time; time.sleep(20)")
        for pid in (1, os.getppid(), child.pid):
            tally.attempt(f"traced {pid}", lambda pid=pid: trace(pid))  # type: ignore[misc]
            tally.attempt(f"read the memory of {pid}", lambda pid=pid: read_memory(pid))  # type: ignore[misc]
        end([child])


play(attack)
