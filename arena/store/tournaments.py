"""The tournaments in the store: what was decided when they began, and how far they have come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from sqlalchemy import Connection, Engine, Select, func, insert, select, update

from arena.errors import BadTournament, NotFound
from arena.games.base import Json
from arena.store.moment import now
from arena.store.schema import brackets, entries, tournaments
from arena.store.writing import writing


class State(Enum):
    """How far a tournament, or one of its brackets, has come."""

    RUNNING = "running"
    """Under way, or interrupted: it can be continued."""
    DONE = "done"


@dataclass(frozen=True, slots=True)
class BracketProgress:
    """How far a bracket of a tournament has come."""

    bracket: str
    state: State
    folded: int
    """So many of its blocks are counted in the standings."""
    matches: int
    """So many matches are in these blocks."""
    played: int
    """So many of its matches are on record, counted or not."""


@dataclass(frozen=True, slots=True)
class TournamentRecord:
    """A tournament as it was begun."""

    id: int
    name: str
    format: str
    options: Mapping[str, Json]
    seed: str
    rated: bool
    state: State
    created: str
    ended: str | None
    entrants: tuple[int, ...]
    """The versions that take part; their places here are their numbers in the schedule."""
    brackets: tuple[BracketProgress, ...]

    @property
    def played(self) -> int:
        """How many of its matches are on record."""
        return sum(bracket.played for bracket in self.brackets)


class Tournaments:
    """Reads and begins tournaments."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def begin(
        self,
        name: str,
        format_name: str,
        options: Mapping[str, Json],
        seed: str,
        entrants: Sequence[int],
        bracket_names: Sequence[str],
        *,
        rated: bool = True,
    ) -> TournamentRecord:
        """Writes down a new tournament. Without a name it is called after its number."""
        with writing(self.engine) as connection:
            row = {
                "name": name,
                "format": format_name,
                "options": dict(options),
                "seed": seed,
                "rated": rated,
                "state": State.RUNNING.value,
                "created": now(),
            }
            taken = select(tournaments.c.id).where(tournaments.c.name == name, tournaments.c.rated)
            if name and rated and (same := connection.execute(taken).scalar()) is not None:
                raise BadTournament(f"tournament {same} is called {name!r} already: give this one another name.")
            number = connection.execute(insert(tournaments).values(row).returning(tournaments.c.id)).scalar_one()
            if not name:
                named = update(tournaments).where(tournaments.c.id == number)
                connection.execute(named.values(name=f"tournament {number}"))
            connection.execute(
                insert(entries),
                [
                    {"tournament_id": number, "entrant": entrant, "version_id": version}
                    for entrant, version in enumerate(entrants)
                ],
            )
            connection.execute(
                insert(brackets),
                [
                    {
                        "tournament_id": number,
                        "bracket": bracket,
                        "place": place,
                        "state": State.RUNNING.value,
                        "folded": 0,
                        "matches": 0,
                        "played": 0,
                    }
                    for place, bracket in enumerate(bracket_names)
                ],
            )
            return _load(connection, number)

    def load(self, number: int) -> TournamentRecord:
        with self.engine.connect() as connection:
            return _load(connection, number)

    def find(self, named: str) -> TournamentRecord:
        """The tournament with this number or name; of several with the same name the latest."""
        with self.engine.connect() as connection:
            by_name = select(func.max(tournaments.c.id)).where(tournaments.c.name == named)
            number = connection.execute(by_name).scalar()
            if number is None and named.isdecimal() and len(named) < 10:
                number = int(named)
            if number is None:
                raise NotFound(f"there is no tournament {named!r} here: see arena history.")
            return _load(connection, number)

    def all(self) -> list[TournamentRecord]:
        """Every tournament, the oldest first."""
        with self.engine.connect() as connection:
            return _load_all(connection, select(tournaments.c.id))

    def latest(self, limit: int, before: int | None = None) -> list[TournamentRecord]:
        """The latest tournaments, or those before one of them, the newest first."""
        wanted = select(tournaments.c.id).order_by(tournaments.c.id.desc()).limit(limit)
        if before is not None:
            wanted = wanted.where(tournaments.c.id < before)
        with self.engine.connect() as connection:
            return _load_all(connection, wanted)[::-1]

    def bracket_names(self) -> list[str]:
        """All brackets in which anything was ever played, rated or not."""
        with self.engine.connect() as connection:
            return list(connection.scalars(select(brackets.c.bracket).distinct().order_by(brackets.c.bracket)))

    def unfinished(self) -> TournamentRecord | None:
        """The latest tournament that can be continued."""
        with self.engine.connect() as connection:
            running = (tournaments.c.state == State.RUNNING.value) & tournaments.c.rated
            number = connection.execute(select(func.max(tournaments.c.id)).where(running)).scalar()
            return None if number is None else _load(connection, number)

    def end_bracket(self, number: int, bracket: str) -> None:
        """The bracket is over, and with the last one the tournament."""
        with self.engine.begin() as connection:
            ours = brackets.c.tournament_id == number
            done = update(brackets).where(ours, brackets.c.bracket == bracket)
            connection.execute(done.values(state=State.DONE.value))
            running = select(func.count()).select_from(brackets).where(ours, brackets.c.state == State.RUNNING.value)
            if not connection.execute(running).scalar():
                ended = update(tournaments).where(tournaments.c.id == number)
                connection.execute(ended.values(state=State.DONE.value, ended=now()))


def _load(connection: Connection, number: int) -> TournamentRecord:
    found = _load_all(connection, select(tournaments.c.id).where(tournaments.c.id == number))
    if not found:
        raise NotFound(f"there is no tournament {number} here: see arena history.")
    return found[0]


def _load_all(connection: Connection, numbers: Select[int]) -> list[TournamentRecord]:
    """These tournaments, the oldest first: three queries, however many they are."""
    wanted = numbers.subquery()
    of_entries = select(entries).where(entries.c.tournament_id.in_(select(wanted)))
    of_brackets = select(brackets).where(brackets.c.tournament_id.in_(select(wanted)))
    entrants: dict[int, list[int]] = {}
    for row in connection.execute(of_entries.order_by(entries.c.tournament_id, entries.c.entrant)):
        entrants.setdefault(row.tournament_id, []).append(row.version_id)
    progress: dict[int, list[BracketProgress]] = {}
    for row in connection.execute(of_brackets.order_by(brackets.c.tournament_id, brackets.c.place)):
        each = BracketProgress(row.bracket, State(row.state), row.folded, row.matches, row.played)
        progress.setdefault(row.tournament_id, []).append(each)
    chosen = select(tournaments).where(tournaments.c.id.in_(select(wanted))).order_by(tournaments.c.id)
    return [
        TournamentRecord(
            id=row.id,
            name=row.name,
            format=row.format,
            options=row.options,
            seed=row.seed,
            rated=row.rated,
            state=State(row.state),
            created=row.created,
            ended=row.ended,
            entrants=tuple(entrants.get(row.id, ())),
            brackets=tuple(progress.get(row.id, ())),
        )
        for row in connection.execute(chosen)
    ]
