"""A process of a local cluster: `python -m arena.tournament.runners.dask PORT [WORKER [CORE]]`."""

from __future__ import annotations

import os
import signal
import sys

from arena import interrupts
from arena.supervisor import die_with_parent
from arena.tournament.runners.dask.cluster import LOCALHOST, run_scheduler, run_worker
from arena.tournament.runners.dask.link import Certificates, ClusterLink


def main() -> None:
    """Run the scheduler, or the worker with this name."""
    port, worker, core = (*sys.argv[1:], None, None)[:3]
    interrupts.install()
    parent = os.getppid()
    die_with_parent(signal.SIGTERM)
    if os.getppid() != parent:
        return  # the parent has ended before that
    if core is not None:
        os.sched_setaffinity(0, {int(core)})
    if worker is None:
        run_scheduler(LOCALHOST, int(port or 0), Certificates(), lambda _: None)
    else:
        run_worker(ClusterLink(f"tcp://{LOCALHOST}:{port}"), 1, worker)


if __name__ == "__main__":
    main()
