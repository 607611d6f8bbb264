"""The schedule and the matches in the store. A tournament writes in batches, each as a whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, Connection, Integer, Table, Text, bindparam, cast, func, select, update

from arena.errors import NotFound
from arena.rating.standings import Changes, Standings
from arena.records import PERSON, BlockRecord, MatchRecord, SeatRecord
from arena.replay.compact import replay_text
from arena.store.bulk import insert_rows
from arena.store.engine import StoreSection, write_transaction
from arena.store.schema import ALL, blocks, brackets, matches, seats
from arena.store.standings import write_changes


@dataclass(slots=True)
class Batch:
    """What a tournament writes at once, for one bracket."""

    tournament_id: int
    bracket: str
    blocks: list[BlockRecord] = field(default_factory=list)
    matches: list[MatchRecord] = field(default_factory=list)
    pairs: list[tuple[BlockRecord, bytes]] = field(default_factory=list)
    """The counted blocks, with their results (`arena.rating.standings.pair_points`)."""

    def __bool__(self) -> bool:
        return bool(self.blocks or self.matches or self.pairs)


@dataclass(frozen=True, slots=True)
class ScheduledBlock(BlockRecord):
    """A block of the schedule, with its stored matches."""

    pairs: bytes | None
    """Its result; None until it is counted."""
    matches: tuple[str, ...]
    """The names of its stored matches, by rotation."""


class Matches(StoreSection):
    """Reads and writes schedules and matches."""

    def write(
        self,
        batch: Batch,
        scopes: Sequence[tuple[int, Standings, Changes]],
        *,
        first: Callable[[Connection], None] = lambda _: None,
    ) -> None:
        """Write the batch and the changed standings to disk.

        `first` is called in the same transaction; if it raises, nothing is written.
        """
        with write_transaction(self.engine) as connection:
            first(connection)
            write_batch(connection, batch)
            for scope, standings, changes in scopes:
                write_changes(connection, scope, batch.bracket, standings, changes)

    def scheduled(self, tournament_id: int, bracket: str) -> int:
        """Return the number of stored blocks."""
        return self._column(select(func.count()).where(of_bracket(blocks, tournament_id, bracket)))[0]

    def schedule_page(
        self, tournament_id: int, bracket: str, *, limit: int, before: int | None = None
    ) -> list[ScheduledBlock]:
        """Return the latest blocks, latest first; `before`: only those with a smaller number."""
        wanted = select(blocks).where(of_bracket(blocks, tournament_id, bracket))
        if before is not None:
            wanted = wanted.where(blocks.c.number < before)
        found = self._rows(wanted.order_by(blocks.c.number.desc()).limit(limit))
        if not found:
            return []
        played = (
            select(matches.c.block, matches.c.name)
            .where(of_bracket(matches, tournament_id, bracket))
            .where(matches.c.block.between(found[-1].number, found[0].number))
            .order_by(matches.c.block, matches.c.rotation)
        )
        names: dict[int, list[str]] = {}
        for block, name in self._rows(played):
            names.setdefault(block, []).append(name)
        return [
            ScheduledBlock(
                row.number, row.round, row.deal, tuple(row.entrants), row.pairs, tuple(names.get(row.number, ()))
            )
            for row in found
        ]

    def outcomes(self, tournament_id: int, bracket: str, first: int) -> list[bytes]:
        """Return the results of the counted blocks from this number on, in order."""
        counted = (blocks.c.number >= first) & blocks.c.pairs.is_not(None)
        wanted = select(blocks.c.pairs).where(of_bracket(blocks, tournament_id, bracket), counted)
        return self._column(wanted.order_by(blocks.c.number))

    def results(self, tournament_id: int, bracket: str) -> Iterator[tuple[int, int, str, tuple[SeatRecord, ...]]]:
        """Yield block, rotation, name and seats of each stored match, in schedule order."""
        wanted = (
            select(matches.c.block, matches.c.rotation, matches.c.name, *seat_columns())
            .join(seats)
            .where(of_bracket(matches, tournament_id, bracket))
            .order_by(matches.c.block, matches.c.rotation, seats.c.seat)
        )
        with self.engine.connect() as connection:
            for (block, rotation, name), rows in groupby(connection.execute(wanted), key=lambda row: tuple(row[:3])):
                yield block, rotation, name, tuple(SeatRecord._make(row[3:]) for row in rows)

    def pairs(self, scope: int, bracket: str) -> list[tuple[int, tuple[int, ...], bytes, int]]:
        """Return tournament, entrants, result and deal of each counted block in the scope."""
        entrants = cast(blocks.c.entrants, Text)
        wanted = select(blocks.c.tournament_id, entrants, blocks.c.pairs, blocks.c.deal).where(
            blocks.c.bracket == bracket, blocks.c.pairs.is_not(None)
        )
        if scope != ALL:
            wanted = wanted.where(blocks.c.tournament_id == scope)
        wanted = wanted.order_by(blocks.c.tournament_id, blocks.c.number)
        parsed: dict[str, tuple[int, ...]] = {}  # the same entrants meet again and again
        found = []
        for tournament, text, pairs, deal in self._rows(wanted):
            if text not in parsed:
                parsed[text] = tuple(json.loads(text))
            found.append((tournament, parsed[text], pairs, deal))
        return found

    def replay(self, name: str) -> str:
        """Return the replay of the match as text."""
        found = self._rows(select(matches.c.replay, matches.c.bracket, matches.c.seed).where(matches.c.name == name))
        if not found:
            raise no_match(name)
        ((record, bracket, seed),) = found
        return replay_text(record, name, bracket, seed)


def no_match(name: str) -> NotFound:
    return NotFound(f"There is no match `{name}` here.", hint="Run `arena history --matches`.")


def seat_columns() -> list[ColumnElement[Any]]:
    """Return the columns of a `SeatRecord`, in its order."""
    version = func.coalesce(seats.c.version_id, PERSON)
    return [version if name == "version_id" else seats.c[name] for name in SeatRecord._fields]


def of_bracket(table: Table, tournament_id: int, bracket: str) -> ColumnElement[bool]:
    return (table.c.tournament_id == tournament_id) & (table.c.bracket == bracket)


BLOCK_COLUMNS = ("tournament_id", "bracket", "number", "round", "deal", "entrants", "pairs")
SEATS = MatchRecord._fields.index("seats")
MATCH_FIELDS = MatchRecord._fields[:SEATS] + MatchRecord._fields[SEATS + 1 :]
MATCH_COLUMNS = ("id", "tournament_id", "bracket", "decisions", *MATCH_FIELDS)
SEAT_COLUMNS = ("match_id", "seat", "bracket", *SeatRecord._fields)

LAST_MATCH = select(func.max(matches.c.id))
PROGRESS = (
    update(brackets)
    .where(brackets.c.tournament_id == bindparam("of_tournament"), brackets.c.bracket == bindparam("of_bracket"))
    .values(
        {name: brackets.c[name] + bindparam(f"new_{name}", type_=Integer) for name in ("played", "folded", "matches")}
    )
)
"""Statements that every batch needs; to make them takes longer than to execute them."""


def write_batch(connection: Connection, batch: Batch) -> None:
    """Write the batch in an open write transaction."""
    counted = {block.number: pairs for block, pairs in batch.pairs}
    new = {block.number for block in batch.blocks}
    # Most blocks are scheduled and counted in the same batch, and are written once.
    scheduled = [_block_row(batch, block, counted.get(block.number)) for block in batch.blocks]
    insert_rows(connection, blocks, BLOCK_COLUMNS, scheduled)
    results = [_block_row(batch, block, pairs) for block, pairs in batch.pairs if block.number not in new]
    insert_rows(connection, blocks, BLOCK_COLUMNS, results, replace=True)
    if batch.matches:
        # No other process writes before this is committed, so the next ids are free.
        first = (connection.execute(LAST_MATCH).scalar() or 0) + 1
        numbered = list(enumerate(batch.matches, start=first))
        match_rows = [_match_row(batch, number, match) for number, match in numbered]
        insert_rows(connection, matches, MATCH_COLUMNS, match_rows)
        seat_rows = [
            (number, seat, batch.bracket, record.version_id if record.version_id != PERSON else None, *record[1:])
            for number, match in numbered
            for seat, record in enumerate(match.seats)
        ]
        insert_rows(connection, seats, SEAT_COLUMNS, seat_rows)
    if batch.matches or batch.pairs:
        progress = {
            "of_tournament": batch.tournament_id,
            "of_bracket": batch.bracket,
            "new_played": len(batch.matches),
            "new_folded": len(batch.pairs),
            "new_matches": sum(len(block.entrants) for block, _ in batch.pairs),
        }
        connection.execute(PROGRESS, progress)


def _block_row(batch: Batch, block: BlockRecord, pairs: bytes | None) -> tuple[object, ...]:
    return (batch.tournament_id, batch.bracket, block.number, block.round, block.deal, block.entrants, pairs)


def _match_row(batch: Batch, number: int, match: MatchRecord) -> tuple[object, ...]:
    decisions = sum([seat.decisions for seat in match.seats])
    return (number, batch.tournament_id, batch.bracket, decisions, *match[:SEATS], *match[SEATS + 1 :])
