"""Asks the kernel for a ring, through which system calls would go past the filter."""

from __future__ import annotations

import ctypes

from tests.hostile.programs.attacker import Tally, call, play


def attack(tally: Tally) -> None:
    settings = ctypes.create_string_buffer(120)
    tally.attempt("made a ring", lambda: call("io_uring_setup", 8, ctypes.addressof(settings)))


play(attack)
