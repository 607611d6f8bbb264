"""A process of a local cluster: `python -m arena.tournament.runners.dask PORT [WORKER [CORE]]`."""

from __future__ import annotations

import os
import sys

from arena.tournament.runners.dask.cluster import run_local

if __name__ == "__main__":
    if len(sys.argv) > 3:
        os.sched_setaffinity(0, {int(sys.argv[3])})
    run_local(int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None)
