"""`arena tournament`: play a tournament, show its progress and print the leaderboard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.api import Arena
from arena.cli.cluster import TlsCa, TlsCert, TlsKey, cluster_address
from arena.cli.console import err, out
from arena.cli.location import DEFAULT_HOME, Location
from arena.cli.options import Jobs, PlayOptions, Seed, grouped, printable, seconds
from arena.cli.standings import Display, print_forecast, print_outcome
from arena.errors import ArenaError, BadTournament, HomeInUse, choices
from arena.games.brackets import DEFAULT_BRACKETS
from arena.requests import ForecastRequest, ResumeRequest, TournamentRequest
from arena.tournament.formats import FORMATS
from arena.tournament.formats.cycles import RoundRobin
from arena.tournament.outcome import TournamentEvent, TournamentResult

if TYPE_CHECKING:
    from arena.client.desk import RemoteArena

CLUSTER_OPTIONS = ("cluster", "tls_ca", "tls_cert", "tls_key")
SERVER_OPTIONS = ("server", "ca", "token_file", "insecure")
RESUME_OPTIONS = {"bots", "resume", "jobs", "at_once", "home", "store", *CLUSTER_OPTIONS, *SERVER_OPTIONS}
"""Options that may be given with --resume."""
EXIT_STOPPED = 143

_worker_option = partial(typer.Option, rich_help_panel="Where matches are played")


@dataclass(frozen=True)
class ScheduleOptions:
    """What is played, and until when. The fields are named as in `TournamentRequest`."""

    format: Annotated[str, typer.Option(help=f"{choices(FORMATS)}.")] = RoundRobin.name
    brackets: Annotated[
        list[str] | None,
        typer.Option(
            "--bracket",
            help="A game with its options, such as mantis/icons; may be given several times. "
            f"Default: {' and '.join(DEFAULT_BRACKETS)}.",
        ),
    ] = None
    seats: Annotated[int | None, typer.Option(min=2, help="Seats in a match. Default: 4.")] = None
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Round robin, gauntlet: deals of each pairing. Swiss: rounds.")
    ] = None
    deals: Annotated[int | None, typer.Option(min=1, help="Swiss, knockout, ladder: deals of each pairing.")] = None
    double: Annotated[bool, typer.Option("--double", help="Knockout: a bot is out after its second defeat.")] = False
    newcomer: Annotated[
        str | None, typer.Option(help="Gauntlet: the bot that meets all others. Default: the first.")
    ] = None
    matches: Annotated[int | None, typer.Option(min=1, help="Stop after this number of matches in a bracket.")] = None
    seconds: Annotated[
        str | None, typer.Option("--time", metavar="TIME", help="Stop after this time, such as 10m.")
    ] = None
    until_separated: Annotated[
        str | None,
        typer.Option(
            metavar="95%",
            help="Stop when every bot is separated from the next one in the ranking at this confidence level.",
        ),
    ] = None
    winners_only: Annotated[str, typer.Option("--rate", help="What is rated: placements or wins.")] = "placements"
    seed: Seed = None
    name: Annotated[str, typer.Option(callback=printable, help="The tournament's name.", show_default=False)] = ""

    def values(self) -> dict[str, Any]:
        """Return fields of `TournamentRequest`."""
        if self.until_separated not in (None, "95%", "95"):
            raise BadTournament(f"`--until-separated {self.until_separated}` is not supported: expected `95%`.")
        if self.winners_only not in ("placements", "wins"):
            raise BadTournament(f"Unknown `--rate {self.winners_only}`: expected placements or wins.")
        return {
            **vars(self),
            "brackets": tuple(self.brackets or ()),
            "seconds": seconds(self.seconds) if self.seconds else None,
            "until_separated": self.until_separated is not None,
            "winners_only": self.winners_only == "wins",
        }


@dataclass(frozen=True)
class WorkerOptions:
    """Where matches are played."""

    jobs: Jobs = None
    at_once: Annotated[
        int | None,
        _worker_option(
            min=1,
            max=1024,
            help="Matches at the same time in each worker, at most. Default: 256, up to 1024 with many bots.",
        ),
    ] = None
    cluster: Annotated[
        str | None,
        _worker_option(metavar="ADDRESS", help="Play on the workers of this cluster, such as tcp://head:8786."),
    ] = None
    tls_ca: TlsCa = None
    tls_cert: TlsCert = None
    tls_key: TlsKey = None

    def values(self) -> dict[str, Any]:
        """Return fields of `TournamentRequest` and `ResumeRequest`."""
        files = (self.tls_ca, self.tls_cert, self.tls_key)
        if self.cluster is None and any(files):
            raise BadTournament(
                "`--tls-ca`, `--tls-cert` and `--tls-key` apply only to a cluster.",
                hint="Add `--cluster tls://HOST:8786`.",
            )
        cluster = None if self.cluster is None else cluster_address(self.cluster, *files)
        return {"jobs": self.jobs, "at_once": self.at_once, "cluster": cluster}


@grouped
def tournament(
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
    arena = location.open("sandbox", "limit", *CLUSTER_OPTIONS)
    options = location.context.params.keys()
    if not isinstance(arena, Arena) and (follow or stop):
        allowed = {*SERVER_OPTIONS, "follow" if follow else "stop"}
        location.refuse(options - allowed, "does not apply with `--follow` or `--stop`.")
        if follow:
            _run(arena, arena.follow)
            return
        with arena:
            arena.stop()
        out.print(f"Stopped. Resume with: arena tournament --resume --server {arena.address}")
        return
    request: TournamentRequest | ResumeRequest
    if resume:
        why = "cannot be combined with `--resume`: a tournament keeps the options it was started with."
        location.refuse(options - RESUME_OPTIONS, why)
        if len(bots or []) > 1:
            raise BadTournament("`--resume` takes one tournament.", hint="Run `arena tournament --resume NUMBER`.")
        request = ResumeRequest(tournament=bots[0] if bots else None, **workers.values())
    else:
        request = TournamentRequest(bots=tuple(bots or ()), **schedule.values(), **workers.values(), **play.values())
        if dry_run:
            with arena, Display() as display:
                forecast = arena.run(ForecastRequest(request), display.show)
            print_forecast(forecast)
            return
    _run(arena, lambda show: arena.run(request, show))


def _run(arena: Arena | RemoteArena, run: Callable[[Callable[[TournamentEvent], None]], TournamentResult]) -> None:
    """Show the progress of a tournament and its result; if it is interrupted, how to resume it."""
    display = Display()
    try:
        with arena, display:
            result = run(display.show)
    except HomeInUse:  # by another process, which continues
        raise
    except (KeyboardInterrupt, SystemExit, ArenaError, OSError) as error:
        if isinstance(arena, Arena) and display.started is not None:
            _print_interrupted(arena, display.started.tournament)
        elif not isinstance(arena, Arena) and isinstance(error, KeyboardInterrupt):
            err.print("The tournament continues on the server. Show it with `--follow`, stop it with `--stop`.")
        raise
    if not result.finished:  # stopped on the server
        _print_interrupted(arena, result.tournament)
        raise typer.Exit(EXIT_STOPPED)
    print_outcome(result)


def _print_interrupted(arena: Arena | RemoteArena, number: int) -> None:
    from arena.store import postgresql

    if not isinstance(arena, Arena):
        where = f" --server {arena.address}"
    else:
        where = "" if arena.home.path == DEFAULT_HOME else f" --home {arena.home.path}"
        where += "" if arena.home.store is None else f" --store {postgresql.shown(postgresql.parse(arena.home.store))}"
    err.print(
        f"Interrupted. All matches played so far are stored. Resume with: arena tournament --resume {number}{where}",
        style="bold",
        soft_wrap=True,
    )
