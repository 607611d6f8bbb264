"""Reads stored matches for display: lists, single matches, faults.

Invariant: the time of a query does not depend on the number of stored matches, only on the number shown. Lists are
paged by match id, and each kind of list has an index in which its newest matches are adjacent (schema.py). A test
checks SQLite's query plans.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, exists, func, select

from arena.records import SeatRecord
from arena.store.columns import words
from arena.store.engine import StoreSection
from arena.store.matches import no_match, seat_columns
from arena.store.schema import PLAY, blocks, bots, matches, seats, tournaments, versions


class StoredMatch(NamedTuple):
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


@dataclass(frozen=True, slots=True)
class StoredFault:
    """A forfeit of a bot."""

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


BOT = func.trim(bots.c.name + " " + versions.c.version, type_=words())
"""A bot's name and version."""
SHARED = [blocks.c.round if name == "round" else matches.c[name] for name in StoredMatch._fields[:-2]]
"""The first fields of a `StoredMatch`, in order: those that all seats share."""
FAULT = (
    *(matches.c[name] for name in ("id", "name", "tournament_id", "bracket", "played")),
    *(seats.c.seat, seats.c.version_id, BOT, seats.c.fault, func.coalesce(seats.c.detail, "")),
)
"""The fields of a `StoredFault`, in order."""


class MatchHistory(StoreSection):
    """Reads stored matches."""

    def page(self, choice: MatchFilter = MatchFilter(), *, limit: int, before: int | None = None) -> list[StoredMatch]:
        """Return the newest matches; `before`: only those with a smaller id."""
        of_the_seat = [seats.c.fault.is_not(None)] if choice.only_faults else []
        with self.engine.connect() as connection:
            ids = _ids(connection, choice, limit, before, *of_the_seat)
        return self._details(matches.c.id.in_(ids)) if ids else []

    def find(self, name: str) -> StoredMatch:
        """Return the match with this name."""
        found = self.named([name])
        if not found:
            raise no_match(name)
        return found[name]

    def named(self, names: Collection[str]) -> dict[str, StoredMatch]:
        """Return those of these matches that are stored."""
        return {match.name: match for match in self._details(matches.c.name.in_(names))}

    def _details(self, chosen: ColumnElement[bool]) -> list[StoredMatch]:
        """Return the chosen matches, newest first."""
        same_bracket = (blocks.c.tournament_id == matches.c.tournament_id) & (blocks.c.bracket == matches.c.bracket)
        wanted = (
            select(*SHARED, func.coalesce(seats.c.person, BOT), *seat_columns())
            .select_from(matches)
            .join(seats)
            .outerjoin(versions)
            .outerjoin(bots)
            .join(blocks, same_bracket & (blocks.c.number == matches.c.block))
            .where(chosen)
            .order_by(matches.c.id.desc(), seats.c.seat)
        )
        shared = len(SHARED)
        found = []
        for _, group in groupby(self._rows(wanted), key=lambda row: row[0]):
            rows = list(group)
            seated = tuple(SeatRecord._make(row[shared + 1 :]) for row in rows)
            found.append(StoredMatch._make([*rows[0][:shared], tuple(row[shared] for row in rows), seated]))
        return found

    def neighbours(self, match: StoredMatch) -> tuple[str | None, str | None]:
        """Return the names of the previous and the next match of its tournament."""
        ours = select(matches.c.name).where(matches.c.tournament_id == match.tournament_id).limit(1)
        earlier = self._column(ours.where(matches.c.id < match.id).order_by(matches.c.id.desc()))
        later = self._column(ours.where(matches.c.id > match.id).order_by(matches.c.id))
        return next(iter(earlier), None), next(iter(later), None)

    def names(self, tournament_id: int) -> list[str]:
        """Return the names of all matches of a tournament, in the order in which they were written."""
        ours = select(matches.c.name).where(matches.c.tournament_id == tournament_id)
        return self._column(ours.order_by(matches.c.id))

    def faults(
        self, *, version_ids: Sequence[int] | None = None, tournament_id: int | None = None, limit: int
    ) -> list[StoredFault]:
        """Return the latest faults of all bots or of some versions, in one tournament or in all."""
        theirs = [seats.c.fault.is_not(None)]
        if version_ids is None:
            theirs.append(seats.c.person.is_(None))  # with `version_id` SQLite would prefer another index
        with self.engine.connect() as connection:
            ids = _ids(connection, MatchFilter(tournament_id, version_ids=version_ids), limit, None, *theirs)
        if version_ids is not None:
            theirs.append(seats.c.version_id.in_(version_ids))
        wanted = select(*FAULT).select_from(matches).join(seats).join(versions).join(bots)
        wanted = wanted.where(matches.c.id.in_(ids), *theirs)
        return [StoredFault(*row) for row in self._rows(wanted.order_by(matches.c.id.desc(), seats.c.seat))]

    def fault_reasons(self, tournament_id: int) -> list[tuple[str, str, str, int]]:
        """Return why bots have forfeited: bot, kind, an example and the count, most frequent first.

        Reads all faults of the tournament.
        """
        count = func.count().label("count")
        with self.engine.connect() as connection:
            first, last = _span(connection, select(matches.c.id).where(matches.c.tournament_id == tournament_id))
        wanted = (
            select(BOT, seats.c.fault, func.min(seats.c.detail), count)
            .select_from(seats)
            .join(versions)
            .join(bots)
            .where(_played_in(tournament_id), seats.c.fault.is_not(None), seats.c.match_id.between(first, last))
            .group_by(bots.c.name, versions.c.version, seats.c.fault)
            .order_by(count.desc(), bots.c.name, seats.c.fault)
        )
        return [(bot, fault, detail, times) for bot, fault, detail, times in self._rows(wanted)]


# Match ids


def _ids(
    connection: Connection, choice: MatchFilter, limit: int, before: int | None, *of_the_seat: ColumnElement[bool]
) -> list[int]:
    """Return the newest ids of matches with a seat of one of the versions that meets all conditions."""
    ours = select(matches.c.id)
    if choice.tournament_id is not None:
        ours = ours.where(matches.c.tournament_id == choice.tournament_id)
    if choice.bracket is not None:
        ours = ours.where(matches.c.bracket == choice.bracket)
    number: ColumnElement[int] = matches.c.id
    if choice.version_ids is None and not of_the_seat:
        wanted = [ours]
    elif _is_scattered(connection, choice):
        theirs = [seats.c.match_id == matches.c.id, *of_the_seat]
        if choice.version_ids is not None:
            theirs.append(seats.c.version_id.in_(choice.version_ids))
        wanted = [ours.where(exists().where(*theirs))]
    else:
        number = seats.c.match_id
        seated = select(number).distinct().where(*of_the_seat)
        if choice.bracket is not None:
            seated = seated.where(seats.c.bracket == choice.bracket)
        if choice.tournament_id is not None:
            # One bound on each side: of two, SQLite would use one for the search and only filter with the other.
            first, last = _span(connection, ours)
            before = last + 1 if before is None else min(before, last + 1)
            seated = seated.where(_played_in(choice.tournament_id), number >= first)
        # The newest matches of one version are adjacent in an index; those of several versions are not.
        each = choice.version_ids
        wanted = [seated] if each is None else [seated.where(seats.c.version_id == version) for version in each]
    found: set[int] = set()
    for query in wanted:
        if before is not None:
            query = query.where(number < before)
        found.update(connection.scalars(query.order_by(number.desc()).limit(limit)))
    return sorted(found, reverse=True)[:limit]


def _is_scattered(connection: Connection, choice: MatchFilter) -> bool:
    """Return whether the matches are few among many others, as casual matches are."""
    format_name = select(tournaments.c.format).where(tournaments.c.id == choice.tournament_id)
    return choice.tournament_id is not None and connection.scalar(format_name) == PLAY


def _played_in(tournament_id: int) -> ColumnElement[bool]:
    """Return whether a seat's match is in the tournament. A join might start with all matches of the tournament."""
    of_the_match = select(matches.c.tournament_id).where(matches.c.id == seats.c.match_id)
    return of_the_match.scalar_subquery() == tournament_id


def _span(connection: Connection, ours: Select[int]) -> tuple[int, int]:
    """Return the first and the last of the match ids of a tournament; few other matches are between them."""
    first = connection.scalar(ours.order_by(matches.c.id).limit(1))
    last = connection.scalar(ours.order_by(matches.c.id.desc()).limit(1))
    return first or 0, last or 0
