"""Reads stored matches for display: lists, single matches, faults.

Invariant: the time of a query does not depend on the number of stored matches, only on the number shown. Lists are
paged by match id, and each kind of list has an index in which its newest matches are adjacent (schema.py). A test
checks SQLite's query plans.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Row, Select, func, select

from arena.records import SeatRecord
from arena.store.matches import no_match, seat_columns
from arena.store.schema import PLAY, blocks, bots, matches, seats, tournaments, versions


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A stored match for display."""

    id: int
    """Later matches have greater ids."""
    name: str
    tournament_id: int
    bracket: str
    round: str
    ending: str
    played: str
    decisions: int
    sandbox: str
    overhead_ms: float
    overloaded: bool
    bots: tuple[str, ...]
    """By seat: a bot's name and version, or a person's name."""
    seats: tuple[SeatRecord, ...]


MATCH_FIELDS = [field.name for field in fields(StoredMatch) if field.name not in ("bots", "seats")]
"""The fields that all seats of a match share; the id comes first."""


@dataclass(frozen=True, slots=True)
class StoredFault:
    """A forfeit of a bot. `MatchHistory.faults` selects the fields in this order."""

    match_id: int
    match: str
    tournament_id: int
    bracket: str
    played: str
    seat: int
    version_id: int
    bot: str
    """Name and version."""
    fault: str
    detail: str


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """Which matches to list; the default is all."""

    tournament_id: int | None = None
    bracket: str | None = None
    version_ids: Sequence[int] | None = None
    """At least one of these versions played."""
    only_faults: bool = False
    """A bot, or with `version_ids` one of these versions, has forfeited."""


class MatchHistory:
    """Reads stored matches."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def page(self, choice: MatchFilter = MatchFilter(), *, limit: int, before: int | None = None) -> list[StoredMatch]:
        """Return the newest matches; `before`: only those with a smaller id."""
        with self.engine.connect() as connection:
            return _details(connection, _ids(connection, choice, limit, before=before))

    def find(self, name: str) -> StoredMatch:
        """Return the match with this name."""
        found = self.named([name])
        if not found:
            raise no_match(name)
        return found[name]

    def named(self, names: Iterable[str]) -> dict[str, StoredMatch]:
        """Return those of these matches that are stored."""
        with self.engine.connect() as connection:
            ids = connection.scalars(select(matches.c.id).where(matches.c.name.in_(list(names)))).all()
            return {match.name: match for match in _details(connection, ids)}

    def neighbours(self, match_id: int, choice: MatchFilter = MatchFilter()) -> tuple[str | None, str | None]:
        """Return the names of the previous and the next match in the list."""
        with self.engine.connect() as connection:
            earlier = _ids(connection, choice, 1, before=match_id)
            later = _ids(connection, choice, 1, after=match_id)
            wanted = select(matches.c.id, matches.c.name).where(matches.c.id.in_([*earlier, *later]))
            names = {row.id: row.name for row in connection.execute(wanted)}
        return (names[earlier[0]] if earlier else None), (names[later[0]] if later else None)

    def names(self, tournament_id: int) -> list[str]:
        """Return the names of all matches of a tournament, in the order in which they were written."""
        with self.engine.connect() as connection:
            ours = select(matches.c.name).where(matches.c.tournament_id == tournament_id)
            return list(connection.scalars(ours.order_by(matches.c.id)))

    def faults(
        self,
        *,
        version_ids: Sequence[int] | None = None,
        tournament_id: int | None = None,
        limit: int,
        before: int | None = None,
    ) -> list[StoredFault]:
        """Return the latest faults of all bots or of some versions, in one tournament or in all.

        `before`: only matches with a smaller id.
        """
        choice = MatchFilter(tournament_id, version_ids=version_ids, only_faults=True)
        with self.engine.connect() as connection:
            ids = _ids(connection, choice, limit, before=before, people=False)
            wanted = (
                select(
                    matches.c.id,
                    matches.c.name,
                    matches.c.tournament_id,
                    matches.c.bracket,
                    matches.c.played,
                    seats.c.seat,
                    seats.c.version_id,
                    bots.c.name,
                    versions.c.version,
                    seats.c.fault,
                    seats.c.detail,
                )
                .join(seats, seats.c.match_id == matches.c.id)
                .join(versions, versions.c.id == seats.c.version_id)
                .join(bots, bots.c.id == versions.c.bot_id)
                .where(matches.c.id.in_(ids), seats.c.fault.is_not(None))
                .order_by(matches.c.id.desc(), seats.c.seat)
            )
            if version_ids is not None:
                wanted = wanted.where(seats.c.version_id.in_(version_ids))
            return [_stored_fault(row) for row in connection.execute(wanted)]

    def fault_reasons(self, tournament_id: int) -> list[tuple[str, str, str, int]]:
        """Return why bots have forfeited: bot, kind, an example and the count, most frequent first.

        Reads all faults of the tournament.
        """
        count = func.count().label("count")
        with self.engine.connect() as connection:
            wanted = (
                select(bots.c.name, versions.c.version, seats.c.fault, func.min(seats.c.detail), count)
                .select_from(seats)
                .join(versions, versions.c.id == seats.c.version_id)
                .join(bots, bots.c.id == versions.c.bot_id)
                .where(_played_in(tournament_id), seats.c.fault.is_not(None))
                .where(seats.c.match_id.between(*_span(connection, MatchFilter(tournament_id))))
                .group_by(bots.c.name, versions.c.version, seats.c.fault)
                .order_by(count.desc(), bots.c.name, seats.c.fault)
            )
            return [
                (_label(name, version, None), fault, detail, times)
                for name, version, fault, detail, times in connection.execute(wanted)
            ]


# Match ids


def _ids(
    connection: Connection,
    choice: MatchFilter,
    limit: int,
    *,
    before: int | None = None,
    after: int | None = None,
    people: bool = True,
) -> list[int]:
    """Return the newest ids, or with `after` the oldest ones above it."""
    oldest_first = after is not None
    number: ColumnElement[int] = matches.c.id
    if choice.version_ids is None and not choice.only_faults:
        wanted = [_of_matches(choice)]
    elif _is_scattered(connection, choice):
        wanted = [_of_few_matches(choice, people=people)]
    else:
        # The newest matches of one version are adjacent in an index; those of several versions are not.
        each: Sequence[int | None] = [None] if choice.version_ids is None else choice.version_ids
        wanted = [_of_seats(choice, version, people=people) for version in each]
        number = seats.c.match_id
        if choice.tournament_id is not None:
            # One bound on each side: of two, SQLite would use one for the search and only filter with the other.
            first, last = _span(connection, choice)
            before = last + 1 if before is None else min(before, last + 1)
            after = first - 1 if after is None else max(after, first - 1)
    found: set[int] = set()
    for query in wanted:
        if before is not None:
            query = query.where(number < before)
        if after is not None:
            query = query.where(number > after)
        found.update(connection.scalars(query.order_by(number if oldest_first else number.desc()).limit(limit)))
    return sorted(found, reverse=not oldest_first)[:limit]


def _of_matches(choice: MatchFilter) -> Select[int]:
    query = select(matches.c.id)
    if choice.tournament_id is not None:
        query = query.where(matches.c.tournament_id == choice.tournament_id)
    if choice.bracket is not None:
        query = query.where(matches.c.bracket == choice.bracket)
    return query


def _is_scattered(connection: Connection, choice: MatchFilter) -> bool:
    """Return whether the matches are few among many others, as casual matches are."""
    if choice.tournament_id is None:
        return False
    format_name = select(tournaments.c.format).where(tournaments.c.id == choice.tournament_id)
    return connection.scalar(format_name) == PLAY


def _of_few_matches(choice: MatchFilter, *, people: bool) -> Select[int]:
    """Select from all matches of a tournament that has few."""
    theirs = select(seats.c.match_id).where(seats.c.match_id == matches.c.id)
    if choice.version_ids is not None:
        theirs = theirs.where(seats.c.version_id.in_(choice.version_ids))
    elif not people:
        theirs = theirs.where(seats.c.version_id.is_not(None))
    if choice.only_faults:
        theirs = theirs.where(seats.c.fault.is_not(None))
    return _of_matches(choice).where(theirs.exists())


def _of_seats(choice: MatchFilter, version: int | None, *, people: bool) -> Select[int]:
    query = select(seats.c.match_id).distinct()
    if version is not None:
        query = query.where(seats.c.version_id == version)
    elif not people:
        query = query.where(seats.c.version_id.is_not(None))
    if choice.bracket is not None:
        query = query.where(seats.c.bracket == choice.bracket)
    if choice.only_faults:
        query = query.where(seats.c.fault.is_not(None))
    if choice.tournament_id is not None:
        query = query.where(_played_in(choice.tournament_id))
    return query


def _played_in(tournament_id: int) -> ColumnElement[bool]:
    """Return whether a seat's match is in the tournament. A join might start with all matches of the tournament."""
    of_the_match = select(matches.c.tournament_id).where(matches.c.id == seats.c.match_id)
    return of_the_match.scalar_subquery() == tournament_id


def _span(connection: Connection, choice: MatchFilter) -> tuple[int, int]:
    """Return the first and the last match id of a tournament; few other matches are between them."""
    ours = _of_matches(choice)
    first = connection.scalar(ours.order_by(matches.c.id).limit(1))
    last = connection.scalar(ours.order_by(matches.c.id.desc()).limit(1))
    return first or 0, last or 0


# Match details


def _details(connection: Connection, ids: Sequence[int]) -> list[StoredMatch]:
    """Return the matches with these ids, newest first."""
    if not ids:
        return []
    about = [blocks.c.round if name == "round" else matches.c[name] for name in MATCH_FIELDS]
    wanted = (
        select(*about, bots.c.name, versions.c.version, *seat_columns())
        .join(seats, seats.c.match_id == matches.c.id)
        .outerjoin(versions, versions.c.id == seats.c.version_id)
        .outerjoin(bots, bots.c.id == versions.c.bot_id)
        .join(
            blocks,
            (blocks.c.tournament_id == matches.c.tournament_id)
            & (blocks.c.bracket == matches.c.bracket)
            & (blocks.c.number == matches.c.block),
        )
        .where(matches.c.id.in_(ids))
        .order_by(matches.c.id.desc(), seats.c.seat)
    )
    grouped = groupby(connection.execute(wanted), key=lambda row: row[0])
    return [_stored(list(rows)) for _, rows in grouped]


def _stored(rows: Sequence[Row[*tuple[Any, ...]]]) -> StoredMatch:
    place = len(MATCH_FIELDS)
    seated = tuple(SeatRecord._make(row[place + 2 :]) for row in rows)
    labels = tuple(_label(row[place], row[place + 1], seat.person) for row, seat in zip(rows, seated, strict=True))
    about: dict[str, Any] = dict(zip(MATCH_FIELDS, rows[0][: len(MATCH_FIELDS)], strict=True))
    return StoredMatch(**about, bots=labels, seats=seated)


def _stored_fault(row: Row[*tuple[Any, ...]]) -> StoredFault:
    match_id, match, tournament_id, bracket, played, seat, version_id, bot, version, fault, detail = row
    label = _label(bot, version, None)
    return StoredFault(match_id, match, tournament_id, bracket, played, seat, version_id, label, fault, detail or "")


def _label(name: str | None, version: str | None, person: str | None) -> str:
    return person or f"{name} {version}".strip()
