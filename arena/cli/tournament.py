"""`arena tournament`: play a tournament, show its progress and print the leaderboard."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.api import Arena
from arena.cli.cluster import TlsCa, TlsCert, TlsKey
from arena.cli.console import err
from arena.cli.options import DEFAULT_HOME, Seed, StoreUrl, TimeLimit, printable, seconds
from arena.cli.options import Home as HomeOption
from arena.cli.progress import Display
from arena.cli.remote_tournament import DECIDED_BY_SERVER, SERVER_OPTIONS, show_remote, stop_remote
from arena.cli.sandboxes import LimitOptions, PonderOption, SandboxMode, allowance, ponder_option
from arena.cli.servers import Insecure, ServerAddress, ServerCa, TokenFile, connected, not_connected, refuse_given
from arena.cli.standings import print_forecast, print_outcome
from arena.errors import ArenaError, BadTournament, HomeInUse, UserError, choices
from arena.games.brackets import DEFAULT_BRACKETS
from arena.requests import ClusterAddress, ResumeRequest, TournamentRequest
from arena.store import postgresql
from arena.store.home import Home
from arena.tournament.formats import FORMATS, RoundRobin

if TYPE_CHECKING:
    from arena.client.desk import DeskClient

FREE_WHEN_RESUMED = (
    "bots",
    "resume",
    "jobs",
    "at_once",
    "home",
    "store_url",
    "cluster",
    "tls_ca",
    "tls_cert",
    "tls_key",
    *SERVER_OPTIONS,
)


def tournament(
    context: typer.Context,
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[BOT…]",
            help="Names of submitted or bundled bots, name@version for an old version, or paths. Default: all that "
            "were submitted, or the bundled ones where none was. With --resume: the tournament's number or name.",
            show_default=False,
        ),
    ] = None,
    format_name: Annotated[str, typer.Option("--format", help=f"{choices(FORMATS)}.")] = RoundRobin.name,
    bracket: Annotated[
        list[str] | None,
        typer.Option(
            help="A game with its variant, such as mantis/icons; may be given several times.  "
            f"Default: {' and '.join(DEFAULT_BRACKETS)}.",
            show_default=False,
        ),
    ] = None,
    seats: Annotated[int | None, typer.Option(min=2, help="Seats at a table. Default: 4.", show_default=False)] = None,
    rounds: Annotated[
        int | None,
        typer.Option(min=1, help="Round robin, gauntlet: deals at each table. Swiss: rounds.", show_default=False),
    ] = None,
    deals: Annotated[
        int | None, typer.Option(min=1, help="Swiss, knockout, ladder: deals in each meeting.", show_default=False)
    ] = None,
    double: Annotated[bool, typer.Option("--double", help="Knockout: out after the second defeat.")] = False,
    newcomer: Annotated[
        str | None, typer.Option(help="Gauntlet: who meets all others. Default: the first bot.", show_default=False)
    ] = None,
    matches: Annotated[
        int | None, typer.Option(min=1, help="Stop after so many matches in a bracket.", show_default=False)
    ] = None,
    time: Annotated[
        str | None, typer.Option(metavar="TIME", help="Stop after this time, such as 10m.", show_default=False)
    ] = None,
    until_separated: Annotated[
        str | None, typer.Option(metavar="95%", help="Stop when all neighbours are told apart.", show_default=False)
    ] = None,
    rate: Annotated[str, typer.Option(help="What is rated: placements or wins.")] = "placements",
    jobs: Annotated[
        int | None,
        typer.Option(min=1, max=256, help="Worker processes. Default: one for each core.", show_default=False),
    ] = None,
    at_once: Annotated[int, typer.Option(min=1, max=1024, help="Matches at once in each worker.")] = 256,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Play on the workers of this cluster, such as tcp://head:8786.", show_default=False
        ),
    ] = None,
    tls_ca: TlsCa = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    seed: Seed = None,
    name: Annotated[
        str, typer.Option(callback=printable, help="What the tournament is called.", show_default=False)
    ] = "",
    time_per_move: TimeLimit = "1s",
    time_per_match: TimeLimit = "none",
    time_to_start: TimeLimit = "10s",
    ponder: PonderOption = None,
    sandbox: SandboxMode = "auto",
    limit: LimitOptions = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the schedule and how long it takes; play nothing.")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a tournament that was interrupted.")] = False,
    home: HomeOption = DEFAULT_HOME,
    store_url: StoreUrl = None,
    server: ServerAddress = None,
    ca: ServerCa = None,
    token_file: TokenFile = None,
    insecure: Insecure = False,
    follow: Annotated[bool, typer.Option("--follow", help="With --server: show how the one there goes.")] = False,
    stop: Annotated[bool, typer.Option("--stop", help="With --server: interrupt the one there.")] = False,
) -> None:
    """Play a tournament between bots, rate them, and show the leaderboard.

    Interrupt it with Ctrl-C whenever you like: nothing that was played is lost, and --resume goes on. With --server it
    is held there, and goes on without you.

    Example: arena tournament --format swiss --bracket mantis/icons
    """
    remote = None
    if server is not None:
        remote = connected(context, server, ca, token_file, insecure, here=DECIDED_BY_SERVER)
        if follow or stop:
            with remote:
                _follow_or_stop(context, remote, follow=follow, stop=stop)
            return
    else:
        not_connected(context)
    arena = Arena(home, store=store_url)
    where = _cluster(cluster, tls_ca, tls_cert, tls_key)
    if resume:
        _refuse_options_of_a_new_one(context)
        if len(bots or []) > 1:
            raise BadTournament("`--resume` takes one tournament.", hint="Run `arena tournament --resume NUMBER`.")
        _run(
            remote or arena,
            ResumeRequest(tournament=bots[0] if bots else None, jobs=jobs, at_once=at_once, cluster=where),
        )
        return
    if until_separated not in (None, "95%", "95"):
        raise BadTournament(f"`--until-separated {until_separated}` is not supported: expected `95%`.")
    if rate not in ("placements", "wins"):
        raise BadTournament(f"Unknown `--rate {rate}`: expected placements or wins.")
    request = TournamentRequest(
        bots=tuple(bots or ()),
        format=format_name,
        brackets=tuple(bracket or ()),
        seats=seats,
        rounds=rounds,
        deals=deals,
        double=double,
        newcomer=newcomer,
        matches=matches,
        seconds=seconds(time) if time else None,
        until_separated=until_separated is not None,
        winners_only=rate == "wins",
        seed=seed,
        name=name,
        jobs=jobs,
        at_once=at_once,
        cluster=where,
        time_per_move=seconds(time_per_move),
        time_per_match=seconds(time_per_match),
        time_to_start=seconds(time_to_start) or 60.0,
        ponder=ponder_option(ponder),
        sandbox=sandbox,
        allowance=allowance(limit or ()),
    )
    if dry_run:
        with Display() as display:
            forecast = (remote.forecast if remote else arena.run_forecast)(request, display.show)
        print_forecast(forecast)
    else:
        _run(remote or arena, request)


def _follow_or_stop(context: typer.Context, remote: DeskClient, *, follow: bool, stop: bool) -> None:
    others = [parameter.name or "" for parameter in context.command.params]
    free = (*SERVER_OPTIONS, "follow" if follow else "stop")
    refuse_given(context, [name for name in others if name not in free], "{} does not apply to --follow and --stop.")
    if stop:
        stop_remote(remote)
    else:
        show_remote(remote, remote.follow)


def _cluster(address: str | None, ca: Path | None, cert: Path | None, key: Path | None) -> ClusterAddress | None:
    files = [None if file is None else str(file) for file in (ca, cert, key)]
    if address is not None:
        return ClusterAddress(address=address, ca=files[0], cert=files[1], key=files[2])
    if any(files):
        raise BadTournament(
            "`--tls-ca`, `--tls-cert` and `--tls-key` apply only to a cluster.", hint="Add `--cluster tls://HOST:8786`."
        )
    return None


def _refuse_options_of_a_new_one(context: typer.Context) -> None:
    """Raise if an option was given that a resumed tournament would ignore."""
    for parameter in context.command.params:
        name = parameter.name or ""
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE" and name not in FREE_WHEN_RESUMED:
            raise UserError(
                f"`{parameter.opts[0]}` cannot be combined with `--resume`: a tournament keeps the options that it was "
                "started with."
            )


def _run(arena: Arena | DeskClient, request: TournamentRequest | ResumeRequest) -> None:
    if not isinstance(arena, Arena):
        with arena as remote:
            show_remote(remote, partial(remote.run, request))
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
