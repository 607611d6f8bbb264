"""Lists of bots, tournaments and matches, as plain values.

The field names are the keys of `--json`: fields may be added, none is renamed or removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

from arena.rating.standings import Standings
from arena.store.bots import BotVersion
from arena.store.history import MatchFilter, StoredMatch
from arena.store.schema import ALL
from arena.store.store import Store


@dataclass(frozen=True, slots=True)
class BotSummary:
    """A bot version and its results in all tournaments."""

    bot: str
    version: str
    language: str
    games: tuple[str, ...]
    submitted: str
    retired: bool
    notes: str
    ratings: Mapping[str, float]
    """The conservative rating by bracket."""
    matches: int
    faults: int
    last_match: str | None
    last_result: str | None


@dataclass(frozen=True, slots=True)
class TournamentSummary:
    """A tournament."""

    tournament: int
    name: str
    format: str
    brackets: tuple[str, ...]
    bots: int
    matches: int
    state: str
    rated: bool
    began: str
    ended: str | None


@dataclass(frozen=True, slots=True)
class SeatSummary:
    """One seat of a match."""

    bot: str
    placement: int
    fault: str | None
    detail: str | None
    charged_ms: float
    cpu_ms: float | None
    wall_ms: float | None


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """A match."""

    match: str
    tournament: int
    bracket: str
    round: str
    played: str
    ending: str
    seats: tuple[SeatSummary, ...]
    """In seat order."""
    overhead_ms: float
    overloaded: bool
    sandbox: str

    def to_dict(self) -> dict[str, object]:
        """Return the match as `--json` prints it: a list by seat for every property of a seat."""
        values = asdict(self)
        seats = values.pop("seats")
        plural = {"bot": "bots", "placement": "placements", "fault": "faults", "detail": "details"}
        names = (field.name for field in fields(SeatSummary))
        return values | {plural.get(name, name): [seat[name] for seat in seats] for name in names}


def list_bots(store: Store, *, every: bool) -> list[BotSummary]:
    """Return the latest version of every bot; `every`: also retired bots and old versions."""
    versions = store.bots.all_versions() if every else store.bots.latest()
    standings = {name: store.standings.load(ALL, name) for name in store.standings.brackets(ALL)}
    return [_bot(store, standings, version) for version in versions]


def _bot(store: Store, standings: Mapping[str, Standings], version: BotVersion) -> BotSummary:
    ratings: dict[str, float] = {}
    matches = faults = 0
    for bracket, of_all in standings.items():
        if standing := of_all.bots.get(version.id):
            ratings[bracket] = round(standing.rating.conservative, 3)
            matches += standing.matches
            faults += sum(standing.faults.values())
    last_match = last_result = None
    for last in store.history.page(MatchFilter(version_ids=[version.id]), limit=1):
        # In a comparison a bot may have several seats.
        seat = min((seat for seat in last.seats if seat.version_id == version.id), key=lambda seat: seat.placement)
        last_match = last.name
        last_result = f"place {seat.placement} of {len(last.seats)}" + (f", {seat.fault}" if seat.fault else "")
    return BotSummary(
        bot=version.bot,
        version=version.version,
        language=version.language,
        games=tuple(version.games),
        submitted=version.created,
        retired=version.retired,
        notes=version.notes,
        ratings=ratings,
        matches=matches,
        faults=faults,
        last_match=last_match,
        last_result=last_result,
    )


def list_tournaments(store: Store, limit: int) -> list[TournamentSummary]:
    """Return the latest tournaments, the newest first."""
    return [
        TournamentSummary(
            tournament=record.id,
            name=record.name,
            format=record.format,
            brackets=tuple(bracket.bracket for bracket in record.brackets),
            bots=len(record.entrants),
            matches=record.played,
            state=record.state.value,
            rated=record.rated,
            began=record.created,
            ended=record.ended,
        )
        for record in store.tournaments.latest(limit)
    ]


def list_matches(
    store: Store, *, tournament: str | None, bot: str | None, bracket: str | None, only_faults: bool, limit: int
) -> list[MatchSummary]:
    """Return the latest matches that meet all conditions, the newest first."""
    versions = None
    if bot is not None:
        found = store.bots.find(bot)
        named = bot == found.bot  # a name without a version means all versions
        versions = [each.id for each in store.bots.versions_of(bot)] if named else [found.id]
    choice = MatchFilter(
        tournament_id=store.tournaments.find(tournament).id if tournament else None,
        bracket=bracket,
        version_ids=versions,
        only_faults=only_faults,
    )
    return [_match(match) for match in store.history.page(choice, limit=limit)]


def _match(match: StoredMatch) -> MatchSummary:
    seats = [
        SeatSummary(bot, seat.placement, seat.fault, seat.detail, seat.think_ms, seat.cpu_ms, seat.wall_ms)
        for bot, seat in zip(match.bots, match.seats, strict=True)
    ]
    return MatchSummary(
        match=match.name,
        tournament=match.tournament_id,
        bracket=match.bracket,
        round=match.round,
        played=match.played,
        ending=match.ending,
        seats=tuple(seats),
        overhead_ms=match.overhead_ms,
        overloaded=match.overloaded,
        sandbox=match.sandbox,
    )
