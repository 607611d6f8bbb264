"""Matches that people play against bots: kept with their replays, never rated.

All of them together are one tournament, of the format `play`, in which nobody is entered. Each is a block of its own
that is written down when the match begins, because the bots are told the match's name then; where a person leaves, a
block without a match stays behind.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select

from arena.records import BlockRecord, MatchRecord
from arena.store.endless import add_bracket, the_one
from arena.store.matches import Batch, Matches
from arena.store.schema import PLAY, blocks
from arena.store.writing import writing


@dataclass(frozen=True, slots=True)
class Place:
    """Where a match will be kept."""

    tournament_id: int
    bracket: str
    block: int
    name: str
    """What the match is called."""


class CasualMatches:
    """Writes matches with people. That is possible at any time, while a tournament is being played too."""

    def __init__(self, matches: Matches) -> None:
        self.matches = matches

    def begin(self, bracket: str) -> Place:
        """A place for a match that begins now."""
        with writing(self.matches.engine) as connection:
            tournament = the_one(connection, PLAY)
            ours = (blocks.c.tournament_id == tournament) & (blocks.c.bracket == bracket)
            last = connection.scalar(select(func.max(blocks.c.number)).where(ours))
            if last is None:
                add_bracket(connection, tournament, bracket)
            number = 0 if last is None else last + 1
            batch = Batch(tournament, bracket, [BlockRecord(number, "", number + 1, ())])
            self.matches.write_within(connection, batch)
        return Place(tournament, bracket, number, f"{tournament}-{bracket.replace('/', '.')}-{number + 1}-1")

    def write(self, place: Place, match: MatchRecord) -> None:
        """Keeps the match, which has been played under the name and in the block of its place."""
        assert (match.name, match.block, match.rotation) == (place.name, place.block, 0)
        self.matches.write(Batch(place.tournament_id, place.bracket, matches=[match]), [])
