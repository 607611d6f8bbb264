"""Jobs: the matches of a block, as they are handed to the workers. Nothing heavy is imported here."""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from arena.games.brackets import Bracket
from arena.records import BlockRecord
from arena.referee import MatchPlan


class PlannedMatch(NamedTuple):
    """A match to be played."""

    block: int
    rotation: int
    plan: MatchPlan
    versions: tuple[int, ...]
    """In seat order."""
    reruns: int = 0


@dataclass(frozen=True, slots=True)
class MatchPlanner:
    """Makes the jobs of one bracket of a tournament."""

    tournament: int
    bracket: Bracket
    seed: str
    versions: Sequence[int]
    """The bot versions of the entrants, by number."""
    labels: Mapping[int, str]
    """What each version is called in replays."""
    sealed: bool = True

    def job(self, block: BlockRecord, rotation: int) -> PlannedMatch:
        versions = tuple(self.versions[entrant] for entrant in seating(block.entrants, rotation))
        plan = MatchPlan(
            # The bots see this name, so it must not tell the seed.
            id=f"{self.tournament}-{self.bracket.name.replace('/', '.')}-{block.number + 1}-{rotation + 1}",
            game=self.bracket.game,
            options=dict(self.bracket.options),
            seed=self._seed_of(block.deal),
            bots=tuple(self.labels[version] for version in versions),
        )
        return PlannedMatch(block.number, rotation, plan, versions)

    def _seed_of(self, deal: int) -> str:
        """The seed of a deal. It stands in replays, which anybody may read while the tournament goes on: whoever knew
        the tournament's own seed from it would know all cards to come."""
        place = f"{self.bracket.name}/{deal}"
        if not self.sealed:
            return f"{self.seed}/{place}"
        return hmac.new(self.seed.encode(), place.encode(), sha256).hexdigest()[:32]


def seating(entrants: Sequence[int], rotation: int) -> tuple[int, ...]:
    """Who sits where in a rotation of a block: everybody moves on by one seat each time."""
    return tuple(entrants[(seat + rotation) % len(entrants)] for seat in range(len(entrants)))
