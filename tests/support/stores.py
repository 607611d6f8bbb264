"""Stores with a few bots and matches."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event, select

from arena import replay
from arena.games.registry import find_game
from arena.rating.standings import Standings, pair_points
from arena.rating.trueskill import Scale
from arena.records import PERSON, BlockRecord, MatchRecord, SeatRecord
from arena.replay import simulate_game
from arena.store.history import MatchFilter
from arena.store.matches import Batch
from arena.store.open_ended import CasualMatchPlace
from arena.store.schema import metadata
from arena.store.store import Store


def two_bots(store: Store) -> list[int]:
    return [store.bots.register(name, None, f"hash {name}", f"{name}/", "python", ["mantis"]).id for name in "ab"]


def seat(version: int, placement: int, fault: str | None = None) -> SeatRecord:
    won = 1.0 if placement == 1 else 0.0
    return SeatRecord(version, placement, won, 12.5, 10, fault, "It fell asleep." if fault else None)


def record(block: int, rotation: int, *seated: SeatRecord, replay: str = "{}\n") -> MatchRecord:
    name = f"1-mantis-{block + 1}-{rotation + 1}"
    return MatchRecord(block, rotation, name, "seed/1", "over", seated, zlib.compress(replay.encode()), "2026-01-01")


def play_blocks(store: Store, count: int) -> Standings:
    """A tournament of the two bots in which the first wins every match; each block is written by itself."""
    first, second = two_bots(store)
    tournament = store.tournaments.begin("", "round-robin", {}, "seed", [first, second], ["mantis"])
    standings = Standings(Scale(0.01))
    for number in range(count):
        batch = Batch(tournament.id, "mantis", [BlockRecord(number, "round 1", number + 1, (0, 1))])
        for rotation in range(2):
            seated = (seat(first, 1), seat(second, 2)) if not rotation else (seat(second, 2), seat(first, 1))
            batch.matches.append(record(number, rotation, *seated))
            standings.fold(seated, batch.matches[-1].name)
        batch.pairs.append((batch.blocks[0], pair_points([[1, 2], [1, 2]])))
        store.matches.write(batch, [(tournament.id, standings, standings.take_changes())])
    return standings


WRITER = """
import sys
from pathlib import Path
from arena.store.store import Store
from arena.records import BlockRecord
from arena.store.matches import Batch
from tests.support.stores import record, seat, two_bots
store = Store.open(sys.argv[1] if "://" in sys.argv[1] else Path(sys.argv[1]))
first, second = two_bots(store)
store.tournaments.begin("", "round-robin", {}, "seed", [first, second], ["mantis"])
for number in range(100_000):
    played = record(number, 0, seat(first, 1), seat(second, 2))
    store.matches.write(Batch(1, "mantis", [BlockRecord(number, "", 1, (0, 1))], [played]), [])
    print(number, flush=True)
"""


def everything(store: Store, choice: MatchFilter) -> list[str]:
    """The names of all chosen matches, page by page."""
    names: list[str] = []
    before = None
    while page := store.history.page(choice, limit=37, before=before):
        names += [match.name for match in page]
        before = page[-1].id
    return names


@contextmanager
def plans_of(store: Store) -> Iterator[list[str]]:
    """How SQLite goes about the queries: a line for each table that it looks at."""
    plans: list[str] = []

    def explain(_: object, cursor: sqlite3.Cursor, statement: str, parameters: Any, *__: object) -> None:
        rows = cursor.connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
        plans.extend(row[3] for row in rows)

    event.listen(store.engine, "before_cursor_execute", explain)
    try:
        yield plans
    finally:
        event.remove(store.engine, "before_cursor_execute", explain)


def by_anna(place: CasualMatchPlace, bot: int, edition: str = "classic") -> MatchRecord:
    """A match between a person on seat 0 and a bot."""
    game = simulate_game(find_game("mantis"), {"edition": edition}, 2, "seed", place.name)
    first, second = game.result.placements
    anna = SeatRecord(PERSON, first, float(first == 1), 9000.0, 10, None, None, person="Anna")
    theirs = SeatRecord(bot, second, float(second == 1), 12.5, 10, None, None)
    packed = zlib.compress(replay.dumps(game.replay).encode())
    return MatchRecord(place.block, 0, place.name, "seed", "over", (anna, theirs), packed, "2026-01-02 00:00:00")


def content(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables."""
    with store.engine.connect() as connection:
        return {
            table.name: [
                tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key.columns)).all()
            ]
            for table in metadata.sorted_tables
        }
