"""Sends signals to the referee, to a process of the organiser, and in a sandbox to everybody."""

from __future__ import annotations

import os
import signal

from tests.hostile.programs.attacker import Tally, aim, boxed, play


def attack(tally: Tally) -> None:
    pid = int(aim("VICTIM"))
    tally.attempt("signalled the victim", lambda: os.kill(pid, signal.SIGUSR1))
    tally.attempt("reached the referee", lambda: os.kill(int(aim("REFEREE")), 0))
    tally.attempt("opened the victim", lambda: os.close(os.pidfd_open(pid)))
    if boxed():
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        # It reaches the attacker's own processes at the most; whether others felt it is seen from outside.
        for target in (-1, 0, -pid):
            try:
                os.kill(target, signal.SIGUSR1)
                tally.limited.append(f"a signal to {target}")
            except OSError:
                tally.refused[f"signal to {target}"] = "refused"
        tally.limited.clear()


play(attack)
