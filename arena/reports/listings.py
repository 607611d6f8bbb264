"""What is on record as lists of plain rows, for whoever prints them or sends them: bots, tournaments, matches.

Keys may be added to the rows; none is ever renamed or removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.rating.standings import Standings
from arena.store.archive import Choice, StoredMatch
from arena.store.bots import BotVersion
from arena.store.schema import ALL
from arena.store.store import Store

Row = dict[str, Any]
"""What stands in JSON, by name."""


def bot_rows(store: Store, *, every: bool) -> list[Row]:
    """The bots that were handed in, with what they have reached; `every`: retired ones and old versions, too."""
    versions = store.bots.all_versions() if every else store.bots.latest()
    standings = {name: store.standings.load(ALL, name) for name in store.standings.brackets(ALL)}
    return [_bot(store, standings, version) for version in versions]


def _bot(store: Store, standings: Mapping[str, Standings], version: BotVersion) -> Row:
    ratings: dict[str, float] = {}
    matches = faults = 0
    for bracket, of_all in standings.items():
        if standing := of_all.bots.get(version.id):
            ratings[bracket] = round(standing.rating.conservative, 3)
            matches += standing.matches
            faults += sum(standing.faults.values())
    last = next(iter(store.archive.page(Choice(version_ids=[version.id]), limit=1)), None)
    return {
        "bot": version.bot,
        "version": version.version,
        "language": version.language,
        "games": list(version.games),
        "submitted": version.created,
        "retired": version.retired,
        "notes": version.notes,
        "ratings": ratings,
        "matches": matches,
        "faults": faults,
        "last_match": last.name if last else None,
        "last_result": _result(last, version.id) if last else None,
    }


def _result(match: StoredMatch, version: int) -> str:
    # In a comparison a bot may have several seats.
    seat = min((seat for seat in match.seats if seat.version_id == version), key=lambda seat: seat.placement)
    return f"place {seat.placement} of {len(match.seats)}" + (f", {seat.fault}" if seat.fault else "")


def tournament_rows(store: Store, limit: int) -> list[Row]:
    """The latest tournaments, the newest first."""
    return [
        {
            "tournament": record.id,
            "name": record.name,
            "format": record.format,
            "brackets": [bracket.bracket for bracket in record.brackets],
            "bots": len(record.entrants),
            "matches": record.played,
            "state": record.state.value,
            "rated": record.rated,
            "began": record.created,
            "ended": record.ended,
        }
        for record in store.tournaments.latest(limit)
    ]


def match_rows(
    store: Store, *, tournament: str | None, bot: str | None, bracket: str | None, only_faults: bool, limit: int
) -> list[Row]:
    """The latest matches, the newest first, or those of a tournament, of a bot, of a bracket."""
    versions = None
    if bot is not None:
        found = store.bots.find(bot)
        named = bot == found.bot  # without a version it means all of them
        versions = [each.id for each in store.bots.versions_of(bot)] if named else [found.id]
    choice = Choice(
        tournament_id=store.tournaments.find(tournament).id if tournament else None,
        bracket=bracket,
        version_ids=versions,
        only_faults=only_faults,
    )
    return [_match(match) for match in store.archive.page(choice, limit=limit)]


def _match(match: StoredMatch) -> Row:
    return {
        "match": match.name,
        "tournament": match.tournament_id,
        "bracket": match.bracket,
        "round": match.round,
        "played": match.played,
        "ending": match.ending,
        "bots": list(match.bots),
        "placements": [seat.placement for seat in match.seats],
        "faults": [seat.fault for seat in match.seats],
        "details": [seat.detail for seat in match.seats],
        "charged_ms": [seat.think_ms for seat in match.seats],
        "cpu_ms": [seat.cpu_ms for seat in match.seats],
        "wall_ms": [seat.wall_ms for seat in match.seats],
        "overhead_ms": match.overhead_ms,
        "overloaded": match.overloaded,
        "sandbox": match.sandbox,
    }
