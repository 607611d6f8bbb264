"""`arena tournament`: play a tournament, show its progress and print the leaderboard."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated

import typer

from arena.api import Arena
from arena.cli.cluster import TlsCa, TlsCert, TlsKey
from arena.cli.console import err
from arena.cli.groups import grouped
from arena.cli.location import DEFAULT_HOME, Location
from arena.cli.options import Jobs, Seed, printable, seconds
from arena.cli.progress import Display
from arena.cli.remote_tournament import DECIDED_BY_SERVER, SERVER_OPTIONS, show_remote, stop_remote
from arena.cli.sandboxes import PlayOptions
from arena.cli.standings import print_forecast, print_outcome
from arena.errors import ArenaError, BadTournament, HomeInUse, UserError, choices
from arena.games.brackets import DEFAULT_BRACKETS
from arena.remote import RemoteArena
from arena.requests import ClusterAddress, ResumeRequest, TournamentRequest
from arena.store import postgresql
from arena.store.home import Home
from arena.tournament.formats import FORMATS, RoundRobin

FREE_WHEN_RESUMED = frozenset(
    (
        *("bots", "resume", "jobs", "at_once", "home", "store_url", "cluster", "tls_ca", "tls_cert", "tls_key"),
        *SERVER_OPTIONS,
    )
)
"""Options that may be given with --resume."""
WORKERS = "Where matches are played"


@dataclass(frozen=True)
class ScheduleOptions:
    """What is played, and until when."""

    format_name: Annotated[str, typer.Option("--format", help=f"{choices(FORMATS)}.")] = RoundRobin.name
    bracket: Annotated[
        list[str] | None,
        typer.Option(
            help="A game with its options, such as mantis/icons; may be given several times. "
            f"Default: {' and '.join(DEFAULT_BRACKETS)}.",
            show_default=False,
        ),
    ] = None
    seats: Annotated[int | None, typer.Option(min=2, help="Seats in a match. Default: 4.", show_default=False)] = None
    rounds: Annotated[
        int | None,
        typer.Option(min=1, help="Round robin, gauntlet: deals of each pairing. Swiss: rounds.", show_default=False),
    ] = None
    deals: Annotated[
        int | None, typer.Option(min=1, help="Swiss, knockout, ladder: deals of each pairing.", show_default=False)
    ] = None
    double: Annotated[bool, typer.Option("--double", help="Knockout: a bot is out after its second defeat.")] = False
    newcomer: Annotated[
        str | None,
        typer.Option(help="Gauntlet: the bot that meets all others. Default: the first.", show_default=False),
    ] = None
    matches: Annotated[
        int | None, typer.Option(min=1, help="Stop after this number of matches in a bracket.", show_default=False)
    ] = None
    time: Annotated[
        str | None, typer.Option(metavar="TIME", help="Stop after this time, such as 10m.", show_default=False)
    ] = None
    until_separated: Annotated[
        str | None,
        typer.Option(
            metavar="95%",
            help="Stop when every bot is separated from the next one in the ranking at this confidence level.",
            show_default=False,
        ),
    ] = None
    rate: Annotated[str, typer.Option(help="What is rated: placements or wins.")] = "placements"
    seed: Seed = None
    name: Annotated[str, typer.Option(callback=printable, help="The tournament's name.", show_default=False)] = ""

    def check(self) -> None:
        """Raise if an option has an invalid value."""
        if self.until_separated not in (None, "95%", "95"):
            raise BadTournament(f"`--until-separated {self.until_separated}` is not supported: expected `95%`.")
        if self.rate not in ("placements", "wins"):
            raise BadTournament(f"Unknown `--rate {self.rate}`: expected placements or wins.")


@dataclass(frozen=True)
class WorkerOptions:
    """Where matches are played."""

    jobs: Jobs = None
    at_once: Annotated[
        int, typer.Option(min=1, max=1024, help="Matches at the same time in each worker.", rich_help_panel=WORKERS)
    ] = 256
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Play on the workers of this cluster, such as tcp://head:8786.",
            show_default=False,
            rich_help_panel=WORKERS,
        ),
    ] = None
    tls_ca: TlsCa = None
    tls_cert: TlsCert = None
    tls_key: TlsKey = None

    def address(self) -> ClusterAddress | None:
        """Return the cluster; None: play on this machine."""
        files = [None if file is None else str(file) for file in (self.tls_ca, self.tls_cert, self.tls_key)]
        if self.cluster is not None:
            return ClusterAddress(address=self.cluster, ca=files[0], cert=files[1], key=files[2])
        if any(files):
            raise BadTournament(
                "`--tls-ca`, `--tls-cert` and `--tls-key` apply only to a cluster.",
                hint="Add `--cluster tls://HOST:8786`.",
            )
        return None


@grouped
def tournament(
    context: typer.Context,
    schedule: ScheduleOptions,
    workers: WorkerOptions,
    play: PlayOptions,
    location: Location,
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="BOT",
            help="Submitted or bundled bots, name@version for an old version, or paths. Default: all submitted bots, "
            "or the bundled ones if there are none. With --resume: the tournament's number or name.",
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the schedule and the expected duration; play nothing.")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted tournament.")] = False,
    follow: Annotated[
        bool, typer.Option("--follow", help="With --server: show the progress of its tournament.")
    ] = False,
    stop: Annotated[bool, typer.Option("--stop", help="With --server: interrupt its tournament.")] = False,
) -> None:
    """Play a tournament between bots, rate them, and show the leaderboard.

    Ctrl-C interrupts it: all matches played so far are stored, and --resume continues it. With --server it is played
    there, and continues when you disconnect.

    Example: arena tournament --format swiss --bracket mantis/icons
    """
    arena = location.open(*DECIDED_BY_SERVER)
    if follow or stop:
        assert isinstance(arena, RemoteArena), "they are refused without a server"
        allowed = {*SERVER_OPTIONS, "follow" if follow else "stop"}
        _refuse(context, location.given - allowed, "does not apply with `--follow` or `--stop`.")
        with arena:
            if stop:
                stop_remote(arena)
            else:
                show_remote(arena, arena.follow)
        return
    if resume:
        why = "cannot be combined with `--resume`: a tournament keeps the options it was started with."
        _refuse(context, location.given - FREE_WHEN_RESUMED, why)
        if len(bots or []) > 1:
            raise BadTournament("`--resume` takes one tournament.", hint="Run `arena tournament --resume NUMBER`.")
        named = bots[0] if bots else None
        _run(
            arena,
            ResumeRequest(tournament=named, jobs=workers.jobs, at_once=workers.at_once, cluster=workers.address()),
        )
        return
    schedule.check()
    request = TournamentRequest(
        bots=tuple(bots or ()),
        format=schedule.format_name,
        brackets=tuple(schedule.bracket or ()),
        seats=schedule.seats,
        rounds=schedule.rounds,
        deals=schedule.deals,
        double=schedule.double,
        newcomer=schedule.newcomer,
        matches=schedule.matches,
        seconds=seconds(schedule.time) if schedule.time else None,
        until_separated=schedule.until_separated is not None,
        winners_only=schedule.rate == "wins",
        seed=schedule.seed,
        name=schedule.name,
        jobs=workers.jobs,
        at_once=workers.at_once,
        cluster=workers.address(),
        **play.values(),
    )
    if dry_run:
        with arena, Display() as display:
            forecast = arena.run_forecast(request, display.show)
        print_forecast(forecast)
    else:
        _run(arena, request)


def _refuse(context: typer.Context, given: Collection[str], why: str) -> None:
    """Raise if one of these options is given."""
    for parameter in context.command.params:
        if parameter.name in given:
            raise UserError(f"`{parameter.opts[0]}` {why}")


def _run(arena: Arena | RemoteArena, request: TournamentRequest | ResumeRequest) -> None:
    if isinstance(arena, RemoteArena):
        with arena:
            show_remote(arena, lambda show: arena.run(request, show))
        return
    display = Display()
    try:
        with display:
            result = arena.run(request, display.show)
    except HomeInUse:  # by another process, which continues
        raise
    except (KeyboardInterrupt, SystemExit, ArenaError, OSError):
        if display.started is not None:
            err.print(
                "Interrupted. All matches played so far are stored. "
                f"Resume with: arena tournament --resume {display.started.tournament}{_location(arena.home)}",
                style="bold",
                highlight=False,
                soft_wrap=True,
            )
        raise
    print_outcome(result)


def _location(home: Home) -> str:
    where = "" if home.path == DEFAULT_HOME else f" --home {home.path}"
    return where + ("" if home.store is None else f" --store {postgresql.shown(postgresql.parse(home.store))}")
