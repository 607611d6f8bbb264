"""Run a tournament from start to end: the use case behind `Arena.tournament` and `Arena.resume`.

A run ends in one of three ways: it is over; `stop` returned true, and the result has `finished=False`; or an exception
such as `KeyboardInterrupt` is passed on. In each case everything played is in the store, and an unfinished tournament
can be resumed.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress

from arena.errors import BadTournament, NotFound, choices
from arena.events import Note, NoteLevel
from arena.games.brackets import Bracket
from arena.games.registry import profile_of
from arena.interrupts import Stopped
from arena.reports.build import build_boards
from arena.requests import ResumeRequest, TournamentRequest, check_sandbox
from arena.sandbox import Sandbox
from arena.store.bots import BotVersion
from arena.store.home import Home
from arena.store.schema import ALL
from arena.store.store import Store
from arena.store.tournaments import TournamentRecord, TournamentState
from arena.tournament.conductor import Conductor
from arena.tournament.entrants import Find, default_brackets, enter, find_entrants, open_to_read, preview_entrant
from arena.tournament.formats import FORMATS
from arena.tournament.formats.cycles import Gauntlet
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.swiss import Swiss
from arena.tournament.options import TournamentOptions
from arena.tournament.outcome import (
    BracketForecast,
    BracketResult,
    Forfeit,
    TournamentEvent,
    TournamentForecast,
    TournamentResult,
    TournamentStarted,
)
from arena.tournament.runners.base import MakeRunner
from arena.tournament.runners.dask.link import check_cluster
from arena.tournament.runners.local import LocalRunner

APPLIES_TO = {
    "rounds": ("round-robin", "swiss", "gauntlet"),
    "deals": ("swiss", "knockout", "ladder"),
    "double": ("knockout",),
    "newcomer": ("gauntlet",),
}
"""Options that only some formats have."""
MS_PER_DECISION = 0.05
"""The cost of a decision besides thinking: referee, messages, record. Twice as much on a slow machine."""
UNKNOWN_MS = 1.0
"""The assumed think time of a move of a bot without matches."""

OnEvent = Callable[[TournamentEvent], None]
Stop = Callable[[], bool]


def start_tournament(home: Home, request: TournamentRequest, notify: OnEvent, stop: Stop) -> TournamentResult:
    """Play a new tournament."""
    _check_options(request)
    if request.cluster is not None:
        check_cluster(request.cluster)
    sandbox = request.choose_sandbox(notify)
    with open_to_read(home) as store:  # before anything is written: a request that cannot be played changes nothing
        _plan(store, request, sandbox, lambda named: preview_entrant(store, named), lambda _: None)
    with home.conducting(), Store.open(home.database) as store:
        options, entrants = _plan(
            store, request, sandbox, lambda named: enter(home, store, named, request, sandbox, notify), notify
        )
        record = store.tournaments.begin(
            request.name,
            request.format,
            options.as_json(),
            # The seed determines the cards, so unless the organiser chose one it must not be guessable.
            request.seed if request.seed is not None else secrets.token_hex(16),
            [bot.id for bot in entrants],
            options.brackets,
        )
        return _play(home, store, record, request, notify, stop)


def resume_tournament(home: Home, request: ResumeRequest, notify: OnEvent, stop: Stop) -> TournamentResult:
    """Continue a tournament that was interrupted."""
    if request.cluster is not None:
        check_cluster(request.cluster)
    if not home.exists:
        raise NotFound(f"There is no arena in `{home.path}`.", hint="Run `arena tournament` without `--resume`.")
    with home.conducting(), Store.open(home.database) as store:
        record = _unfinished(store, request.tournament)
        check_sandbox(TournamentOptions.from_json(record.options).sandbox, notify)
        return _play(home, store, record, request, notify, stop)


def forecast_tournament(home: Home, request: TournamentRequest, notify: OnEvent) -> TournamentForecast:
    """Return the schedule and the expected duration of a tournament. Nothing is written."""
    _check_options(request)
    with open_to_read(home) as store:
        options, entrants = _plan(store, request, Sandbox(), lambda named: preview_entrant(store, named), notify)
        jobs = _jobs(request)
        forecasts = [
            _forecast(store, options, Bracket.parse(name), entrants, jobs, request.seed or "")
            for name in options.brackets
        ]
        return TournamentForecast(options.format, jobs, options.seconds_each, tuple(forecasts))


def _forecast(
    store: Store, options: TournamentOptions, bracket: Bracket, entrants: Sequence[BotVersion], jobs: int, seed: str
) -> BracketForecast:
    drawn_by, numbers = options.draw(bracket, [bot.games for bot in entrants], seed)
    playing = [entrants[number] for number in numbers]
    seats = drawn_by.field.seats
    matches = options.expected_matches(drawn_by)
    standings = store.standings.load(ALL, bracket.name).bots
    decisions = profile_of(bracket.game).decisions
    thinking = sum(
        standings[bot.id].think_ms / standings[bot.id].matches if bot.id in standings else UNKNOWN_MS * decisions
        for bot in playing
    ) / len(playing)
    per_match = seats * (thinking + decisions * MS_PER_DECISION) / 1000
    first = drawn_by.next_round(lambda _: (25.0, 25 / 3))
    return BracketForecast(
        bracket=bracket.name,
        bots=len(playing),
        seats=seats,
        pairings=drawn_by.pairing_count,
        matches=matches,
        seconds=None if matches is None else matches * per_match / jobs,
        first_pairings=tuple(
            tuple(playing[entrant].label for entrant in pairing.entrants) for pairing in first.pairings[:12]
        )
        if first
        else (),
        known=all(bot.id in standings for bot in playing),
    )


def _check_options(request: TournamentRequest) -> None:
    """Raise if an option is unknown or would be ignored."""
    if request.format not in FORMATS:
        raise BadTournament(f"Unknown format `{request.format}`: expected {choices(FORMATS)}.")
    for name, formats in APPLIES_TO.items():
        if getattr(request, name) not in (None, False) and request.format not in formats:
            raise BadTournament(f"The option `{name}` applies only to {choices(formats)} tournaments.")
    if request.cluster and request.jobs:
        raise BadTournament("The option `jobs` does not apply to a cluster: its workers determine the number of cores.")


def _plan(
    store: Store, request: TournamentRequest, sandbox: Sandbox, find: Find, notify: OnEvent
) -> tuple[TournamentOptions, list[BotVersion]]:
    """Return the tournament's stored options and its entrants."""
    entrants = find_entrants(store, request.bots, find, notify)
    newcomer = None
    if request.format == Gauntlet.name:
        named = request.newcomer
        if named is None or named in request.bots:
            newcomer = entrants[0 if named is None else request.bots.index(named)]
        else:
            newcomer = find(named)
        if newcomer not in entrants:
            raise BadTournament(f"The newcomer `{newcomer.label}` is not among the bots of this tournament.")
    if request.brackets:
        brackets = tuple(dict.fromkeys(Bracket.parse(name).name for name in request.brackets))
    else:
        brackets = default_brackets(entrants, newcomer, notify)
    options = TournamentOptions(
        format=request.format,
        brackets=brackets,
        seats=request.seats,
        rounds=request.rounds,
        deals=request.deals,
        double=request.double,
        newcomer=None if newcomer is None else entrants.index(newcomer),
        matches=request.matches,
        seconds=request.seconds,
        until_separated=request.until_separated,
        winners_only=request.winners_only,
        limits=request.limits,
        sandbox=sandbox,
        sealed=True,
        own_deals=True,
        ponder=request.may_ponder(len(entrants), cores=1),  # a worker and its bots share one core
    )
    for name in brackets:  # raise now what would be raised when it is played
        options.draw(Bracket.parse(name), [bot.games for bot in entrants], "")
    return options, entrants


def _unfinished(store: Store, named: str | None) -> TournamentRecord:
    """Return the tournament to resume."""
    record = store.tournaments.find(named) if named is not None else store.tournaments.unfinished()
    if record is None:
        raise NotFound("No tournament was interrupted.", hint="Run `arena history` for a list of tournaments.")
    if not record.rated:
        raise BadTournament(f"`{record.name}` is a comparison, which cannot be resumed.", hint="Run `arena compare`.")
    if record.state is TournamentState.DONE:
        hint = f"Run `arena leaderboard --tournament {record.id}`."
        raise BadTournament(f"`{record.name}` is already finished.", hint=hint)
    return record


def _jobs(request: TournamentRequest | ResumeRequest) -> int:
    return request.jobs or len(os.sched_getaffinity(0))


def _play(
    home: Home,
    store: Store,
    record: TournamentRecord,
    request: TournamentRequest | ResumeRequest,
    notify: OnEvent,
    stop: Stop,
) -> TournamentResult:
    runner: MakeRunner = LocalRunner
    if request.cluster is not None:
        from arena.tournament.runners.dask.runner import dask_runner  # Dask is an optional dependency

        runner = dask_runner(request.cluster, home, store.bots.by_id(record.entrants))
    conductor = Conductor(
        home, store, record, jobs=_jobs(request), at_once=request.at_once, notify=notify, runner=runner, stop=stop
    )
    labels = tuple(conductor.versions[version].label for version in record.entrants)
    names = tuple(bracket.bracket for bracket in record.brackets)
    resumed = isinstance(request, ResumeRequest)
    notify(Note(f"time limits: {conductor.options.limits}", NoteLevel.DETAIL))
    notify(TournamentStarted(record.id, record.name, record.format, names, labels, resumed))
    with suppress(Stopped):
        conductor.play()
    return _result(store, store.tournaments.load(record.id), conductor, labels)


def _result(store: Store, record: TournamentRecord, conductor: Conductor, labels: tuple[str, ...]) -> TournamentResult:
    brackets = []
    for name, run in conductor.brackets.items():
        drawn_by = run.course.format
        names = tuple(labels[entrant] for entrant in run.course.field)
        rounds, champion = (drawn_by.tree, drawn_by.champion) if isinstance(drawn_by, Knockout) else ((), None)
        ranking = drawn_by.ranking() if isinstance(drawn_by, Swiss) else ()
        won = None if champion is None else names[champion]
        brackets.append(BracketResult(name, names, rounds, won, tuple(names[entrant] for entrant in ranking)))
    counted = store.standings.brackets(record.id)
    return TournamentResult(
        tournament=record.id,
        name=record.name,
        format=record.format,
        matches=record.played,
        finished=record.state is TournamentState.DONE,
        boards=tuple(build_boards(store, (), record.id)) if counted else (),
        brackets=tuple(brackets),
        forfeits=tuple(Forfeit(*reason) for reason in store.history.fault_reasons(record.id)),
        replayed=conductor.runner.spoiled,
        last_host_fault=conductor.runner.last_trouble,
    )
