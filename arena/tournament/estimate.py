"""Forecast the schedule and the duration of a tournament from what is known about its bots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from arena.games.brackets import Bracket
from arena.games.registry import profile_of
from arena.store.bots import BotVersion
from arena.store.schema import ALL
from arena.store.store import Store
from arena.tournament.event import Event

MS_PER_DECISION = 0.05
"""The cost of a decision besides thinking: referee, messages, record. Twice as much on a slow machine."""
UNKNOWN_MS = 1.0
"""The assumed think time of a move of a bot without matches."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """The forecast of a bracket."""

    bracket: str
    bots: int
    seats: int
    pairings: int | None
    """The number of pairings; None: it depends on the results or on a stop rule."""
    matches: int | None
    seconds: float | None
    first_tables: tuple[tuple[str, ...], ...]
    """The bots of the first pairings."""
    known: bool
    """Whether all bots have played before."""


def forecast(store: Store, event: Event, field: Sequence[BotVersion], jobs: int, seed: str) -> list[Forecast]:
    return [_forecast(store, event, Bracket.parse(name), field, jobs, seed) for name in event.brackets]


def _forecast(
    store: Store, event: Event, bracket: Bracket, field: Sequence[BotVersion], jobs: int, seed: str
) -> Forecast:
    playing = [bot for bot in field if bracket.game in bot.games]
    newcomer = event.newcomer_in(bracket, [bot.games for bot in field])
    drawn_by = event.draw(bracket, len(playing), seed, newcomer)
    seats = drawn_by.field.seats
    matches = event.expected_matches(drawn_by)
    standings = store.standings.load(ALL, bracket.name)
    decisions = profile_of(bracket.game).decisions
    thinking = 0.0
    known = True
    for bot in playing:
        standing = standings.bots.get(bot.id)
        known = known and standing is not None
        if standing is not None:
            thinking += standing.think_ms / standing.matches / len(playing)
        else:
            thinking += UNKNOWN_MS * decisions / len(playing)
    per_match = seats * (thinking + decisions * MS_PER_DECISION) / 1000
    first = drawn_by.next_round(lambda _: (25.0, 25 / 3))
    tables = first.pairings if first else ()
    return Forecast(
        bracket=bracket.name,
        bots=len(playing),
        seats=seats,
        pairings=drawn_by.pairing_count,
        matches=matches,
        seconds=None if matches is None else matches * per_match / jobs,
        first_tables=tuple(
            tuple(playing[entrant].label for entrant in pairing.entrants) for pairing in islice(tables, 12)
        ),
        known=known,
    )
