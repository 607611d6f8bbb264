"""The command line: parse, call, print. `main` is the console script `arena`."""

from __future__ import annotations

import os
import sys

from arena.interrupts import EXIT_INTERRUPTED


def main() -> None:
    """Run the command line. Everything else is loaded here, so that Ctrl-C is handled from the start."""
    # gRPC reads this when it is loaded. Otherwise every malformed connection to a server would be a line in its log.
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    try:
        from arena.cli.run import run
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    run()
