"""Casual matches: matches of people against bots, stored with their replays, never rated.

All of them are one open-ended tournament of the format `play`, without entrants. Each match is a block of its own. The
block is stored when the match begins, because the bots are sent the match's name; if the person leaves, the block stays
without a match.
"""

from __future__ import annotations

from dataclasses import dataclass

from arena.records import BlockRecord, MatchRecord
from arena.store.engine import write_transaction
from arena.store.matches import Batch, Matches, next_block
from arena.store.schema import PLAY
from arena.store.tournaments import add_open_bracket, open_ended_tournament


@dataclass(frozen=True, slots=True)
class CasualMatchPlace:
    """Where a casual match will be stored."""

    tournament_id: int
    bracket: str
    block: int
    name: str
    """The match's name."""


class CasualMatches:
    """Stores casual matches, also while a tournament is running."""

    def __init__(self, matches: Matches) -> None:
        self.matches = matches

    def begin(self, bracket: str) -> CasualMatchPlace:
        """Reserve a place for a match that begins now."""
        with write_transaction(self.matches.engine) as connection:
            tournament = open_ended_tournament(connection, PLAY)
            number = next_block(connection, tournament, bracket)
            if number == 0:
                add_open_bracket(connection, tournament, bracket)
            batch = Batch(tournament, bracket, [BlockRecord(number, "", number + 1, ())])
            self.matches.write_within(connection, batch)
        return CasualMatchPlace(tournament, bracket, number, f"{tournament}-{bracket.replace('/', '.')}-{number + 1}-1")

    def write(self, place: CasualMatchPlace, match: MatchRecord) -> None:
        """Store the match, which was played under the name of its place."""
        assert (match.name, match.block, match.rotation) == (place.name, place.block, 0)
        self.matches.write(Batch(place.tournament_id, place.bracket, matches=[match]), [])
