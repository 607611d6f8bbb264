"""A game that is over goes into the store: an unrated match with its replay."""

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
from arena.web.play.opponents import Seated
from arena.web.play.request import PlayRequest


def reserve(store: Store, wish: PlayRequest) -> CasualMatchPlace | ArenaError:
    """A place for the match, or why there is none: a home that can only be read is no reason not to play."""
    try:
        return store.casual.begin(Bracket(wish.game, tuple(wish.options.items())).name)
    except ArenaError as error:
        return error


def keep(
    store: Store, place: CasualMatchPlace, outcome: Outcome, tier: str, person: str, others: Sequence[Seated | None]
) -> None:
    """Writes the match. `others`: who sat where; None: the person."""
    store.casual.write(place, match_record(place, outcome, tier, person, others))


def match_record(
    place: CasualMatchPlace, outcome: Outcome, tier: str, person: str, others: Sequence[Seated | None]
) -> MatchRecord:
    """The match as it is kept. A bot that ships and was never submitted is there by its name, as the person is."""
    versions = tuple((each and each.opponent.version_id) or PERSON for each in others)
    made = make_record(PlannedMatch(place.block, 0, outcome.plan, versions), outcome, tier)
    names = [each.opponent.label if each else person for each in others]
    seats = tuple(
        seat if seat.version_id != PERSON else seat._replace(person=name)
        for seat, name in zip(made.seats, names, strict=True)
    )
    return replace(made, seats=seats)
