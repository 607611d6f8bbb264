"""Raises its own limits, gives itself a higher priority, and makes itself the last that the kernel would end."""

from __future__ import annotations

import os
import resource
from pathlib import Path

from tests.hostile.programs.attacker import Tally, boxed, play


def attack(tally: Tally) -> None:
    assert boxed()
    for name in ("NOFILE", "FSIZE", "CORE"):
        limit = getattr(resource, f"RLIMIT_{name}")
        more = resource.getrlimit(limit)[1] + 1
        tally.attempt(f"raised {name}", lambda limit=limit, more=more: resource.setrlimit(limit, (more, more)))  # type: ignore[misc]
    tally.attempt("raised its priority", lambda: os.setpriority(os.PRIO_PROCESS, 0, -5))
    tally.attempt("ran in real time", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10)))
    tally.attempt("not to be ended", lambda: Path("/proc/self/oom_score_adj").write_text("-1000"))
    for folder in Path("/sys/fs/cgroup").glob("**/cgroup.procs"):
        tally.attempt(f"joined {folder}", lambda folder=folder: folder.write_text("0"))  # type: ignore[misc]


play(attack)
