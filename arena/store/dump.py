"""Stored tables as plain rows for other programs: names instead of ids, without derived tables."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Select, select

from arena.store.config import CONFIG
from arena.store.schema import (
    blocks,
    bots,
    entries,
    matches,
    rating_points,
    seats,
    standings,
    tournaments,
    versions,
)
from arena.store.store import Store

BOT = (bots.c.name.label("bot"), versions.c.version)

TABLES: dict[str, Select[*tuple[Any, ...]]] = {
    "bots": select(
        *BOT,
        versions.c.content_hash,
        versions.c.language,
        versions.c.games,
        versions.c.notes,
        versions.c.created,
        bots.c.retired,
    )
    .select_from(versions)
    .join(bots)
    .order_by(versions.c.id),
    "tournaments": select(tournaments).order_by(tournaments.c.id),
    "entries": select(entries.c.tournament_id, entries.c.entrant, *BOT)
    .select_from(entries)
    .join(versions)
    .join(bots)
    .order_by(entries.c.tournament_id, entries.c.entrant),
    "schedule": select(
        blocks.c.tournament_id, blocks.c.bracket, blocks.c.number, blocks.c.round, blocks.c.deal, blocks.c.entrants
    ).order_by(blocks.c.tournament_id, blocks.c.bracket, blocks.c.number),
    "matches": select(
        matches.c.name.label("match"),
        matches.c.tournament_id,
        matches.c.bracket,
        matches.c.block,
        matches.c.rotation,
        matches.c.seed,
        matches.c.ending,
        matches.c.decisions,
        matches.c.reruns,
        matches.c.played,
        matches.c.sandbox,
        matches.c.overhead_ms,
        matches.c.overloaded,
    ).order_by(matches.c.id),
    "seats": select(
        matches.c.name.label("match"),
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
    .join(matches, matches.c.id == seats.c.match_id)
    .outerjoin(versions, versions.c.id == seats.c.version_id)
    .outerjoin(bots)
    .order_by(seats.c.match_id, seats.c.seat),
    "standings": select(
        standings.c.scope,
        standings.c.bracket,
        *BOT,
        *(column for column in standings.c if column.name not in ("scope", "bracket", "version_id")),
    )
    .select_from(standings)
    .join(versions)
    .join(bots)
    .order_by(standings.c.scope, standings.c.bracket, versions.c.id),
    "ratings": select(
        rating_points.c.scope,
        rating_points.c.bracket,
        *BOT,
        rating_points.c.matches,
        rating_points.c.mu,
        rating_points.c.sigma,
    )
    .select_from(rating_points)
    .join(versions)
    .join(bots)
    .order_by(rating_points.c.scope, rating_points.c.bracket, versions.c.id, rating_points.c.matches),
    "replays": select(matches.c.name.label("match"), matches.c.replay).order_by(matches.c.id),
}
"""The tables that can be exported. A scope is a tournament's number, or 0 for all tournaments."""


def rows(store: Store, table: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of the table."""
    with store.engine.connect() as connection:
        for row in connection.execution_options(yield_per=CONFIG.export_rows).execute(TABLES[table]):
            fields = dict(row._mapping)
            if "replay" in fields:
                fields["replay"] = zlib.decompress(fields["replay"]).decode()
            yield fields
