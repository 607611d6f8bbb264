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
from arena.requests import CompareRequest
from arena.store.bots import BotVersion
from arena.store.home import Home
from arena.store.store import Store
from arena.tournament.conductor import Conductor
from arena.tournament.entrants import enter, open_to_read, preview_entrant
from arena.tournament.formats.cycles import Duel
from arena.tournament.options import TournamentOptions
from arena.tournament.stopping import SequentialTest

ComparisonEvent = Sprt | Note | Activity
"""What a comparison reports: the state of its test, and notes."""


@dataclass(frozen=True, slots=True)
class ComparisonResult:
    """Whether `new` is stronger than `old`."""

    old: str
    new: str
    bracket: str
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
        test = self.test
        return {
            "old": self.old,
            "new": self.new,
            "bracket": self.bracket,
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


def compare(
    home: Home,
    request: CompareRequest,
    notify: Callable[[ComparisonEvent], None],
    stop: Callable[[], bool] = lambda: False,
) -> ComparisonResult:
    """Play deals until the test has decided or they are used up. The matches are stored but not rated."""
    bracket = Bracket.parse(request.bracket)
    seats = request.seats or bracket.comparison_seats
    bracket.rules.check_seats(seats, **dict(bracket.options))
    sandbox = request.choose_sandbox(notify)
    with open_to_read(home) as store:
        _check(bracket, *(preview_entrant(store, named) for named in (request.old, request.new)))
    options = TournamentOptions(
        format=Duel.name,
        brackets=(bracket.name,),
        seats=seats,
        rounds=request.max_deals,
        hypotheses=Hypotheses(0.0, request.elo, request.alpha, request.beta),
        limits=request.limits,
        sandbox=sandbox,
        ponder=request.may_ponder(seats, cores=1),
        sealed=True,
        own_deals=True,
    )
    with home.conducting(), Store.open(home.database) as store:
        old, new = (enter(home, store, named, request, sandbox, notify) for named in (request.old, request.new))
        _check(bracket, old, new)
        record = store.tournaments.begin(
            f"{old.label} or {new.label}",
            Duel.name,
            options.as_json(),
            request.seed if request.seed is not None else secrets.token_hex(16),
            (old.id, new.id),
            options.brackets,
            rated=False,
        )
        jobs = request.jobs or len(os.sched_getaffinity(0))
        conductor = Conductor(
            home, store, record, jobs=jobs, notify=lambda _: notify(_test_of(conductor, bracket)), stop=stop
        )
        with suppress(Stopped):
            conductor.play()
        run = conductor.brackets[bracket.name]
        test = _test_of(conductor, bracket)
        return ComparisonResult(
            old.label, new.label, bracket.name, test, run.course.matches_counted, run.faults.total(), record.id
        )


def _check(bracket: Bracket, old: BotVersion, new: BotVersion) -> None:
    """Raise `BadTournament` if the two cannot be compared."""
    for bot in (old, new):
        if bracket.game not in bot.games:
            raise BadTournament(f"`{bot.label}` does not play `{bracket.game}`.")
    if old.id == new.id:
        raise BadTournament(f"`{old.label}` cannot be compared with itself.")


def _test_of(conductor: Conductor, bracket: Bracket) -> Sprt:
    (rule,) = conductor.brackets[bracket.name].course.stop_rules
    assert isinstance(rule, SequentialTest)
    return rule.test
