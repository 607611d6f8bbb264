"""Comparison: an unrated tournament of two bot versions that a sequential test ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from arena.errors import BadTournament
from arena.games.brackets import Bracket
from arena.rating.sprt import Decision, Hypotheses, Sprt
from arena.referee import Limits
from arena.sandbox import Sandbox
from arena.store.bots import BotVersion
from arena.store.home import Home
from arena.store.store import Store
from arena.submissions.install import launch_of
from arena.tournament.conductor import Conductor
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
                raise BadTournament(f"{bot.label} does not play {self.bracket.game}.")
        if self.old.id == self.new.id:
            raise BadTournament(f"{self.old.label} cannot be compared with itself.")

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
    def decision(self) -> Decision:
        return self.test.decision


def compare(
    home: Home,
    store: Store,
    comparison: Comparison,
    *,
    jobs: int,
    on_progress: Callable[[Sprt], None] = lambda _: None,
) -> ComparisonResult:
    """Play blocks until the test has decided or the deals are used up. The matches are stored but not rated."""
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
        on_progress(sequential_test())

    conductor = Conductor(home, store, record, versions, launches, jobs=jobs, show=show)
    conductor.play()
    course, faults = conductor.courses[bracket], conductor.progress.faults.total()
    return ComparisonResult(comparison, sequential_test(), course.matches_counted, faults, record.id)
