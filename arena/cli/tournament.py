"""`arena tournament`: the main job. Enters the bots, plays, shows how it goes, and prints the leaderboard."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.cluster import TlsCa, TlsCert, TlsKey, link_to
from arena.cli.console import err, shown
from arena.cli.holding import ABOUT_HERE, hold
from arena.cli.homes import open_store
from arena.cli.options import DEFAULT_HOME, Seed, StoreUrl, TimeLimit, printable, seconds
from arena.cli.options import Home as HomeOption
from arena.cli.progress import Display
from arena.cli.sandboxes import LimitOptions, PonderOption, SandboxMode, may_ponder, sandbox_for, still_possible
from arena.cli.servers import Insecure, ServerAddress, ServerCa, TokenFile, connected, not_connected
from arena.cli.standings import print_forecast, print_outcome
from arena.errors import ArenaError, BadTournament, HomeInUse, NotFound, choices
from arena.games.brackets import DEFAULT_BRACKETS, Bracket
from arena.games.registry import GAMES
from arena.referee import Limits
from arena.sandbox import Sandbox
from arena.store import postgresql
from arena.store.bots import BotVersion
from arena.store.home import Home
from arena.store.store import Store
from arena.store.tournaments import State, TournamentRecord
from arena.submissions.install import is_installed, launch_of
from arena.submissions.submission import bundled_names, find_launch
from arena.submissions.submit import SubmissionRequest, submit
from arena.tournament.conductor import AT_ONCE, Conductor
from arena.tournament.estimate import forecast
from arena.tournament.event import Event
from arena.tournament.formats import FORMATS, Gauntlet, RoundRobin
from arena.tournament.runners.dask.link import Link
from arena.tournament.runners.local import LocalRunner, Runner
from arena.tournament.runners.worker import WorkerSetup

BUNDLED_FIELD = ("random", "greedy", "counter", "searcher")
"""Who plays where nobody was submitted: the bundled bots that need no build."""

Count = typer.Option(min=1, show_default=False)


APPLY_TO = {
    "rounds": ("round-robin", "swiss", "gauntlet"),
    "deals": ("swiss", "knockout", "ladder"),
    "double": ("knockout",),
    "newcomer": ("gauntlet",),
}
"""Options that only some formats know."""
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
    at_once: Annotated[int, typer.Option(min=1, max=1024, help="Matches at once in each worker.")] = AT_ONCE,
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
    if server is not None:
        with connected(context, server, ca, token_file, insecure, here=ABOUT_HERE) as elsewhere:
            hold(context, elsewhere, bots or [], resume=resume, follow=follow, stop=stop)
        return
    not_connected(context)
    _refuse_what_does_not_apply(context, format_name, resume)
    if cluster and jobs:
        raise BadTournament("on a cluster its workers say how many cores play: leave out --jobs.")
    link = link_to(cluster, tls_ca, tls_cert, tls_key)
    place = Home(home, store_url)
    workers = jobs or len(os.sched_getaffinity(0))
    if resume:
        with place.conducting(), open_store(place) as store:
            record = _to_resume(store, bots or [])
            err.print(f"Going on with {shown(record.name)}.", highlight=False)
            still_possible(Event.from_json(record.options).sandbox)
            _play(place, store, record, workers, at_once, link)
        return
    if format_name not in FORMATS:
        raise BadTournament(f"there is no format {format_name!r}: choose {choices(FORMATS)}.")
    if until_separated not in (None, "95%", "95"):
        raise BadTournament("bots are told apart at 95%: write --until-separated 95%")
    if rate not in ("placements", "wins"):
        raise BadTournament(f"there is no way to rate {rate!r}: choose placements or wins.")
    limits = Limits(seconds(time_to_start) or 60.0, seconds(time_per_move), seconds(time_per_match))
    box = Sandbox() if dry_run else sandbox_for(sandbox, limit)
    with _store_for(place, dry_run) as store:
        field = _field(place, store, bots or [], limits, box, dry_run)
        if format_name == Gauntlet.name:
            first = store.bots.find(newcomer) if newcomer else field[0]
            if first not in field:
                raise BadTournament(f"{first.label} is not among the bots of this tournament: name it with the others.")
        newcomer_games = first.games if format_name == Gauntlet.name else None
        brackets = _brackets(bracket, field, newcomer_games)
        event = Event(
            format=format_name,
            brackets=brackets,
            seats=seats,
            rounds=rounds,
            deals=deals,
            double=double,
            newcomer=field.index(first) if format_name == Gauntlet.name else None,
            matches=matches,
            seconds=seconds(time) if time else None,
            until_separated=until_separated is not None,
            winners_only=rate == "wins",
            limits=limits,
            sandbox=box,
            sealed=True,
            ponder=may_ponder(ponder, limits, len(field), cores=1),  # a worker and its bots have one core
        )
        event.check([bot.games for bot in field])
        if dry_run:
            print_forecast(forecast(store, event, field, workers, seed or ""), event, workers)
            return
        record = store.tournaments.begin(
            name,
            format_name,
            event.as_json(),
            # Whoever knows the seed knows the cards, so unless the organiser chose one nobody can guess it.
            seed if seed is not None else secrets.token_hex(16),
            [bot.id for bot in field],
            brackets,
        )
        _play(place, store, record, workers, at_once, link)


def _refuse_what_does_not_apply(context: typer.Context, format_name: str, resume: bool) -> None:
    """An option that would be ignored is a misunderstanding, and better cleared up at once."""
    for name in context.params:
        source = context.get_parameter_source(name)
        if source is None or source.name != "COMMANDLINE":
            continue
        option = "--format" if name == "format_name" else f"--{name.replace('_', '-')}"
        if resume and name not in FREE_WHEN_RESUMED:
            raise BadTournament(f"a tournament goes on as it was begun: leave out {option}.")
        if name in APPLY_TO and format_name in FORMATS and format_name not in APPLY_TO[name]:
            raise BadTournament(f"{option} is for --format {choices(APPLY_TO[name])}.")


def _to_resume(store: Store, named: Sequence[str]) -> TournamentRecord:
    if len(named) > 1:
        raise BadTournament("one tournament at a time is continued: arena tournament --resume NUMBER")
    record = store.tournaments.find(named[0]) if named else store.tournaments.unfinished()
    if record is None:
        raise NotFound("there is no tournament that was interrupted: see arena history.")
    if not record.rated:
        raise BadTournament(f"{record.name} was a comparison, which cannot be continued: arena compare OLD NEW")
    if record.state is State.DONE:
        raise BadTournament(f"{record.name} is over: arena leaderboard --tournament {record.id}")
    return record


@contextmanager
def _store_for(home: Home, dry_run: bool) -> Iterator[Store]:
    """The store to play in. A dry run changes nothing: without a store it looks into an empty one."""
    if dry_run:
        with Store.open(home.database if home.exists else "sqlite://") as store:
            yield store
    else:
        with home.conducting(), Store.open(home.database) as store:
            yield store


def _brackets(
    named: Sequence[str] | None, field: Sequence[BotVersion], newcomer_games: Sequence[str] | None
) -> tuple[str, ...]:
    """The brackets to play. Those that nobody asked for are left out where they cannot be played."""
    if named:
        return tuple(dict.fromkeys(Bracket.parse(name).name for name in named))
    possible = []
    for name in DEFAULT_BRACKETS:
        bracket = Bracket.parse(name)
        playing = sum(bracket.game in bot.games for bot in field)
        if newcomer_games is not None and bracket.game not in newcomer_games:
            err.print(f"{name} is left out: the newcomer does not play it.", highlight=False)
        elif playing >= bracket.fewest:
            possible.append(bracket.name)
        else:
            bots = "1 bot plays" if playing == 1 else f"{playing} bots play"
            err.print(f"{name} is left out: it needs {bracket.fewest} bots, and {bots} it.", highlight=False)
    if not possible:
        raise BadTournament("too few bots for any game: submit more, or name bundled ones: arena tournament random …")
    return tuple(possible)


def _field(
    home: Home, store: Store, named: Sequence[str], limits: Limits, sandbox: Sandbox, dry_run: bool
) -> list[BotVersion]:
    """The bots that take part. Those that are named but not submitted yet are taken in."""
    if not named:
        latest = store.bots.latest()
        if len(latest) > 1:
            return latest
        if latest:
            (alone,) = latest
            company = [name for name in BUNDLED_FIELD if name != alone.bot]
            err.print(f"Only {shown(alone.label)} was submitted, so {', '.join(company)} play too.", highlight=False)
            named = [alone.bot, *company]
        else:
            err.print(f"No bot was submitted yet, so bundled ones play: {', '.join(BUNDLED_FIELD)}.", highlight=False)
            named = BUNDLED_FIELD
    field: dict[int, BotVersion] = {}
    for bot in named:
        version = would_enter(store, bot) if dry_run else entrant(home, store, bot, limits, sandbox)
        if version.id in field:
            raise BadTournament(f"{version.label} is named twice.")
        field[version.id] = version
    return list(field.values())


def _is_path(store: Store, named: str) -> bool:
    """Whether a path is meant. A bot that somebody has handed in over the network has a slash in its name, too."""
    if Path(named).exists():
        return True
    return "/" in named and not store.bots.versions_of(named.partition("@")[0])


def would_enter(store: Store, named: str) -> BotVersion:
    """The bot that is meant, without taking it in: what is not known yet has a number that nobody has."""
    if not _is_path(store, named):
        try:
            return store.bots.find(named)
        except NotFound:
            if named not in bundled_names():
                raise
    program = find_launch(named)
    number = -(1 + int.from_bytes(sha256(program.label.encode()).digest()[:6]))
    games = program.games or tuple(GAMES)
    return BotVersion(number, program.name, program.version, "", "", "", games, "", "", retired=False)


def entrant(home: Home, store: Store, named: str, limits: Limits, sandbox: Sandbox) -> BotVersion:
    """The bot that is meant: one that was submitted, a bundled one, or a path; these two are taken in first."""
    is_path = _is_path(store, named)
    if not is_path:
        try:
            known = store.bots.find(named)
            if named not in bundled_names() or is_installed(home, known):
                return known  # a bundled one may have been taken in by another home that shares the store
        except NotFound:
            if named not in bundled_names():
                raise
    with err.status(f"taking in {shown(named)}") as status:
        submission = SubmissionRequest(named, limits=limits, sandbox=sandbox)
        taken = submit(
            home, store, submission, thorough=is_path, doing=lambda what: status.update(f"{shown(named)}: {what}")
        )
    if is_path and taken.is_new:
        err.print(f"{shown(named)} was submitted as {shown(taken.version.label)}.", highlight=False)
    return taken.version


def _players_on(
    link: Link | None, home: Home, versions: Mapping[int, BotVersion]
) -> Callable[[WorkerSetup, int, int], Runner]:
    """Those who play: processes here, or the workers of a cluster."""
    if link is None:
        return LocalRunner
    from arena.tournament.runners.dask.runner import dask_runner  # what it needs is not always installed

    return dask_runner(link, home, versions)


def _play(home: Home, store: Store, record: TournamentRecord, jobs: int, at_once: int, link: Link | None) -> None:
    versions = store.bots.by_id(record.entrants)
    programs = {number: launch_of(home, version) for number, version in versions.items()}
    display = Display(record, versions)
    players = _players_on(link, home, versions)
    conductor = Conductor(
        home, store, record, versions, programs, jobs=jobs, at_once=at_once, show=display.show, players=players
    )
    try:
        with display:
            conductor.play()
    except HomeInUse:  # by somebody else, who was not interrupted
        raise
    except (KeyboardInterrupt, SystemExit, ArenaError, OSError):
        where = "" if home.path == DEFAULT_HOME else f" --home {home.path}"
        where += "" if home.store is None else f" --store {postgresql.shown(postgresql.parse(home.store))}"
        err.print(
            f"Interrupted. What was played is kept. Go on with: arena tournament --resume {record.id}{where}",
            style="bold",
            highlight=False,
            soft_wrap=True,
        )
        raise
    print_outcome(store, store.tournaments.load(record.id), conductor, display)
