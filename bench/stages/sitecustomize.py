"""Sample where Python spends its CPU time; `bench/tournament.py --stages` puts this folder into PYTHONPATH.

Python imports a module of this name when it starts, so this one is in every process of a tournament: conductor, workers
and bots, of any commit. Each `SECONDS` of CPU time a signal counts the package that is running. The counts are written
now and then, because workers and bots may be killed at the end.
"""

import atexit
import os
import signal
import sys
import tomllib
from collections import Counter
from pathlib import Path
from types import FrameType

SECONDS = 0.004  # the kernel's timer is not finer
SAMPLES_PER_WRITE = 25

counts: Counter[str] = Counter()


def stage_of(frame: FrameType | None) -> str:
    """Return the innermost package of the arena on the stack, with the outside module that it calls, if any."""
    called = ""
    while frame is not None:
        module = frame.f_globals.get("__name__") or "?"
        if module.startswith("importlib."):
            return "start: imports"
        if module.startswith("arena.") or module == "__main__":
            stage = ".".join(module.split(".")[:2])
            return f"{stage} → {called}" if called else stage
        if module.split(".")[0] in sys.modules:  # not a class that was made while running, such as a named tuple
            called = called or module.split(".")[0]
        frame = frame.f_back
    return called


def process_name() -> str:
    """Return the name that bench/usage.py gives this process."""
    manifest = Path("arena.toml")
    if manifest.is_file():
        return str(tomllib.loads(manifest.read_text("utf-8"))["name"])
    return "worker" if sys.argv[0].endswith("__main__.py") else "conductor"


def sample(_: int, frame: FrameType | None) -> None:
    counts[stage_of(frame)] += 1
    if counts.total() % SAMPLES_PER_WRITE == 0:
        text = "".join(f"{number}\t{stage}\n" for stage, number in counts.items())
        Path(os.environ["BENCH_STAGES"], str(os.getpid())).write_text(f"{process_name()}\n{text}", encoding="utf-8")


if "BENCH_STAGES" in os.environ:
    signal.signal(signal.SIGPROF, sample)
    signal.siginterrupt(signal.SIGPROF, False)  # no system call fails because of it
    signal.setitimer(signal.ITIMER_PROF, SECONDS, SECONDS)
    atexit.register(signal.setitimer, signal.ITIMER_PROF, 0)  # without a handler, the signal ends the process
