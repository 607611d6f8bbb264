"""The standings in the store: kept up to date with every batch, so that a leaderboard need not look at the matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, Select, Table, delete, func, insert, select
from sqlalchemy.dialects import postgresql, sqlite

from arena.ratings import Rating, Scale
from arena.standings import Changes, Meetings, RatingPoint, Standing, Standings
from arena.store.schema import ALL, brackets, head_to_head, rating_points, refits, standings, tournaments

JUST_LOOKING = Scale(0.1)
"""For standings that are not continued: it does not matter how they would be."""


@dataclass(frozen=True, slots=True)
class RefitRecord:
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

    def load(self, scope: int, bracket: str, scale: Scale = JUST_LOOKING, *, winners_only: bool = False) -> Standings:
        """The standings as they are on record; with the bracket's scale ready to be continued."""
        loaded = Standings(scale, winners_only=winners_only)
        with self.engine.connect() as connection:
            for row in connection.execute(_of(standings, scope, bracket)):
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
            for row in connection.execute(_of(head_to_head, scope, bracket)):
                loaded.head_to_head[row.version_id, row.opponent_id] = Meetings(row.points, row.matches)
        return loaded

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

    def history(self, scope: int, bracket: str) -> dict[int, list[RatingPoint]]:
        """The rating history of each version."""
        found: dict[int, list[RatingPoint]] = {}
        columns = (rating_points.c[name] for name in RatingPoint._fields)
        ours = (rating_points.c.scope == scope) & (rating_points.c.bracket == bracket)
        wanted = select(*columns).where(ours).order_by(rating_points.c.version_id, rating_points.c.matches)
        with self.engine.connect() as connection:
            for row in connection.execute(wanted):
                found.setdefault(row.version_id, []).append(RatingPoint(*row))
        return found

    def refits(self, scope: int, bracket: str) -> dict[int, RefitRecord]:
        with self.engine.connect() as connection:
            return {
                row.version_id: RefitRecord(row.version_id, row.strength, row.low, row.high, tuple(row.separated_from))
                for row in connection.execute(_of(refits, scope, bracket))
            }

    def write_refits(self, scope: int, bracket: str, records: Sequence[RefitRecord]) -> None:
        """Puts these in the place of those that were there."""
        with self.engine.begin() as connection:
            connection.execute(delete(refits).where(refits.c.scope == scope, refits.c.bracket == bracket))
            if records:
                connection.execute(
                    insert(refits),
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
    _upsert(connection, standings, [{**key, **_row(version, now.bots[version])} for version in changes.versions])
    _upsert(
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
    _upsert(connection, rating_points, [{**key, **point._asdict()} for point in changes.points])


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


def _of(table: Table, scope: int, bracket: str) -> Select[*tuple[Any, ...]]:
    return select(table).where(table.c.scope == scope, table.c.bracket == bracket)


def _upsert(connection: Connection, table: Table, rows: Sequence[Mapping[str, object]]) -> None:
    """Inserts the rows, or updates those whose key is there already."""
    if not rows:
        return
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    statement = dialect.insert(table)
    keys = [column.name for column in table.primary_key]
    values = {column.name: statement.excluded[column.name] for column in table.c if column.name not in keys}
    connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=values), list(rows))
