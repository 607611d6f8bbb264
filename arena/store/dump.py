"""Stored tables as plain rows for other programs: names instead of ids, without derived tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Column, Select, Table, select

from arena.replay.compact import replay_text
from arena.store.config import CONFIG
from arena.store.schema import blocks, bots, entries, matches, rating_points, seats, standings, tournaments, versions
from arena.store.store import Store

BOT = (bots.c.name.label("bot"), versions.c.version)
MATCH = matches.c.name.label("match")


def _all_but(table: Table, *names: str) -> list[Column[Any]]:
    return [column for column in table.c if column.name not in names]


def _scoped(table: Table) -> Select[*tuple[Any, ...]]:
    """Select a table with rows per scope, bracket and version."""
    key = ("scope", "bracket", "version_id")
    wanted = select(table.c.scope, table.c.bracket, *BOT, *_all_but(table, *key)).select_from(table)
    return wanted.join(versions).join(bots).order_by(*table.primary_key)


TABLES: dict[str, Select[*tuple[Any, ...]]] = {
    "bots": select(*BOT, *_all_but(versions, "id", "bot_id", "version", "program"), bots.c.retired)
    .join(bots)
    .order_by(versions.c.id),
    "tournaments": select(tournaments).order_by(tournaments.c.id),
    "entries": select(entries.c.tournament_id, entries.c.entrant, *BOT)
    .select_from(entries)
    .join(versions)
    .join(bots)
    .order_by(entries.c.tournament_id, entries.c.entrant),
    "schedule": select(*_all_but(blocks, "pairs")).order_by(*blocks.primary_key),
    "matches": select(MATCH, *_all_but(matches, "id", "name", "replay")).order_by(matches.c.id),
    "seats": select(
        MATCH,
        matches.c.tournament_id,
        matches.c.bracket,
        seats.c.seat,
        *BOT,
        seats.c.placement,
        seats.c.won,
        seats.c.think_ms,
        seats.c.cpu_ms,
        seats.c.wall_ms,
        seats.c.decisions,
        seats.c.fault,
        seats.c.detail,
        seats.c.person,  # instead of a bot
    )
    .select_from(seats)
    .join(matches)
    .outerjoin(versions, versions.c.id == seats.c.version_id)
    .outerjoin(bots)
    .order_by(seats.c.match_id, seats.c.seat),
    "standings": _scoped(standings),
    "ratings": _scoped(rating_points),
    "replays": select(MATCH, matches.c.replay, matches.c.bracket, matches.c.seed).order_by(matches.c.id),
}
"""The tables that can be exported. A scope is a tournament's number, or 0 for all tournaments."""


def rows(store: Store, table: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of the table."""
    with store.engine.connect() as connection:
        for row in connection.execution_options(yield_per=CONFIG.export_rows).execute(TABLES[table]):
            fields = dict(row._mapping)
            if "replay" in fields:
                text = replay_text(fields["replay"], fields["match"], fields.pop("bracket"), fields.pop("seed"))
                fields["replay"] = text
            yield fields
