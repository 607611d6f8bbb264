"""A worker process: `python -m arena.tournament.runners DESCRIPTOR`. The first message in the pipe is its setup."""

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
