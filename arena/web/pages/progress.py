"""How far the brackets of tournaments have come, kept between two looks: what is known already is not read again."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock

from arena.errors import ArenaError
from arena.games.brackets import Bracket
from arena.store.store import Store
from arena.store.tournaments import TournamentRecord
from arena.tournament.event import Event
from arena.tournament.formats import FORMATS, Format, Knockout
from arena.tournament.retrace import Retrace
from arena.web.drawing.knockout_tree import Drawing, draw_tree

MOST_KEPT = 32


@dataclass(slots=True)
class Course:
    """One bracket of a tournament."""

    entrants: list[int]
    """The tournament's entrants that play in it, in the order in which the format numbers them."""
    seats: int
    """At a table."""
    expected: int | None
    """Matches; None where that is not known."""
    at_least: bool
    """Whether there may be more of them."""
    retrace: Retrace | None
    """Only of a knockout."""
    lock: Lock = field(default_factory=Lock)
    """Held by who goes on with it."""


def event_of(record: TournamentRecord) -> Event | None:
    """What the organiser has decided; None where it is no tournament but a comparison, say."""
    return Event.from_json(record.options) if record.format in FORMATS else None


class ProgressCache:
    """Keeps the latest ones that were asked for."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._kept: OrderedDict[tuple[int, str], Course | None] = OrderedDict()
        self._lock = Lock()

    def course(self, record: TournamentRecord, bracket: str) -> Course | None:
        """None where it cannot be said who meets whom: in a comparison, say."""
        key = record.id, bracket
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = self._new(record, bracket)  # takes its time, in which others need not wait
        with self._lock:
            made = self._kept.setdefault(key, made)
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return made

    def _new(self, record: TournamentRecord, name: str) -> Course | None:
        event = event_of(record)
        if event is None:
            return None
        bracket = Bracket.parse(name)
        versions = self.store.bots.by_id(record.entrants)
        games = [versions[version].games for version in record.entrants]
        field = [number for number, played in enumerate(games) if bracket.game in played]
        try:
            drawn_by = event.draw(bracket, len(field), record.seed, event.newcomer_in(bracket, games))
        except ArenaError:  # by an arena with other rules for its formats
            return None
        expected, at_least = self._expected(event, drawn_by)
        retrace = Retrace(drawn_by) if isinstance(drawn_by, Knockout) else None
        return Course(field, drawn_by.field.seats, expected, at_least, retrace)

    def _expected(self, event: Event, drawn_by: Format) -> tuple[int | None, bool]:
        expected = event.expected_matches(drawn_by)
        if expected is None and isinstance(drawn_by, Knockout) and event.seconds is None:
            return drawn_by.least_pairings() * drawn_by.deals * drawn_by.field.seats, True
        return expected, False

    def tree(self, record: TournamentRecord, bracket: str) -> Drawing | None:
        """The tree of a knockout as it stands."""
        course = self.course(record, bracket)
        if course is None or course.retrace is None:
            return None
        with course.lock:
            retrace = course.retrace
            try:
                for pairs in self.store.matches.outcomes(record.id, bracket, retrace.counted):
                    retrace.take(pairs)
            except BaseException:
                with self._lock:
                    self._kept.pop((record.id, bracket), None)  # it may be half done: the next one begins anew
                raise
            drawn_by = retrace.format
            assert isinstance(drawn_by, Knockout)
            versions = self.store.bots.by_id(record.entrants)
            labels = [versions[record.entrants[entrant]].label for entrant in course.entrants]
            return draw_tree(drawn_by.tree, labels, retrace.under_way(), drawn_by.champion)
