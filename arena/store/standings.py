"""Standings in the store, updated with every batch, so that a leaderboard does not read the matches."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, Table, bindparam, func, select

from arena.rating.standings import Changes, Meetings, RatingPoint, SeatTally, Standing, Standings
from arena.rating.trueskill import Rating, Scale
from arena.rating.upsets import Upset, Upsets
from arena.records import SeatRecord
from arena.store.bulk import insert_rows
from arena.store.engine import StoreSection, write_transaction
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


class StrengthRecord(NamedTuple):
    """A version's strength in Elo points, with its interval if there is one."""

    version_id: int
    strength: float
    low: float | None
    high: float | None
    separated_from: Sequence[int]
    """The versions that it is separated from at 95 %."""


class StoredStandings(StoreSection):
    """Reads standings."""

    def load(self, scope: int, bracket: str, versions: Collection[int] | None = None) -> Standings:
        """Return the standings without results by seat and upsets, of all versions or among some of them.

        Nothing can be added to them.
        """
        return self._load(Standings(Scale(0.1)), scope, bracket, versions)  # the scale does not matter

    def load_to_continue(self, scope: int, bracket: str, scale: Scale, *, winners_only: bool = False) -> Standings:
        """Return complete standings, to which results can be added."""
        loaded = self._load(Standings(scale, winners_only=winners_only), scope, bracket, None)
        for version, tables in self.by_seat(scope, bracket).items():
            loaded.bots[version].by_seat = tables
        loaded.upsets = self.upsets(scope, bracket)
        return loaded

    def _load(self, loaded: Standings, scope: int, bracket: str, versions: Collection[int] | None) -> Standings:
        for row in self._rows(_of(standings, scope, bracket, versions)):
            fields = {name: row._mapping[name] for name in STANDING_FIELDS}
            loaded.bots[row.version_id] = Standing(Rating(row.mu, row.sigma), **fields)
        met = _of(head_to_head, scope, bracket, versions)
        if versions is not None:
            met = met.where(head_to_head.c.opponent_id.in_(versions))
        for row in self._rows(met):
            loaded.head_to_head[row.version_id, row.opponent_id] = Meetings(row.points, row.matches)
        return loaded

    def by_seat(
        self, scope: int, bracket: str, versions: Collection[int] | None = None
    ) -> dict[int, dict[int, list[SeatTally]]]:
        """Return the results by seat of all versions, or of some: by version and number of seats."""
        found: dict[int, dict[int, list[SeatTally]]] = {}
        for row in self._rows(_of(seat_tallies, scope, bracket, versions)):
            tables = found.setdefault(row.version_id, {})
            seats = tables.setdefault(row.table_size, [SeatTally() for _ in range(row.table_size)])
            seats[row.seat] = SeatTally(row.matches, row.wins, row.placements)
        return found

    def table_sizes(self, scope: int, bracket: str) -> list[int]:
        """Return the numbers of seats that matches were played with."""
        sizes = _of(seat_tallies, scope, bracket).with_only_columns(seat_tallies.c.table_size).distinct()
        return self._column(sizes.order_by(seat_tallies.c.table_size))

    def upsets(self, scope: int, bracket: str, versions: Collection[int] | None = None) -> Upsets:
        """Return the greatest upsets of all versions, or of some."""
        found = Upsets()
        wanted = _of(surprises, scope, bracket, versions)
        for row in self._rows(wanted.order_by(surprises.c.version_id, surprises.c.won, surprises.c.place)):
            found.kept(row.version_id, won=row.won).append(Upset(row.chance, row.match))
        return found

    def opponents(self, scope: int, bracket: str, version_id: int) -> dict[int, Meetings]:
        """Return one version's record against each of its opponents."""
        rows = self._rows(_of(head_to_head, scope, bracket, [version_id]))
        return {row.opponent_id: Meetings(row.points, row.matches) for row in rows}

    def leaders(self, scope: int, bracket: str, limit: int | None = None) -> list[tuple[int, Rating, int, float]]:
        """Return version, rating, matches and wins, from best to worst; `limit`: only the best."""
        best_first = (standings.c.mu - 3 * standings.c.sigma).desc()
        wanted = _of(standings, scope, bracket).order_by(best_first, standings.c.version_id).limit(limit)
        columns = (standings.c[name] for name in ("version_id", "mu", "sigma", "matches", "wins"))
        rows = self._rows(wanted.with_only_columns(*columns))
        return [(version, Rating(mu, sigma), matches, wins) for version, mu, sigma, matches, wins in rows]

    def brackets(self, scope: int) -> list[str]:
        """Return the brackets that have standings."""
        wanted = select(standings.c.bracket).where(standings.c.scope == scope).distinct()
        return self._column(wanted.order_by(standings.c.bracket))

    def matches(self, scope: int, bracket: str) -> int:
        """Return the number of matches that are counted in the standings."""
        counted = (
            select(func.sum(brackets.c.matches))
            .join(tournaments)
            .where(brackets.c.bracket == bracket, tournaments.c.rated if scope == ALL else tournaments.c.id == scope)
        )
        return int(self._column(counted)[0] or 0)

    def history(
        self, scope: int, bracket: str, versions: Collection[int] | None = None
    ) -> dict[int, list[RatingPoint]]:
        """Return the rating history of each version, or of some of them."""
        found: dict[int, list[RatingPoint]] = {}
        wanted = _of(rating_points, scope, bracket, versions)
        wanted = wanted.with_only_columns(*(rating_points.c[name] for name in RatingPoint._fields))
        for row in self._rows(wanted.order_by(rating_points.c.version_id, rating_points.c.matches)):
            found.setdefault(row.version_id, []).append(RatingPoint(*row))
        return found

    def strengths(self, scope: int, bracket: str, versions: Collection[int] | None = None) -> dict[int, StrengthRecord]:
        rows = self._rows(_of(refits, scope, bracket, versions))
        return {row.version_id: StrengthRecord(*row[2:]) for row in rows}  # without scope and bracket


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
            loaded = self._load()
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
            self._standings = self._load()
            for match, seats in self._new:
                self._standings.fold(seats, match)
        self._new.clear()
        changes = own_changes if self._standings is self._own else self._standings.take_changes()
        write_changes(connection, ALL, self._bracket, self._standings, changes)

    def _load(self) -> Standings:
        own = self._own
        return self._stored.load_to_continue(ALL, self._bracket, own.scale, winners_only=own.winners_only)

    def _counted_by_others(self, connection: Connection) -> int:
        """Return the number of counted blocks of other tournaments; it grows whenever one of them counts a block."""
        of_others = {"of_bracket": self._bracket, "but": self._tournament}
        return int(connection.execute(COUNTED_BY_OTHERS, of_others).scalar_one())


COUNTED_BY_OTHERS = (
    select(func.coalesce(func.sum(brackets.c.folded), 0))
    .join(tournaments)
    .where(brackets.c.bracket == bindparam("of_bracket"), tournaments.c.rated, tournaments.c.id != bindparam("but"))
)


KEY = ("scope", "bracket", "version_id")
STANDING_FIELDS = ("matches", "wins", "placements", "think_ms", "decisions", "think_times", "faults", "last_match")
STANDING_COLUMNS = (*KEY, "mu", "sigma", *STANDING_FIELDS)
MEETING_COLUMNS = (*KEY, "opponent_id", "points", "matches")
POINT_COLUMNS = ("scope", "bracket", *RatingPoint._fields)
TALLY_COLUMNS = (*KEY, "table_size", "seat", "matches", "wins", "placements")
UPSET_COLUMNS = (*KEY, "won", "place", *Upset._fields)
standing_values = attrgetter(*STANDING_FIELDS)


def write_changes(connection: Connection, scope: int, bracket: str, now: Standings, changes: Changes) -> None:
    """Write the changes of the standings in an open write transaction."""
    changed = [(version, now.bots[version]) for version in changes.versions]
    rated = [
        (scope, bracket, version, standing.rating.mu, standing.rating.sigma, *standing_values(standing))
        for version, standing in changed
    ]
    insert_rows(connection, standings, STANDING_COLUMNS, rated, replace=True)
    met = [(one, other, now.head_to_head[one, other]) for one, other in changes.pairs]
    against = [(scope, bracket, one, other, meetings.points, meetings.matches) for one, other, meetings in met]
    insert_rows(connection, head_to_head, MEETING_COLUMNS, against, replace=True)
    points = [(scope, bracket, *point) for point in changes.points]
    insert_rows(connection, rating_points, POINT_COLUMNS, points, replace=True)
    tallies = [
        (scope, bracket, version, table, seat, tally.matches, tally.wins, tally.placements)
        for version, standing in changed
        for table, by_seat in standing.by_seat.items()
        for seat, tally in enumerate(by_seat)
        if tally.matches
    ]
    insert_rows(connection, seat_tallies, TALLY_COLUMNS, tallies, replace=True)
    upsets = [
        (scope, bracket, version, won, place, *upset)
        for version, won in changes.upsets
        for place, upset in enumerate(now.upsets.kept(version, won=won))
    ]
    insert_rows(connection, surprises, UPSET_COLUMNS, upsets, replace=True)  # the lists never become shorter


def _of(table: Table, scope: int, bracket: str, versions: Collection[int] | None = None) -> Select[*tuple[Any, ...]]:
    """Select the rows of all versions, or of some."""
    wanted = select(table).where(table.c.scope == scope, table.c.bracket == bracket)
    return wanted if versions is None else wanted.where(table.c.version_id.in_(versions))
