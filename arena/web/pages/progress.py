"""How far the brackets of tournaments are, cached between polls so that known results are not read again."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from threading import Lock
from typing import NamedTuple

from markupsafe import Markup

from arena.errors import ArenaError
from arena.games.brackets import Bracket
from arena.reports.words import counted
from arena.store.store import Store
from arena.store.tournaments import BracketProgress, TournamentRecord, TournamentState
from arena.tournament.course import Retrace
from arena.tournament.formats import FORMATS
from arena.tournament.formats.knockout import Knockout
from arena.tournament.options import TournamentOptions
from arena.web.config import CONFIG
from arena.web.drawing.plots import knockout_tree


class Status(StrEnum):
    """Whether a tournament is being played."""

    RUNNING = "running"
    INTERRUPTED = "interrupted"
    DONE = "done"


def status_of(record: TournamentRecord, running: Collection[int]) -> Status:
    """Return the status. `running`: the ids of the tournaments that are being played."""
    if record.state is TournamentState.DONE:
        return Status.DONE
    return Status.RUNNING if record.id in running else Status.INTERRUPTED


def event_of(record: TournamentRecord) -> TournamentOptions | None:
    """Return the settings of a tournament; None for what has none, such as a ladder."""
    return TournamentOptions.from_json(record.options) if record.format in FORMATS else None


class ProgressBar(NamedTuple):
    """How much of a bracket is played."""

    bracket: str
    status: Status
    share: float | None
    """Between 0 and 1; None if it is not known."""
    text: str


@dataclass(slots=True)
class BracketDraw:
    """What follows from a bracket's settings, and the knockout tree as far as results are known."""

    entrants: list[int]
    """The tournament's entrants that play in the bracket, in the format's order."""
    expected: int | None
    at_least: bool = False
    retrace: Retrace | None = None
    """Only for a knockout."""
    lock: Lock = field(default_factory=Lock)
    """Held while results are added."""


class ProgressCache:
    """Keeps the draws of the brackets that were requested last."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._draw = lru_cache(CONFIG.cached_brackets)(self._new_draw)

    def bar(self, record: TournamentRecord, bracket: BracketProgress, status: Status) -> ProgressBar:
        name, played = bracket.bracket, bracket.played
        if status is Status.DONE or bracket.state is TournamentState.DONE:
            return ProgressBar(name, Status.DONE, 1.0, counted(played, "match", "matches"))
        draw = self._draw(record.id, name)
        if draw is None or not draw.expected:
            return ProgressBar(name, status, None, counted(played, "match", "matches"))
        text = f"{played:,} of {'at least ' if draw.at_least else ''}{draw.expected:,} matches"
        return ProgressBar(name, status, min(1.0, played / draw.expected), text)

    def tree(self, record: TournamentRecord, bracket: str) -> Markup:
        """Draw the current knockout tree; nothing for other formats."""
        draw = self._draw(record.id, bracket)
        if draw is None or draw.retrace is None:
            return Markup("")
        with draw.lock:
            retrace = draw.retrace
            try:
                for pairs in self.store.matches.outcomes(record.id, bracket, retrace.counted):
                    retrace.take_outcome(pairs)
            except BaseException:
                self._draw.cache_clear()  # it may be inconsistent: start again next time
                raise
            knockout = retrace.format
            assert isinstance(knockout, Knockout)
            versions = self.store.bots.by_id(record.entrants)
            labels = [versions[record.entrants[entrant]].label for entrant in draw.entrants]
            return knockout_tree(bracket, knockout.tree, labels, retrace.under_way, knockout.champion)

    def _new_draw(self, tournament: int, name: str) -> BracketDraw | None:
        """Return the draw of a bracket; None if it does not follow from the settings."""
        record = self.store.tournaments.load(tournament)
        event = event_of(record)
        if event is None:
            return None
        bracket = Bracket.parse(name)
        versions = self.store.bots.by_id(record.entrants)
        games = [versions[version].games for version in record.entrants]
        try:
            drawn, entrants = event.draw(bracket, games, record.seed)
        except ArenaError:  # written by a version with other rules for its formats
            return None
        expected = event.expected_matches(drawn)
        if not isinstance(drawn, Knockout):
            return BracketDraw(entrants, expected)
        at_least = expected is None and event.seconds is None
        if at_least:
            expected = drawn.least_pairings() * drawn.deals * drawn.field.seats
        return BracketDraw(entrants, expected, at_least, Retrace(drawn))
