"""Measure whole tournaments with PostgreSQL beside the same ones with SQLite.

Method:
- both play the same tournament with the same seed and bots, and every write is on disk (SQLite: full
  synchronisation, PostgreSQL: fsync);
- the server runs on the same cores, so its time is part of the result;
- the two play in turns, each first in every other round, and the median of the ratios counts, because the machine may
  be shared;
- the exit code is 0 whether the goal is reached or not.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from arena.store.home import Home
from arena.tournament.options import TournamentOptions
from bench.growth import CORES, QUICK_BOTS, play, take_in, verdict
from tests.support.postgresql import running

out = Console()


def measure(rounds: int, matches: int, address: str | None) -> None:
    table = Table("round", "SQLite, matches/s", "PostgreSQL, matches/s", "ratio", box=box.SIMPLE_HEAD)
    ratios = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        if address is None:
            server = stack.enter_context(running())
            address = server.address(server.new_database())
        homes = {"SQLite": Home(folder / "sqlite"), "PostgreSQL": Home(folder / "postgresql", address)}
        event = TournamentOptions(brackets=("mantis",), matches=matches)
        for home in homes.values():
            take_in(home, QUICK_BOTS)
        for number in range(rounds):
            rates = {}
            for name in sorted(homes, reverse=number % 2 == 0):  # SQLite first, then PostgreSQL first, and so on
                played = play(homes[name], QUICK_BOTS, event)
                rates[name] = played.matches / played.seconds_in_all
            ratios.append(rates["PostgreSQL"] / rates["SQLite"])
            table.add_row(
                str(number + 1), f"{rates['SQLite']:,.0f}", f"{rates['PostgreSQL']:,.0f}", f"{ratios[-1]:.2f}"
            )
    out.print(f"[bold]PostgreSQL beside SQLite[/]: {', '.join(QUICK_BOTS)} in Mantis, {matches:,} matches each")
    out.print(table)
    verdict("matches/s with PostgreSQL / with SQLite, start and end included", median(ratios), ">=", 0.85)


def main(
    rounds: Annotated[int, typer.Option(min=1, help="How often each plays.")] = 7,
    matches: Annotated[int, typer.Option(min=10, help="Matches of each tournament.")] = 3000,
    store: Annotated[
        str | None, typer.Option(metavar="URL", help="An empty database. Default: one in a server of its own.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A look, no measurement.")] = False,
) -> None:
    """Measure tournaments with PostgreSQL beside the same with SQLite."""
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    if quick:
        rounds, matches = 1, 300
    out.print(f"{CORES} cores, load {os.getloadavg()[0]:.1f} before the start.", highlight=False)
    measure(rounds, matches, store)


if __name__ == "__main__":
    typer.run(main)
