"""The tournaments in the store: what was decided when they began, and how far they have come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from sqlalchemy import Connection, Engine, func, insert, select, update

from arena.errors import BadTournament, NothingThere
from arena.games.base import Json
from arena.store.moment import now
from arena.store.schema import brackets, entries, matches, tournaments


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
        with self.engine.begin() as connection:
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
                raise NothingThere(f"there is no tournament {named!r} here: see arena history.")
            return _load(connection, number)

    def all(self) -> list[TournamentRecord]:
        """Every tournament, the oldest first."""
        with self.engine.connect() as connection:
            numbers = connection.scalars(select(tournaments.c.id).order_by(tournaments.c.id)).all()
            return [_load(connection, number) for number in numbers]

    def unfinished(self) -> TournamentRecord | None:
        """The latest tournament that can be continued."""
        with self.engine.connect() as connection:
            running = (tournaments.c.state == State.RUNNING.value) & tournaments.c.rated
            number = connection.execute(select(func.max(tournaments.c.id)).where(running)).scalar()
            return None if number is None else _load(connection, number)

    def played(self, number: int) -> int:
        """How many of its matches are on record."""
        with self.engine.connect() as connection:
            counted = select(func.count()).select_from(matches).where(matches.c.tournament_id == number)
            return connection.execute(counted).scalar_one()

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
    row = connection.execute(select(tournaments).where(tournaments.c.id == number)).first()
    if row is None:
        raise NothingThere(f"there is no tournament {number} here: see arena history.")
    by_entrant = select(entries.c.version_id).where(entries.c.tournament_id == number).order_by(entries.c.entrant)
    by_place = select(brackets).where(brackets.c.tournament_id == number).order_by(brackets.c.place)
    return TournamentRecord(
        id=number,
        name=row.name,
        format=row.format,
        options=row.options,
        seed=row.seed,
        rated=row.rated,
        state=State(row.state),
        created=row.created,
        ended=row.ended,
        entrants=tuple(connection.scalars(by_entrant)),
        brackets=tuple(
            BracketProgress(each.bracket, State(each.state), each.folded, each.matches)
            for each in connection.execute(by_place)
        ),
    )
