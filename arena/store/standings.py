"""Standings in the store, updated with every batch, so that a leaderboard does not read the matches."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, Engine, Select, Table, delete, func, select, text

from arena.rating.standings import Changes, Meetings, RatingPoint, SeatTally, Standing, Standings
from arena.rating.trueskill import Rating, Scale
from arena.rating.upsets import Upset, Upsets
from arena.records import SeatRecord
from arena.store.bulk import insert_rows, upsert_rows
from arena.store.engine import write_transaction
from arena.store.schema import (
    ALL,
    brackets,
    head_to_head,
    rating_points,
    refits,
    seat_tallies,
    standings,
    surprises,
    tournaments,
)

STRENGTH_LOCK = 0x7265666974
"""The PostgreSQL advisory lock of the process that fits strengths to the results of all tournaments."""
READ_ONLY_SCALE = Scale(0.1)
"""For standings to which nothing is added: the scale does not matter."""


@dataclass(frozen=True, slots=True)
class StrengthRecord:
    """A version's strength in Elo points, with its interval if there is one."""

    version_id: int
    strength: float
    low: float | None
    high: float | None
    separated_from: tuple[int, ...]
    """The versions that it is separated from at 95 %."""


class StoredStandings:
    """Reads standings, and writes strengths."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def load(self, scope: int, bracket: str, versions: Collection[int] | None = None) -> Standings:
        """Return the standings without results by seat and upsets, of all versions or among some of them."""
        with self.engine.connect() as connection:
            return _load(connection, scope, bracket, Standings(READ_ONLY_SCALE), versions)

    def load_to_continue(
        self,
        scope: int,
        bracket: str,
        scale: Scale,
        *,
        winners_only: bool = False,
        connection: Connection | None = None,
    ) -> Standings:
        """Return complete standings, to which results can be added; `connection`: read in its transaction."""
        with self._reading(connection) as reading:
            loaded = _load(reading, scope, bracket, Standings(scale, winners_only=winners_only))
            for version, tables in self.by_seat(scope, bracket, connection=reading).items():
                loaded.bots[version].by_seat = tables
            loaded.upsets = self.upsets(scope, bracket, connection=reading)
        return loaded

    def _reading(self, connection: Connection | None) -> AbstractContextManager[Connection]:
        return self.engine.connect() if connection is None else nullcontext(connection)

    def by_seat(
        self, scope: int, bracket: str, version_id: int | None = None, connection: Connection | None = None
    ) -> dict[int, dict[int, list[SeatTally]]]:
        """Return the results by seat of all versions, or of one: by version and number of seats."""
        found: dict[int, dict[int, list[SeatTally]]] = {}
        with self._reading(connection) as connection:
            for row in connection.execute(_of(seat_tallies, scope, bracket, version_id)):
                tables = found.setdefault(row.version_id, {})
                seats = tables.setdefault(row.table_size, [SeatTally() for _ in range(row.table_size)])
                seats[row.seat] = SeatTally(row.matches, row.wins, row.placements)
        return found

    def table_sizes(self, scope: int, bracket: str) -> list[int]:
        """Return the numbers of seats that matches were played with."""
        ours = (seat_tallies.c.scope == scope) & (seat_tallies.c.bracket == bracket)
        wanted = select(seat_tallies.c.table_size).where(ours).distinct().order_by(seat_tallies.c.table_size)
        with self.engine.connect() as connection:
            return list(connection.scalars(wanted))

    def upsets(
        self, scope: int, bracket: str, version_id: int | None = None, connection: Connection | None = None
    ) -> Upsets:
        """Return the greatest upsets of all versions, or of one."""
        found = Upsets()
        wanted = _of(surprises, scope, bracket, version_id)
        wanted = wanted.order_by(surprises.c.version_id, surprises.c.won, surprises.c.place)
        with self._reading(connection) as connection:
            for row in connection.execute(wanted):
                found.kept(row.version_id, won=row.won).append(Upset(row.chance, row.match))
        return found

    def opponents(self, scope: int, bracket: str, version_id: int) -> dict[int, Meetings]:
        """Return one version's record against each of its opponents."""
        with self.engine.connect() as connection:
            return {
                row.opponent_id: Meetings(row.points, row.matches)
                for row in connection.execute(_of(head_to_head, scope, bracket, version_id))
            }

    def leaders(self, scope: int, bracket: str, limit: int | None = None) -> list[tuple[int, Rating, int, float]]:
        """Return version, rating, matches and wins, from best to worst; `limit`: only the best."""
        wanted = (
            select(standings.c.version_id, standings.c.mu, standings.c.sigma, standings.c.matches, standings.c.wins)
            .where(standings.c.scope == scope, standings.c.bracket == bracket)
            .order_by((standings.c.mu - 3 * standings.c.sigma).desc(), standings.c.version_id)
            .limit(limit)
        )
        with self.engine.connect() as connection:
            return [
                (version, Rating(mu, sigma), matches, wins)
                for version, mu, sigma, matches, wins in connection.execute(wanted)
            ]

    def brackets(self, scope: int) -> list[str]:
        """Return the brackets that have standings."""
        with self.engine.connect() as connection:
            wanted = select(standings.c.bracket).where(standings.c.scope == scope).distinct()
            return list(connection.scalars(wanted.order_by(standings.c.bracket)))

    def matches(self, scope: int, bracket: str) -> int:
        """Return the number of matches that are counted in the standings."""
        counted = (
            select(func.coalesce(func.sum(brackets.c.matches), 0))
            .join(tournaments)
            .where(brackets.c.bracket == bracket, tournaments.c.rated if scope == ALL else tournaments.c.id == scope)
        )
        with self.engine.connect() as connection:
            return int(connection.execute(counted).scalar_one())

    def history(
        self, scope: int, bracket: str, versions: Collection[int] | None = None
    ) -> dict[int, list[RatingPoint]]:
        """Return the rating history of each version, or of some of them."""
        found: dict[int, list[RatingPoint]] = {}
        wanted = _among(rating_points, scope, bracket, versions)
        wanted = wanted.with_only_columns(*(rating_points.c[name] for name in RatingPoint._fields))
        with self.engine.connect() as connection:
            for row in connection.execute(wanted.order_by(rating_points.c.version_id, rating_points.c.matches)):
                found.setdefault(row.version_id, []).append(RatingPoint(*row))
        return found

    def strengths(self, scope: int, bracket: str, versions: Collection[int] | None = None) -> dict[int, StrengthRecord]:
        with self.engine.connect() as connection:
            rows = connection.execute(_among(refits, scope, bracket, versions))
            return {
                row.version_id: StrengthRecord(
                    row.version_id, row.strength, row.low, row.high, tuple(row.separated_from)
                )
                for row in rows
            }

    @contextmanager
    def fitting_strengths(self, scope: int) -> Iterator[None]:
        """Let one process at a time fit the results of all tournaments, so that the last write is the latest fit."""
        if scope != ALL or self.engine.dialect.name != "postgresql":  # then only one process plays
            yield
            return
        with self.engine.begin() as connection:
            connection.execute(text("SET LOCAL lock_timeout = 0"))  # a fit of many matches takes long
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": STRENGTH_LOCK})
            yield

    def write_strengths(self, scope: int, bracket: str, records: Sequence[StrengthRecord]) -> None:
        """Replace the strengths of the bracket."""
        key = {"scope": scope, "bracket": bracket}
        with write_transaction(self.engine) as connection:
            connection.execute(delete(refits).where(refits.c.scope == scope, refits.c.bracket == bracket))
            rows = [{**key, **asdict(record), "separated_from": list(record.separated_from)} for record in records]
            insert_rows(connection, refits, rows)


class SharedStandings:
    """The standings of all tournaments in one bracket, to which several tournaments may add at the same time.

    Each process keeps them in memory and writes its changes. If it finds, in its write transaction, that others have
    counted matches since, it loads the stored standings and adds its own new matches to them. So every match counts
    once, in the order in which the batches were written.
    """

    def __init__(self, stored: StoredStandings, tournament: int, bracket: str, own: Standings) -> None:
        """`own`: the tournament's own standings. They are used for both while there is no other tournament."""
        self._stored = stored
        self._tournament = tournament
        self._bracket = bracket
        self._own = own
        self._new: list[tuple[str, Sequence[SeatRecord]]] = []
        """The matches that are counted but not written yet."""
        with write_transaction(stored.engine) as connection:  # no other process writes between the two reads
            self._others = self._counted_by_others(connection)
            loaded = self._load(connection)
        self._standings = loaded if loaded.bots else own

    def fold(self, seats: Sequence[SeatRecord], match: str) -> None:
        """Count a match that the tournament's own standings have counted already."""
        self._new.append((match, seats))
        if self._standings is not self._own:
            self._standings.fold(seats, match)

    def write(self, connection: Connection, own_changes: Changes) -> None:
        """Write the changes in an open write transaction; `own_changes`: those of the tournament's own standings."""
        others = self._counted_by_others(connection)
        if others != self._others:
            self._others = others
            self._standings = self._load(connection)
            for match, seats in self._new:
                self._standings.fold(seats, match)
        self._new.clear()
        changes = own_changes if self._standings is self._own else self._standings.take_changes()
        write_changes(connection, ALL, self._bracket, self._standings, changes)

    def _load(self, connection: Connection) -> Standings:
        own = self._own
        return self._stored.load_to_continue(
            ALL, self._bracket, own.scale, winners_only=own.winners_only, connection=connection
        )

    def _counted_by_others(self, connection: Connection) -> int:
        """Return the number of counted blocks of other tournaments; it grows whenever one of them counts a block."""
        counted = (
            select(func.coalesce(func.sum(brackets.c.folded), 0))
            .join(tournaments)
            .where(brackets.c.bracket == self._bracket, tournaments.c.rated, tournaments.c.id != self._tournament)
        )
        return int(connection.execute(counted).scalar_one())


def write_changes(connection: Connection, scope: int, bracket: str, now: Standings, changes: Changes) -> None:
    """Write the changes of the standings in an open write transaction."""
    key: dict[str, object] = {"scope": scope, "bracket": bracket}
    upsert_rows(connection, standings, [{**key, **_row(version, now.bots[version])} for version in changes.versions])
    met = [
        {
            **key,
            "version_id": one,
            "opponent_id": other,
            "points": now.head_to_head[one, other].points,
            "matches": now.head_to_head[one, other].matches,
        }
        for one, other in changes.pairs
    ]
    upsert_rows(connection, head_to_head, met)
    upsert_rows(connection, rating_points, [{**key, **point._asdict()} for point in changes.points])
    tallies = [
        {
            **key,
            "version_id": version,
            "table_size": table,
            "seat": seat,
            "matches": tally.matches,
            "wins": tally.wins,
            "placements": tally.placements,
        }
        for version in changes.versions
        for table, by_seat in now.bots[version].by_seat.items()
        for seat, tally in enumerate(by_seat)
        if tally.matches
    ]
    upsert_rows(connection, seat_tallies, tallies)
    upsets = [
        {**key, "version_id": version, "won": won, "place": place, **upset._asdict()}
        for version, won in changes.upsets
        for place, upset in enumerate(now.upsets.kept(version, won=won))
    ]
    upsert_rows(connection, surprises, upsets)  # the lists never become shorter


STANDING_FIELDS = ("matches", "wins", "placements", "think_ms", "decisions", "think_times", "faults", "last_match")


def _row(version: int, standing: Standing) -> dict[str, object]:
    rating = {"version_id": version, "mu": standing.rating.mu, "sigma": standing.rating.sigma}
    return {**rating, **{name: getattr(standing, name) for name in STANDING_FIELDS}}


def _load(
    connection: Connection, scope: int, bracket: str, loaded: Standings, versions: Collection[int] | None = None
) -> Standings:
    for row in connection.execute(_among(standings, scope, bracket, versions)):
        fields = {name: row._mapping[name] for name in STANDING_FIELDS}
        loaded.bots[row.version_id] = Standing(Rating(row.mu, row.sigma), **fields)
    met = _among(head_to_head, scope, bracket, versions)
    if versions is not None:
        met = met.where(head_to_head.c.opponent_id.in_(versions))
    for row in connection.execute(met):
        loaded.head_to_head[row.version_id, row.opponent_id] = Meetings(row.points, row.matches)
    return loaded


def _among(table: Table, scope: int, bracket: str, versions: Collection[int] | None) -> Select[*tuple[Any, ...]]:
    """Select the rows of some versions, or of all."""
    wanted = _of(table, scope, bracket)
    return wanted if versions is None else wanted.where(table.c.version_id.in_(versions))


def _of(table: Table, scope: int, bracket: str, version_id: int | None = None) -> Select[*tuple[Any, ...]]:
    wanted = select(table).where(table.c.scope == scope, table.c.bracket == bracket)
    return wanted if version_id is None else wanted.where(table.c.version_id == version_id)
