"""Run a tournament from start to end: the use case behind `Arena.tournament` and `Arena.resume`.

A run ends in one of three ways: it is over; `stop` returned true, and the result has `finished=False`; or an exception
such as `KeyboardInterrupt` is passed on. In each case everything played is in the store, and an unfinished tournament
can be resumed.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from arena.errors import BadTournament, NotFound, choices
from arena.events import Note, NoteLevel
from arena.games.brackets import Bracket
from arena.interrupts import Stopped
from arena.reports.build import build_boards
from arena.requests import ClusterAddress, ResumeRequest, TournamentRequest, check_sandbox
from arena.sandbox import Sandbox
from arena.store.bots import BotVersion
from arena.store.home import Home
from arena.store.store import Store
from arena.store.tournaments import TournamentRecord, TournamentState
from arena.submissions.install import launch_of
from arena.tournament.conductor import Conductor
from arena.tournament.entrants import Find, default_brackets, find_entrant, find_entrants, preview_entrant
from arena.tournament.estimate import forecast
from arena.tournament.event import Event
from arena.tournament.formats import FORMATS, Gauntlet, Knockout, Swiss
from arena.tournament.outcome import (
    BracketResult,
    Forfeit,
    Leader,
    TournamentEvent,
    TournamentForecast,
    TournamentProgress,
    TournamentResult,
    TournamentStarted,
)
from arena.tournament.progress import Progress
from arena.tournament.runners.base import MakeRunner
from arena.tournament.runners.dask.link import Certificates, ClusterLink
from arena.tournament.runners.local import LocalRunner

APPLIES_TO = {
    "rounds": ("round-robin", "swiss", "gauntlet"),
    "deals": ("swiss", "knockout", "ladder"),
    "double": ("knockout",),
    "newcomer": ("gauntlet",),
}
"""Options that only some formats have."""

OnEvent = Callable[[TournamentEvent], None]
Stop = Callable[[], bool]


def start_tournament(home: Home, request: TournamentRequest, notify: OnEvent, stop: Stop) -> TournamentResult:
    """Play a new tournament."""
    _check_options(request)
    link = cluster_link(request.cluster)
    with home.conducting(), Store.open(home.database) as store:
        sandbox = request.choose_sandbox(notify)
        limits = request.limits
        event, entrants = _plan(
            store, request, sandbox, lambda named: find_entrant(home, store, named, limits, sandbox, notify), notify
        )
        record = store.tournaments.begin(
            request.name,
            request.format,
            event.as_json(),
            # The seed determines the cards, so unless the organiser chose one it must not be guessable.
            request.seed if request.seed is not None else secrets.token_hex(16),
            [bot.id for bot in entrants],
            event.brackets,
        )
        return _play(home, store, record, request, link, notify, stop)


def resume_tournament(home: Home, request: ResumeRequest, notify: OnEvent, stop: Stop) -> TournamentResult:
    """Continue a tournament that was interrupted."""
    link = cluster_link(request.cluster)
    if not home.exists:
        raise NotFound(f"There is no arena in `{home.path}`.", hint="Run `arena tournament` without `--resume`.")
    with home.conducting(), Store.open(home.database) as store:
        record = _unfinished(store, request.tournament)
        check_sandbox(Event.from_json(record.options).sandbox, notify)
        return _play(home, store, record, request, link, notify, stop)


def forecast_tournament(home: Home, request: TournamentRequest, notify: OnEvent) -> TournamentForecast:
    """Return the schedule and the expected duration of a tournament. Nothing is written."""
    _check_options(request)
    with Store.open(home.database if home.exists else "sqlite://") as store:
        event, entrants = _plan(store, request, Sandbox(), lambda named: preview_entrant(store, named), notify)
        jobs = _jobs(request)
        each = None if event.seconds is None else event.seconds / len(event.brackets)
        brackets = forecast(store, event, entrants, jobs, request.seed or "")
        return TournamentForecast(event.format, jobs, each, tuple(brackets))


def cluster_link(cluster: ClusterAddress | None) -> ClusterLink | None:
    """Return the checked link to a cluster; None: play on this machine."""
    if cluster is None:
        return None
    ca, cert, key = (None if file is None else Path(file) for file in (cluster.ca, cluster.cert, cluster.key))
    link = ClusterLink(cluster.address, Certificates(ca, cert, key))
    link.check()
    return link


def _check_options(request: TournamentRequest) -> None:
    """Raise if an option is unknown or would be ignored."""
    if request.format not in FORMATS:
        raise BadTournament(f"Unknown format `{request.format}`: expected {choices(FORMATS)}.")
    for name, formats in APPLIES_TO.items():
        if getattr(request, name) not in (None, False) and request.format not in formats:
            allowed = choices(f"`--format {each}`" for each in formats)
            raise BadTournament(f"`--{name}` applies only to {allowed}.")
    if request.cluster and request.jobs:
        raise BadTournament("`--jobs` does not apply to a cluster: its workers determine the number of cores.")


def _plan(
    store: Store, request: TournamentRequest, sandbox: Sandbox, find: Find, notify: OnEvent
) -> tuple[Event, list[BotVersion]]:
    """Return the tournament's stored options and its entrants."""
    entrants = find_entrants(store, request.bots, find, notify)
    newcomer = None
    if request.format == Gauntlet.name:
        newcomer = store.bots.find(request.newcomer) if request.newcomer else entrants[0]
        if newcomer not in entrants:
            raise BadTournament(f"The newcomer `{newcomer.label}` is not among the bots of this tournament.")
    if request.brackets:
        brackets = tuple(dict.fromkeys(Bracket.parse(name).name for name in request.brackets))
    else:
        brackets = default_brackets(entrants, newcomer, notify)
    event = Event(
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
        ponder=request.may_ponder(len(entrants), cores=1),  # a worker and its bots share one core
    )
    event.check([bot.games for bot in entrants])
    return event, entrants


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
    link: ClusterLink | None,
    notify: OnEvent,
    stop: Stop,
) -> TournamentResult:
    versions = store.bots.by_id(record.entrants)
    launches = {number: launch_of(home, version) for number, version in versions.items()}
    runner: MakeRunner = LocalRunner
    if link is not None:
        from arena.tournament.runners.dask.runner import dask_runner  # Dask is an optional dependency

        runner = dask_runner(link, home, versions)
    reporter = _Reporter(record.id, notify)
    conductor = Conductor(
        home,
        store,
        record,
        versions,
        launches,
        jobs=_jobs(request),
        at_once=request.at_once,
        show=reporter.show,
        runner=runner,
        stop=stop,
    )
    labels = tuple(versions[version].label for version in record.entrants)
    names = tuple(bracket.bracket for bracket in record.brackets)
    resumed = isinstance(request, ResumeRequest)
    notify(TournamentStarted(record.id, record.name, record.format, names, labels, resumed))
    with suppress(Stopped):
        conductor.play()
    return _result(store, store.tournaments.load(record.id), conductor, labels, reporter)


class _Reporter:
    """Turns the conductor's progress into events."""

    def __init__(self, tournament: int, notify: OnEvent) -> None:
        self.tournament = tournament
        self.notify = notify
        self.replayed = 0
        self.last_host_fault = ""
        self._notice = ""

    def show(self, progress: Progress) -> None:
        self.replayed, self.last_host_fault = progress.spoiled, progress.last_trouble
        if progress.notice != self._notice:
            self._notice = progress.notice
            self.notify(Note(f"cluster: {progress.notice}", NoteLevel.DETAIL))
        elapsed = progress.elapsed
        rate = progress.matches_per_second
        self.notify(
            TournamentProgress(
                tournament=self.tournament,
                bracket=progress.bracket,
                matches=progress.played,
                total=progress.expected,
                matches_per_second=rate,
                elapsed=elapsed,
                time_limit=progress.seconds,
                seconds_left=_seconds_left(progress, elapsed, rate),
                round=progress.round,
                leaders=tuple(Leader(*leader) for leader in progress.top),
                faults=dict(progress.faults.most_common()),
                replayed=progress.spoiled,
                last_host_fault=progress.last_trouble,
                workers=tuple(progress.paces),
            )
        )


def _seconds_left(progress: Progress, elapsed: float, rate: float) -> float | None:
    by_clock = None if progress.seconds is None else max(0.0, progress.seconds - elapsed)
    if not progress.expected or progress.played <= progress.played_before:
        return by_clock
    by_count = max(0, progress.expected - progress.played) / rate
    return by_count if by_clock is None else min(by_clock, by_count)


def _result(
    store: Store, record: TournamentRecord, conductor: Conductor, labels: tuple[str, ...], reporter: _Reporter
) -> TournamentResult:
    brackets = []
    for name, course in conductor.courses.items():
        names = tuple(labels[entrant] for entrant in course.field)
        if isinstance(course.format, Knockout):
            champion = course.format.champion
            won = None if champion is None else names[champion]
            brackets.append(BracketResult(name, names, rounds=tuple(course.format.tree), champion=won))
        elif isinstance(course.format, Swiss):
            ranking = tuple(names[entrant] for entrant in course.format.ranking())
            brackets.append(BracketResult(name, names, ranking=ranking))
        else:
            brackets.append(BracketResult(name, names))
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
        replayed=reporter.replayed,
        last_host_fault=reporter.last_host_fault,
    )
