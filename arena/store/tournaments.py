"""Tournaments in the store: what was decided when they began, and their progress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from sqlalchemy import Select, func, insert, select, update

from arena.errors import BadTournament, NotFound
from arena.games.base import Json
from arena.records import now
from arena.store.engine import StoreSection, write_transaction
from arena.store.schema import brackets, entries, tournaments


class TournamentState(Enum):
    """The progress of a tournament, or of one of its brackets."""

    RUNNING = "running"
    """Running, or interrupted: it can be resumed."""
    DONE = "done"


@dataclass(frozen=True, slots=True)
class BracketProgress:
    """The progress of one bracket of a tournament."""

    bracket: str
    state: TournamentState
    folded: int
    """The number of blocks that are counted in the standings."""
    matches: int
    """The number of matches in these blocks."""
    played: int
    """The number of stored matches, counted or not."""


@dataclass(frozen=True, slots=True)
class TournamentRecord:
    """A stored tournament."""

    id: int
    name: str
    format: str
    options: Mapping[str, Json]
    seed: str
    rated: bool
    state: TournamentState
    created: str
    ended: str | None
    entrants: tuple[int, ...]
    """The bot versions; an entrant's index here is its number in the schedule."""
    brackets: tuple[BracketProgress, ...]

    @property
    def played(self) -> int:
        """The number of stored matches."""
        return sum(bracket.played for bracket in self.brackets)


class StoredTournaments(StoreSection):
    """Reads and begins tournaments."""

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
        """Store a new tournament. Without a name it is named after its number."""
        with write_transaction(self.engine) as connection:
            taken = select(tournaments.c.id).where(tournaments.c.name == name, tournaments.c.rated)
            if name and rated and (same := connection.execute(taken).scalar()) is not None:
                raise BadTournament(f"The name `{name}` is taken by tournament {same}.", hint="Choose another name.")
            new = insert(tournaments).values(
                name=name,
                format=format_name,
                options=dict(options),
                seed=seed,
                rated=rated,
                state=TournamentState.RUNNING.value,
                created=now(),
            )
            number = connection.execute(new.returning(tournaments.c.id)).scalar_one()
            if not name:
                named = update(tournaments).where(tournaments.c.id == number)
                connection.execute(named.values(name=f"tournament {number}"))
            key = {"tournament_id": number}
            entered = [{**key, "entrant": each, "version_id": version} for each, version in enumerate(entrants)]
            connection.execute(insert(entries), entered)
            played = [{**key, "bracket": each, "place": place} for place, each in enumerate(bracket_names)]
            connection.execute(insert(brackets).values(state=TournamentState.RUNNING.value), played)
        return self.load(number)

    def load(self, number: int) -> TournamentRecord:
        found = self._load_all(select(tournaments.c.id).where(tournaments.c.id == number))
        if not found:
            raise _not_found(number)
        return found[0]

    def find(self, named: str) -> TournamentRecord:
        """Return the tournament with this name or number; of several with the same name the latest."""
        number = self._column(select(func.max(tournaments.c.id)).where(tournaments.c.name == named))[0]
        if number is None and named.isdecimal() and len(named) < 10:
            number = int(named)
        if number is None:
            raise _not_found(named)
        return self.load(number)

    def latest(self, limit: int | None = None, before: int | None = None) -> list[TournamentRecord]:
        """Return the latest tournaments, newest first; `before`: only those with a smaller number."""
        wanted = select(tournaments.c.id).order_by(tournaments.c.id.desc()).limit(limit)
        if before is not None:
            wanted = wanted.where(tournaments.c.id < before)
        return self._load_all(wanted)[::-1]

    def bracket_names(self) -> list[str]:
        """Return every bracket of any tournament, rated or not."""
        return self._column(select(brackets.c.bracket).distinct().order_by(brackets.c.bracket))

    def unfinished(self) -> TournamentRecord | None:
        """Return the latest tournament that can be resumed."""
        running = (tournaments.c.state == TournamentState.RUNNING.value) & tournaments.c.rated
        number = self._column(select(func.max(tournaments.c.id)).where(running))[0]
        return None if number is None else self.load(number)

    def end_bracket(self, number: int, bracket: str) -> None:
        """Mark the bracket as done, and the tournament too if it was the last one."""
        with self.engine.begin() as connection:
            ours = brackets.c.tournament_id == number
            done = update(brackets).where(ours, brackets.c.bracket == bracket)
            connection.execute(done.values(state=TournamentState.DONE.value))
            running = (
                select(func.count())
                .select_from(brackets)
                .where(ours, brackets.c.state == TournamentState.RUNNING.value)
            )
            if not connection.execute(running).scalar():
                ended = update(tournaments).where(tournaments.c.id == number)
                connection.execute(ended.values(state=TournamentState.DONE.value, ended=now()))

    def _load_all(self, numbers: Select[int]) -> list[TournamentRecord]:
        """Return these tournaments, oldest first, with three queries in all."""
        wanted = select(numbers.subquery())
        of_entries = select(entries).where(entries.c.tournament_id.in_(wanted))
        of_brackets = select(brackets).where(brackets.c.tournament_id.in_(wanted))
        chosen = select(tournaments).where(tournaments.c.id.in_(wanted)).order_by(tournaments.c.id)
        with self.engine.connect() as connection:
            entered = connection.execute(of_entries.order_by(entries.c.tournament_id, entries.c.entrant)).all()
            played = connection.execute(of_brackets.order_by(brackets.c.tournament_id, brackets.c.place)).all()
            found = connection.execute(chosen).all()
        entrants: dict[int, list[int]] = {}
        for row in entered:
            entrants.setdefault(row.tournament_id, []).append(row.version_id)
        progress: dict[int, list[BracketProgress]] = {}
        for row in played:
            each = BracketProgress(row.bracket, TournamentState(row.state), row.folded, row.matches, row.played)
            progress.setdefault(row.tournament_id, []).append(each)
        records = []
        for row in found:
            about = {**row._mapping, "state": TournamentState(row.state), "entrants": tuple(entrants.get(row.id, ()))}
            records.append(TournamentRecord(**about, brackets=tuple(progress.get(row.id, ()))))
        return records


def _not_found(named: object) -> NotFound:
    return NotFound(f"There is no tournament `{named}` here.", hint="Run `arena history`.")
