"""How far the brackets of tournaments are, cached between polls so that known results are not read again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass, field
from enum import Enum
from threading import Lock

from arena.errors import ArenaError
from arena.games.brackets import Bracket
from arena.reports.words import counted
from arena.store.store import Store
from arena.store.tournaments import BracketProgress, TournamentRecord, TournamentState
from arena.tournament.event import Event
from arena.tournament.formats import FORMATS, Format, Knockout
from arena.tournament.retrace import Retrace
from arena.web.config import CONFIG
from arena.web.drawing.knockout_tree import TreeDrawing, draw_tree


class Status(Enum):
    """Whether a tournament is being played."""

    RUNNING = "running"
    INTERRUPTED = "interrupted"
    DONE = "done"


def status_of(record: TournamentRecord, running: Collection[int]) -> Status:
    """Return the status. `running`: the ids of the tournaments that are being played."""
    if record.state is TournamentState.DONE:
        return Status.DONE
    return Status.RUNNING if record.id in running else Status.INTERRUPTED


def event_of(record: TournamentRecord) -> Event | None:
    """Return the settings of a tournament; None for what has none, such as a ladder."""
    return Event.from_json(record.options) if record.format in FORMATS else None


@dataclass(frozen=True, slots=True)
class ProgressBar:
    """How much of a bracket is played."""

    bracket: str
    played: int
    expected: int | None
    at_least: bool
    """Whether there may be more matches than expected."""
    status: Status

    @property
    def share(self) -> float | None:
        """Between 0 and 1; None if it is not known."""
        if self.status is Status.DONE:
            return 1.0
        return min(1.0, self.played / self.expected) if self.expected else None

    @property
    def text(self) -> str:
        if self.status is Status.DONE or self.expected is None:
            return counted(self.played, "match", "matches")
        return f"{self.played:,} of {'at least ' if self.at_least else ''}{self.expected:,} matches"


@dataclass(slots=True)
class BracketDraw:
    """What follows from a bracket's settings, and the knockout tree as far as results are known."""

    entrants: list[int]
    """The tournament's entrants that play in the bracket, in the format's order."""
    expected: int | None
    at_least: bool
    retrace: Retrace | None
    """Only for a knockout."""
    lock: Lock = field(default_factory=Lock)
    """Held while results are added."""


class ProgressCache:
    """Keeps the draws of the brackets that were requested last."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._cache: OrderedDict[tuple[int, str], BracketDraw | None] = OrderedDict()
        self._lock = Lock()

    def bar(self, record: TournamentRecord, bracket: BracketProgress, status: Status) -> ProgressBar:
        draw = self._draw(record, bracket.bracket)
        return ProgressBar(
            bracket=bracket.bracket,
            played=bracket.played,
            expected=draw.expected if draw else None,
            at_least=draw.at_least if draw else False,
            status=Status.DONE if bracket.state is TournamentState.DONE else status,
        )

    def tree(self, record: TournamentRecord, bracket: str) -> TreeDrawing | None:
        """Draw the current knockout tree; None for other formats."""
        draw = self._draw(record, bracket)
        if draw is None or draw.retrace is None:
            return None
        with draw.lock:
            retrace = draw.retrace
            try:
                for pairs in self.store.matches.outcomes(record.id, bracket, retrace.counted):
                    retrace.take(pairs)
            except BaseException:
                with self._lock:
                    self._cache.pop((record.id, bracket), None)  # it may be inconsistent: start again next time
                raise
            knockout = retrace.format
            assert isinstance(knockout, Knockout)
            versions = self.store.bots.by_id(record.entrants)
            labels = [versions[record.entrants[entrant]].label for entrant in draw.entrants]
            return draw_tree(knockout.tree, labels, retrace.under_way(), knockout.champion)

    def _draw(self, record: TournamentRecord, bracket: str) -> BracketDraw | None:
        """Return the draw of a bracket; None if it does not follow from the settings."""
        key = record.id, bracket
        with self._lock:
            if key in self._cache:
                self._cache.move_to_end(key)
                return self._cache[key]
        made = self._new_draw(record, bracket)  # slow, so without the lock
        with self._lock:
            made = self._cache.setdefault(key, made)
            if len(self._cache) > CONFIG.cached_brackets:
                self._cache.popitem(last=False)
        return made

    def _new_draw(self, record: TournamentRecord, name: str) -> BracketDraw | None:
        event = event_of(record)
        if event is None:
            return None
        bracket = Bracket.parse(name)
        versions = self.store.bots.by_id(record.entrants)
        games = [versions[version].games for version in record.entrants]
        entrants = [number for number, played in enumerate(games) if bracket.game in played]
        try:
            drawn = event.draw(bracket, len(entrants), record.seed, event.newcomer_in(bracket, games))
        except ArenaError:  # written by a version with other rules for its formats
            return None
        expected, at_least = _expected_matches(event, drawn)
        return BracketDraw(entrants, expected, at_least, Retrace(drawn) if isinstance(drawn, Knockout) else None)


def _expected_matches(event: Event, drawn: Format) -> tuple[int | None, bool]:
    expected = event.expected_matches(drawn)
    if expected is None and isinstance(drawn, Knockout) and event.seconds is None:
        return drawn.least_pairings() * drawn.deals * drawn.field.seats, True
    return expected, False
