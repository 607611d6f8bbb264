"""Store a match with a person: an unrated match with its replay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from arena.errors import ArenaError
from arena.games.brackets import Bracket
from arena.records import PERSON, MatchRecord
from arena.referee import Outcome
from arena.store.casual import CasualMatchPlace
from arena.store.store import Store
from arena.tournament.planner import PlannedMatch
from arena.tournament.recording import make_record
from arena.web.play.opponents import SeatedOpponent
from arena.web.play.request import PlayRequest


def reserve(store: Store, request: PlayRequest) -> CasualMatchPlace | ArenaError:
    """Return a place in the store, or the reason why there is none: a read-only home does not prevent playing."""
    try:
        return store.casual.begin(Bracket(request.game, tuple(request.options.items())).name)
    except ArenaError as error:
        return error


def match_record(
    place: CasualMatchPlace, outcome: Outcome, tier: str, person: str, players: Sequence[SeatedOpponent | None]
) -> MatchRecord:
    """Return the record of the match. `players`: by seat; None: the person.

    The person, and bundled bots that were never submitted, are recorded by name instead of by version.
    """
    versions = tuple((each and each.opponent.version_id) or PERSON for each in players)
    record = make_record(PlannedMatch(place.block, 0, outcome.plan, versions), outcome, tier)
    names = [each.opponent.label if each else person for each in players]
    seats = tuple(
        seat if seat.version_id != PERSON else seat._replace(person=name)
        for seat, name in zip(record.seats, names, strict=True)
    )
    return replace(record, seats=seats)
