"""`arena tournament --server`: a tournament that runs on a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import typer

from arena.cli.console import err, out
from arena.cli.progress import Display
from arena.cli.standings import print_outcome
from arena.tournament.outcome import TournamentEvent, TournamentResult

if TYPE_CHECKING:
    from arena.remote import RemoteArena

DECIDED_BY_SERVER = ("sandbox", "limit", "cluster", "tls_ca", "tls_cert", "tls_key")
"""Options of a tournament that the server does not take from clients."""
SERVER_OPTIONS = ("server", "ca", "token_file", "insecure")
EXIT_STOPPED = 143


def stop_remote(server: RemoteArena) -> None:
    """Stop the tournament on the server."""
    server.stop()
    out.print(f"Stopped. Resume with: arena tournament --resume --server {server.address}", highlight=False)


def show_remote(server: RemoteArena, run: Callable[[Callable[[TournamentEvent], None]], TournamentResult]) -> None:
    """Show the events of a tournament on the server, then its result."""
    try:
        with Display() as display:
            result = run(display.show)
    except KeyboardInterrupt:
        err.print(
            "The tournament continues on the server. Show it with `--follow`, stop it with `--stop`.", highlight=False
        )
        raise
    if not result.finished:
        resume = f"arena tournament --resume {result.tournament} --server {server.address}"
        err.print(
            f"Interrupted. All matches played so far are stored. Resume with: {resume}",
            style="bold",
            highlight=False,
            soft_wrap=True,
        )
        raise typer.Exit(EXIT_STOPPED)
    print_outcome(result)
