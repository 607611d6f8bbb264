"""The schedule and the matches in the store. What a tournament writes goes into one batch: all of it or nothing."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Update, func, select, update

from arena.errors import NotFound
from arena.rating.standings import Changes, Standings
from arena.records import PERSON, BlockRecord, MatchRecord, SeatRecord
from arena.store.bulk import insert_rows, update_rows
from arena.store.schema import ALL, blocks, brackets, matches, seats
from arena.store.standings import write_changes
from arena.store.writing import writing


@dataclass(slots=True)
class Batch:
    """What a tournament writes at once, about one bracket."""

    tournament_id: int
    bracket: str
    blocks: list[BlockRecord] = field(default_factory=list)
    matches: list[MatchRecord] = field(default_factory=list)
    pairs: list[tuple[int, bytes]] = field(default_factory=list)
    """The blocks that have been counted, with what came of them."""

    def __bool__(self) -> bool:
        return bool(self.blocks or self.matches or self.pairs)


class Matches:
    """Reads and writes schedules and matches."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def write(
        self,
        batch: Batch,
        scopes: Sequence[tuple[int, Standings, Changes]],
        *,
        first: Callable[[Connection], None] = lambda _: None,
    ) -> None:
        """Writes the batch and the standings that follow from it. When this returns, it is on disk.

        `first` is called in the same transaction, in which nobody else writes; where it raises, nothing is written.
        """
        with writing(self.engine) as connection:
            first(connection)
            self.write_within(connection, batch)
            for scope, standings, changes in scopes:
                write_changes(connection, scope, batch.bracket, standings, changes)

    def write_within(self, connection: Connection, batch: Batch) -> None:
        """Writes the batch within a transaction in which nobody else writes."""
        insert_rows(connection, blocks, [_block_row(batch, block) for block in batch.blocks])
        if batch.matches:
            self._write_matches(connection, batch)
        if batch.pairs:
            self._write_pairs(connection, batch)

    def _write_matches(self, connection: Connection, batch: Batch) -> None:
        # Nobody else writes before this is committed, so the next ids are free.
        first = (connection.execute(select(func.max(matches.c.id))).scalar() or 0) + 1
        insert_rows(
            connection,
            matches,
            [_match_row(batch, match, first + place) for place, match in enumerate(batch.matches)],
        )
        insert_rows(
            connection,
            seats,
            [
                _seat_row(batch, first + place, seat, record)
                for place, match in enumerate(batch.matches)
                for seat, record in enumerate(match.seats)
            ],
        )
        connection.execute(_bracket_of(batch).values(played=brackets.c.played + len(batch.matches)))

    def _write_pairs(self, connection: Connection, batch: Batch) -> None:
        ours = {"tournament_id": batch.tournament_id, "bracket": batch.bracket}
        update_rows(connection, blocks, [{**ours, "number": number, "pairs": pairs} for number, pairs in batch.pairs])
        rotations = sum(round(len(pairs) ** 0.5) for _, pairs in batch.pairs)
        progress = {"folded": brackets.c.folded + len(batch.pairs), "matches": brackets.c.matches + rotations}
        connection.execute(_bracket_of(batch).values(progress))

    # Reading

    def schedule(self, tournament_id: int, bracket: str) -> list[BlockRecord]:
        """The blocks that are on record, in order."""
        ours = select(blocks).where(blocks.c.tournament_id == tournament_id, blocks.c.bracket == bracket)
        with self.engine.connect() as connection:
            return [
                BlockRecord(row.number, row.round, row.deal, tuple(row.entrants))
                for row in connection.execute(ours.order_by(blocks.c.number))
            ]

    def results(self, tournament_id: int, bracket: str) -> Iterator[tuple[int, int, str, tuple[SeatRecord, ...]]]:
        """Of each match on record its block, rotation, name and seats, in the order of the schedule."""
        wanted = (
            select(matches.c.block, matches.c.rotation, matches.c.name, *seat_columns())
            .join(seats)
            .where(matches.c.tournament_id == tournament_id, matches.c.bracket == bracket)
            .order_by(matches.c.block, matches.c.rotation, seats.c.seat)
        )
        with self.engine.connect() as connection:
            for (block, rotation, name), rows in groupby(connection.execute(wanted), key=lambda row: tuple(row[:3])):
                yield block, rotation, name, tuple(SeatRecord._make(row[3:]) for row in rows)

    def pairs(self, scope: int, bracket: str) -> list[tuple[int, tuple[int, ...], bytes]]:
        """Of each counted block in the scope its tournament, its entrants and what came of it."""
        wanted = select(blocks.c.tournament_id, blocks.c.entrants, blocks.c.pairs).where(
            blocks.c.bracket == bracket, blocks.c.pairs.is_not(None)
        )
        if scope != ALL:
            wanted = wanted.where(blocks.c.tournament_id == scope)
        with self.engine.connect() as connection:
            rows = connection.execute(wanted.order_by(blocks.c.tournament_id, blocks.c.number))
            return [(row.tournament_id, tuple(row.entrants), row.pairs) for row in rows]

    def replay(self, name: str) -> str:
        """The replay of the match, as it is written to a file."""
        with self.engine.connect() as connection:
            data = connection.execute(select(matches.c.replay).where(matches.c.name == name)).scalar()
        if data is None:
            raise NotFound(f"there is no match {name!r} here: see arena history --matches.")
        return zlib.decompress(data).decode()


def seat_columns() -> list[ColumnElement[Any]]:
    """What makes a SeatRecord."""
    version = func.coalesce(seats.c.version_id, PERSON)
    return [version if name == "version_id" else seats.c[name] for name in SeatRecord._fields]


def _bracket_of(batch: Batch) -> Update:
    return update(brackets).where(brackets.c.tournament_id == batch.tournament_id, brackets.c.bracket == batch.bracket)


def _seat_row(batch: Batch, match_id: int, seat: int, record: SeatRecord) -> dict[str, object]:
    row = {"match_id": match_id, "seat": seat, "bracket": batch.bracket, **record._asdict()}
    return row if record.version_id != PERSON else {**row, "version_id": None}


def _block_row(batch: Batch, block: BlockRecord) -> dict[str, object]:
    return {
        "tournament_id": batch.tournament_id,
        "bracket": batch.bracket,
        "number": block.number,
        "round": block.round,
        "deal": block.deal,
        "entrants": list(block.entrants),
    }


def _match_row(batch: Batch, match: MatchRecord, number: int) -> dict[str, object]:
    return {
        "id": number,
        "tournament_id": batch.tournament_id,
        "bracket": batch.bracket,
        "block": match.block,
        "rotation": match.rotation,
        "name": match.name,
        "seed": match.seed,
        "ending": match.ending,
        "decisions": sum(seat.decisions for seat in match.seats),
        "reruns": match.reruns,
        "played": match.played,
        "sandbox": match.sandbox,
        "overhead_ms": match.overhead_ms,
        "overloaded": match.overloaded,
        "replay": match.replay,
    }
