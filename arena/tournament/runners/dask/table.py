"""The process that plays on a core of a worker: the tournament's own worker, at the other end of a pipe.

Dask's workers may not have children of multiprocessing, so this is a program:
`python -m arena.tournament.runners.dask.table DESCRIPTOR`. The first thing that comes through the pipe is the setup.
"""

from __future__ import annotations

import sys
from multiprocessing.connection import Connection

from arena.tournament.runners.worker import work


def main() -> None:
    connection = Connection(int(sys.argv[1]))
    try:
        setup = connection.recv()
    except EOFError:
        return
    work(connection, setup)


if __name__ == "__main__":
    main()
