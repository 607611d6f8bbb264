"""The standings in the store: kept up to date with every batch, so that a leaderboard need not look at the matches."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, Select, Table, delete, func, select, text

from arena.rating.standings import Changes, Meetings, RatingPoint, SeatTally, Standing, Standings
from arena.rating.trueskill import Rating, Scale
from arena.rating.upsets import Upset, Upsets
from arena.store.bulk import insert_rows, upsert_rows
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
from arena.store.writing import writing

REFITS = 0x7265666974
"""The advisory lock of PostgreSQL for who fits the results of all tournaments."""
JUST_LOOKING = Scale(0.1)
"""For standings that are not continued: it does not matter how they would be."""


@dataclass(frozen=True, slots=True)
class StrengthRecord:
    """A version's strength by maximum likelihood, with its interval where there is one."""

    version_id: int
    strength: float
    low: float | None
    high: float | None
    separated_from: tuple[int, ...]
    """The versions that it is told apart from at 95 %."""


class StoredStandings:
    """Reads standings, and writes refits."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def load(self, scope: int, bracket: str, versions: Collection[int] | None = None) -> Standings:
        """The standings as they are on record, without what is kept by seat and without surprises.

        Where only some versions are wanted, what they did against others is left out.
        """
        return self._load(scope, bracket, Standings(JUST_LOOKING), versions)

    def load_to_continue(
        self,
        scope: int,
        bracket: str,
        scale: Scale,
        *,
        winners_only: bool = False,
        connection: Connection | None = None,
    ) -> Standings:
        """The standings with all that is needed to fold further results into them; within a transaction, if given."""
        with self._reading(connection) as reading:
            loaded = self._load(scope, bracket, Standings(scale, winners_only=winners_only), connection=reading)
            for version, tables in self.by_seat(scope, bracket, connection=reading).items():
                loaded.bots[version].by_seat = tables
            loaded.upsets = self.upsets(scope, bracket, connection=reading)
        return loaded

    def _reading(self, connection: Connection | None) -> AbstractContextManager[Connection]:
        return self.engine.connect() if connection is None else nullcontext(connection)

    def _load(
        self,
        scope: int,
        bracket: str,
        loaded: Standings,
        versions: Collection[int] | None = None,
        connection: Connection | None = None,
    ) -> Standings:
        with self._reading(connection) as connection:
            for row in connection.execute(_among(standings, scope, bracket, versions)):
                loaded.bots[row.version_id] = Standing(
                    rating=Rating(row.mu, row.sigma),
                    matches=row.matches,
                    wins=row.wins,
                    placements=row.placements,
                    think_ms=row.think_ms,
                    decisions=row.decisions,
                    think_times=row.think_times,
                    faults=row.faults,
                    last_match=row.last_match,
                )
            met = _among(head_to_head, scope, bracket, versions)
            if versions is not None:
                met = met.where(head_to_head.c.opponent_id.in_(versions))
            for row in connection.execute(met):
                loaded.head_to_head[row.version_id, row.opponent_id] = Meetings(row.points, row.matches)
        return loaded

    def by_seat(
        self, scope: int, bracket: str, version_id: int | None = None, connection: Connection | None = None
    ) -> dict[int, dict[int, list[SeatTally]]]:
        """What each version, or one of them, has reached on each seat, by version and size of table."""
        found: dict[int, dict[int, list[SeatTally]]] = {}
        with self._reading(connection) as connection:
            for row in connection.execute(_of(seat_tallies, scope, bracket, version_id)):
                tables = found.setdefault(row.version_id, {})
                seats = tables.setdefault(row.table_size, [SeatTally() for _ in range(row.table_size)])
                seats[row.seat] = SeatTally(row.matches, row.wins, row.placements)
        return found

    def table_sizes(self, scope: int, bracket: str) -> list[int]:
        """How many seats the tables had."""
        ours = (seat_tallies.c.scope == scope) & (seat_tallies.c.bracket == bracket)
        wanted = select(seat_tallies.c.table_size).where(ours).distinct().order_by(seat_tallies.c.table_size)
        with self.engine.connect() as connection:
            return list(connection.scalars(wanted))

    def upsets(
        self, scope: int, bracket: str, version_id: int | None = None, connection: Connection | None = None
    ) -> Upsets:
        """The most surprising wins and losses of each version, or of one of them."""
        found = Upsets()
        wanted = _of(surprises, scope, bracket, version_id).order_by(
            surprises.c.version_id, surprises.c.won, surprises.c.place
        )
        with self._reading(connection) as connection:
            for row in connection.execute(wanted):
                found.kept(row.version_id, won=row.won).append(Upset(row.chance, row.match))
        return found

    def opponents(self, scope: int, bracket: str, version_id: int) -> dict[int, Meetings]:
        """How one version fared against each of the others."""
        with self.engine.connect() as connection:
            return {
                row.opponent_id: Meetings(row.points, row.matches)
                for row in connection.execute(_of(head_to_head, scope, bracket, version_id))
            }

    def leaders(self, scope: int, bracket: str, limit: int | None = None) -> list[tuple[int, Rating, int, float]]:
        """The best so far, or all of them from best to worst: version, rating, matches and wins."""
        conservative = standings.c.mu - 3 * standings.c.sigma
        wanted = (
            select(standings.c.version_id, standings.c.mu, standings.c.sigma, standings.c.matches, standings.c.wins)
            .where(standings.c.scope == scope, standings.c.bracket == bracket)
            .order_by(conservative.desc(), standings.c.version_id)
            .limit(limit)
        )
        with self.engine.connect() as connection:
            return [
                (version, Rating(mu, sigma), matches, wins)
                for version, mu, sigma, matches, wins in connection.execute(wanted)
            ]

    def brackets(self, scope: int) -> list[str]:
        """The brackets in which there are standings."""
        with self.engine.connect() as connection:
            wanted = select(standings.c.bracket).where(standings.c.scope == scope).distinct()
            return list(connection.scalars(wanted.order_by(standings.c.bracket)))

    def matches(self, scope: int, bracket: str) -> int:
        """How many matches are counted in them."""
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
        """The rating history of each version, or of some of them."""
        found: dict[int, list[RatingPoint]] = {}
        columns = (rating_points.c[name] for name in RatingPoint._fields)
        ours = (rating_points.c.scope == scope) & (rating_points.c.bracket == bracket)
        if versions is not None:
            ours &= rating_points.c.version_id.in_(versions)
        wanted = select(*columns).where(ours).order_by(rating_points.c.version_id, rating_points.c.matches)
        with self.engine.connect() as connection:
            for row in connection.execute(wanted):
                found.setdefault(row.version_id, []).append(RatingPoint(*row))
        return found

    def strengths(self, scope: int, bracket: str, versions: Collection[int] | None = None) -> dict[int, StrengthRecord]:
        with self.engine.connect() as connection:
            return {
                row.version_id: StrengthRecord(
                    row.version_id, row.strength, row.low, row.high, tuple(row.separated_from)
                )
                for row in connection.execute(_among(refits, scope, bracket, versions))
            }

    @contextmanager
    def fitting_strengths(self, scope: int) -> Iterator[None]:
        """One at a time fits the results of all tournaments, so that what is written last was read last, too."""
        if scope != ALL or self.engine.dialect.name != "postgresql":  # otherwise one conductor is alone with them
            yield
            return
        with self.engine.begin() as connection:
            connection.execute(text("SET LOCAL lock_timeout = 0"))  # that of many matches takes its time
            connection.execute(text("SELECT pg_advisory_xact_lock(:refits)"), {"refits": REFITS})
            yield

    def write_strengths(self, scope: int, bracket: str, records: Sequence[StrengthRecord]) -> None:
        """Puts these in the place of those that were there."""
        with writing(self.engine) as connection:
            connection.execute(delete(refits).where(refits.c.scope == scope, refits.c.bracket == bracket))
            insert_rows(
                connection,
                refits,
                [
                    {
                        "scope": scope,
                        "bracket": bracket,
                        "version_id": record.version_id,
                        "strength": record.strength,
                        "low": record.low,
                        "high": record.high,
                        "separated_from": list(record.separated_from),
                    }
                    for record in records
                ],
            )


def write_changes(connection: Connection, scope: int, bracket: str, now: Standings, changes: Changes) -> None:
    """Writes what has changed in the standings, within somebody else's transaction."""
    key: dict[str, object] = {"scope": scope, "bracket": bracket}
    upsert_rows(connection, standings, [{**key, **_row(version, now.bots[version])} for version in changes.versions])
    upsert_rows(
        connection,
        head_to_head,
        [
            {
                **key,
                "version_id": one,
                "opponent_id": other,
                "points": now.head_to_head[one, other].points,
                "matches": now.head_to_head[one, other].matches,
            }
            for one, other in changes.pairs
        ],
    )
    upsert_rows(connection, rating_points, [{**key, **point._asdict()} for point in changes.points])
    upsert_rows(
        connection,
        seat_tallies,
        [
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
            for table, tallies in now.bots[version].by_seat.items()
            for seat, tally in enumerate(tallies)
            if tally.matches
        ],
    )
    upsert_rows(  # the lists grow, or stay as long as they are
        connection,
        surprises,
        [
            {**key, "version_id": version, "won": won, "place": place, **upset._asdict()}
            for version, won in changes.upsets
            for place, upset in enumerate(now.upsets.kept(version, won=won))
        ],
    )


def _row(version: int, standing: Standing) -> dict[str, object]:
    return {
        "version_id": version,
        "mu": standing.rating.mu,
        "sigma": standing.rating.sigma,
        "matches": standing.matches,
        "wins": standing.wins,
        "placements": standing.placements,
        "think_ms": standing.think_ms,
        "decisions": standing.decisions,
        "think_times": standing.think_times,
        "faults": standing.faults,
        "last_match": standing.last_match,
    }


def _among(table: Table, scope: int, bracket: str, versions: Collection[int] | None) -> Select[*tuple[Any, ...]]:
    """The rows of some versions, or of all."""
    wanted = _of(table, scope, bracket)
    return wanted if versions is None else wanted.where(table.c.version_id.in_(versions))


def _of(table: Table, scope: int, bracket: str, version_id: int | None = None) -> Select[*tuple[Any, ...]]:
    wanted = select(table).where(table.c.scope == scope, table.c.bracket == bracket)
    return wanted if version_id is None else wanted.where(table.c.version_id == version_id)
