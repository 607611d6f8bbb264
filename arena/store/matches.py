"""The schedule and the matches in the store. What a tournament writes goes into one batch: all of it or nothing."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from sqlalchemy import Column, Connection, Engine, bindparam, func, insert, select, update

from arena.errors import NothingThere
from arena.records import BlockRecord, MatchRecord, SeatRecord
from arena.standings import Changes, Standings
from arena.store.schema import ALL, blocks, brackets, matches, seats, versions
from arena.store.schema import bots as bots_table
from arena.store.standings import write_changes


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


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A match for people who look at it."""

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
    seats: tuple[SeatRecord, ...]


class Matches:
    """Reads and writes schedules and matches."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def write(self, batch: Batch, scopes: Sequence[tuple[int, Standings, Changes]]) -> None:
        """Writes the batch and the standings that follow from it. When this returns, it is on disk."""
        with self.engine.begin() as connection:
            if batch.blocks:
                connection.execute(insert(blocks), [_block_row(batch, block) for block in batch.blocks])
            if batch.matches:
                self._write_matches(connection, batch)
            if batch.pairs:
                self._write_pairs(connection, batch)
            for scope, standings, changes in scopes:
                write_changes(connection, scope, batch.bracket, standings, changes)

    def _write_matches(self, connection: Connection, batch: Batch) -> None:
        # One process at a time writes here, so the next ids are free.
        first = (connection.execute(select(func.max(matches.c.id))).scalar() or 0) + 1
        connection.execute(
            insert(matches),
            [_match_row(batch, match, first + place) for place, match in enumerate(batch.matches)],
        )
        connection.execute(
            insert(seats),
            [
                {"match_id": first + place, "seat": seat, **record._asdict()}
                for place, match in enumerate(batch.matches)
                for seat, record in enumerate(match.seats)
            ],
        )

    def _write_pairs(self, connection: Connection, batch: Batch) -> None:
        ours = (blocks.c.tournament_id == batch.tournament_id) & (blocks.c.bracket == batch.bracket)
        counted = update(blocks).where(ours, blocks.c.number == bindparam("block"))
        connection.execute(
            counted.values(pairs=bindparam("outcome")),
            [{"block": number, "outcome": pairs} for number, pairs in batch.pairs],
        )
        rotations = sum(round(len(pairs) ** 0.5) for _, pairs in batch.pairs)
        progress = update(brackets).where(
            brackets.c.tournament_id == batch.tournament_id, brackets.c.bracket == batch.bracket
        )
        connection.execute(
            progress.values(folded=brackets.c.folded + len(batch.pairs), matches=brackets.c.matches + rotations)
        )

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
            select(matches.c.block, matches.c.rotation, matches.c.name, *_seat_columns())
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
            raise NothingThere(f"there is no match {name!r} here: see arena history --matches.")
        return zlib.decompress(data).decode()

    def fault_reasons(self, tournament_id: int) -> list[tuple[str, str, str, int]]:
        """Why bots have forfeited: bot, kind, one of the sentences, and how often; the most frequent first."""
        count = func.count().label("count")
        wanted = (
            select(bots_table.c.name, versions.c.version, seats.c.fault, func.min(seats.c.detail), count)
            .select_from(seats)
            .join(matches, matches.c.id == seats.c.match_id)
            .join(versions, versions.c.id == seats.c.version_id)
            .join(bots_table, bots_table.c.id == versions.c.bot_id)
            .where(matches.c.tournament_id == tournament_id, seats.c.fault.is_not(None))
            .group_by(bots_table.c.name, versions.c.version, seats.c.fault)
            .order_by(count.desc(), bots_table.c.name, seats.c.fault)
        )
        with self.engine.connect() as connection:
            return [
                (f"{name} {version}".strip(), fault, detail, times)
                for name, version, fault, detail, times in connection.execute(wanted)
            ]

    def stored(
        self,
        *,
        tournament_id: int | None = None,
        bracket: str | None = None,
        version_ids: Sequence[int] | None = None,
        only_faults: bool = False,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> Iterator[StoredMatch]:
        """Matches for people who look at them, in the order in which they were written."""
        chosen = select(matches.c.id)
        if tournament_id is not None:
            chosen = chosen.where(matches.c.tournament_id == tournament_id)
        if bracket is not None:
            chosen = chosen.where(matches.c.bracket == bracket)
        if version_ids is not None:
            theirs = select(seats.c.match_id).where(seats.c.version_id.in_(version_ids))
            chosen = chosen.where(matches.c.id.in_(theirs))
        if only_faults:
            spoiled = select(seats.c.match_id).where(seats.c.fault.is_not(None))
            if version_ids is not None:
                spoiled = spoiled.where(seats.c.version_id.in_(version_ids))
            chosen = chosen.where(matches.c.id.in_(spoiled))
        order = matches.c.id.desc() if newest_first else matches.c.id
        chosen = chosen.order_by(order).limit(limit)
        wanted = (
            select(
                matches.c.id,
                matches.c.name,
                matches.c.tournament_id,
                matches.c.bracket,
                blocks.c.round,
                matches.c.ending,
                matches.c.played,
                matches.c.decisions,
                matches.c.sandbox,
                matches.c.overhead_ms,
                matches.c.overloaded,
                bots_table.c.name,
                versions.c.version,
                *_seat_columns(),
            )
            .join(seats, seats.c.match_id == matches.c.id)
            .join(versions, versions.c.id == seats.c.version_id)
            .join(bots_table, bots_table.c.id == versions.c.bot_id)
            .join(
                blocks,
                (blocks.c.tournament_id == matches.c.tournament_id)
                & (blocks.c.bracket == matches.c.bracket)
                & (blocks.c.number == matches.c.block),
            )
            .where(matches.c.id.in_(chosen))
            .order_by(order, seats.c.seat)
        )
        with self.engine.connect() as connection:
            rows = connection.execution_options(yield_per=1000).execute(wanted)
            for head, group in groupby(rows, key=lambda row: tuple(row[:11])):
                group_rows = list(group)
                _, name, tournament, bracket_name, round_title, ending, played, decisions, *host = head
                sandbox, overhead_ms, overloaded = host
                yield StoredMatch(
                    name=name,
                    tournament_id=tournament,
                    bracket=bracket_name,
                    round=round_title,
                    ending=ending,
                    played=played,
                    decisions=decisions,
                    sandbox=sandbox,
                    overhead_ms=overhead_ms,
                    overloaded=bool(overloaded),
                    bots=tuple(f"{row[11]} {row[12]}".strip() for row in group_rows),
                    seats=tuple(SeatRecord._make(row[13:]) for row in group_rows),
                )


def _seat_columns() -> list[Column[Any]]:
    return [seats.c[name] for name in SeatRecord._fields]


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
