"""Comparison: an unrated tournament of two bot versions that a sequential test ends."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from arena.errors import BadTournament
from arena.events import Activity, Note
from arena.games.brackets import Bracket
from arena.interrupts import Stopped
from arena.rating.sprt import Hypotheses, Sprt, SprtDecision, elo_of
from arena.referee import Limits
from arena.requests import CompareRequest
from arena.sandbox import Sandbox
from arena.store.bots import BotVersion
from arena.store.home import Home
from arena.store.store import Store
from arena.submissions.install import launch_of
from arena.tournament.conductor import Conductor
from arena.tournament.entrants import find_entrant
from arena.tournament.event import Event
from arena.tournament.formats import Duel
from arena.tournament.progress import Progress
from arena.tournament.stopping import SequentialTest


@dataclass(frozen=True, slots=True)
class Comparison:
    """A question: is `new` stronger than `old`?"""

    old: BotVersion
    new: BotVersion
    bracket: Bracket
    seats: int
    """Taken by old and new alternately."""
    hypotheses: Hypotheses
    max_deals: int
    """Stop undecided after this number of deals."""
    limits: Limits
    sandbox: Sandbox
    ponder: bool
    seed: str

    def check(self) -> None:
        """Raise `BadTournament` if the two cannot be compared."""
        for bot in (self.old, self.new):
            if self.bracket.game not in bot.games:
                raise BadTournament(f"`{bot.label}` does not play `{self.bracket.game}`.")
        if self.old.id == self.new.id:
            raise BadTournament(f"`{self.old.label}` cannot be compared with itself.")

    def event(self) -> Event:
        """Return the options of the tournament that answers the question."""
        return Event(
            format=Duel.name,
            brackets=(self.bracket.name,),
            seats=self.seats,
            rounds=self.max_deals,
            hypotheses=self.hypotheses,
            limits=self.limits,
            sandbox=self.sandbox,
            ponder=self.ponder,
            sealed=True,
        )


@dataclass(frozen=True, slots=True)
class ComparisonResult:
    """The answer."""

    comparison: Comparison
    test: Sprt
    matches: int
    """Matches that the test has counted."""
    faults: int
    """Seats that were forfeited."""
    tournament: int

    @property
    def decision(self) -> SprtDecision:
        return self.test.decision

    @property
    def elo(self) -> float:
        """The gain of the new version in Elo points."""
        return elo_of(self.test.mean)

    @property
    def elo_interval(self) -> tuple[float, float]:
        """The 95 % interval of the gain."""
        low, high = self.test.interval
        return elo_of(low), elo_of(high)

    def to_dict(self) -> dict[str, object]:
        """Return the result as a flat dictionary."""
        test, comparison = self.test, self.comparison
        return {
            "old": comparison.old.label,
            "new": comparison.new.label,
            "bracket": comparison.bracket.name,
            "decision": self.decision.name.lower(),
            "blocks": test.blocks,
            "matches": self.matches,
            "share": test.mean,
            "interval": test.interval,
            "elo": self.elo,
            "log_likelihood_ratio": test.ratio,
            "bounds": [test.hypotheses.lower, test.hypotheses.upper],
            "faults": self.faults,
            "tournament": self.tournament,
        }


@dataclass(frozen=True, slots=True)
class ComparisonProgress:
    """How far a comparison is."""

    deals: int
    share: float
    """The new version's share of the points."""
    ratio: float
    """The log-likelihood ratio. The test decides when it leaves the bounds."""
    lower: float
    upper: float


def compare(
    home: Home,
    request: CompareRequest,
    notify: Callable[[ComparisonProgress | Note | Activity], None],
    stop: Callable[[], bool] = lambda: False,
) -> ComparisonResult:
    """Play deals until the test has decided or they are used up. The matches are stored but not rated."""
    bracket = Bracket.parse(request.bracket)
    seats = request.seats or bracket.comparison_seats
    bracket.rules.check_seats(seats, **dict(bracket.options))
    sandbox = request.choose_sandbox(notify)
    with home.conducting(), Store.open(home.database) as store:
        old, new = (
            find_entrant(home, store, named, request.limits, sandbox, notify) for named in (request.old, request.new)
        )
        comparison = Comparison(
            old,
            new,
            bracket,
            seats,
            Hypotheses(0.0, request.elo, request.alpha, request.beta),
            request.max_deals,
            request.limits,
            sandbox,
            request.may_ponder(seats, cores=1),
            request.seed if request.seed is not None else secrets.token_hex(16),
        )
        jobs = request.jobs or len(os.sched_getaffinity(0))
        return play_comparison(home, store, comparison, jobs=jobs, notify=notify, stop=stop)


def play_comparison(
    home: Home,
    store: Store,
    comparison: Comparison,
    *,
    jobs: int,
    notify: Callable[[ComparisonProgress], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
) -> ComparisonResult:
    """Play a comparison between two bots of the store."""
    comparison.check()
    old, new, bracket = comparison.old, comparison.new, comparison.bracket.name
    record = store.tournaments.begin(
        f"{old.label} or {new.label}",
        Duel.name,
        comparison.event().as_json(),
        comparison.seed,
        (old.id, new.id),
        [bracket],
        rated=False,
    )
    versions = {bot.id: bot for bot in (old, new)}
    launches = {bot.id: launch_of(home, bot) for bot in (old, new)}

    def sequential_test() -> Sprt:
        (rule,) = conductor.courses[bracket].stop_rules
        assert isinstance(rule, SequentialTest)
        return rule.test

    def show(progress: Progress) -> None:
        del progress
        test = sequential_test()
        bounds = test.hypotheses
        notify(ComparisonProgress(test.blocks, test.mean, test.ratio, bounds.lower, bounds.upper))

    conductor = Conductor(home, store, record, versions, launches, jobs=jobs, show=show, stop=stop)
    with suppress(Stopped):
        conductor.play()
    course, faults = conductor.courses[bracket], conductor.progress.faults.total()
    return ComparisonResult(comparison, sequential_test(), course.matches_counted, faults, record.id)
