"""Plan the matches of a block: names, seeds and seat orders. Nothing heavy is imported here."""

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
    """A match that is to be played."""

    block: int
    rotation: int
    plan: MatchPlan
    versions: tuple[int, ...]
    """In seat order."""
    reruns: int = 0
    """How often the host has spoiled it."""


@dataclass(frozen=True, slots=True)
class MatchPlanner:
    """Plans the matches of one bracket of a tournament."""

    tournament: int
    bracket: Bracket
    seed: str
    versions: Sequence[int]
    """The bot versions of the entrants, by number."""
    labels: Mapping[int, str]
    """The name of each version in replays."""
    sealed: bool = True

    def match(self, block: BlockRecord, rotation: int) -> PlannedMatch:
        """Return one rotation of a block."""
        versions = tuple(self.versions[entrant] for entrant in seating(block.entrants, rotation))
        plan = MatchPlan(
            # The bots see this name, so it must not reveal the seed.
            id=f"{self.tournament}-{self.bracket.name.replace('/', '.')}-{block.number + 1}-{rotation + 1}",
            game=self.bracket.game,
            options=dict(self.bracket.options),
            seed=self._seed_of(block.deal),
            bots=tuple(self.labels[version] for version in versions),
        )
        return PlannedMatch(block.number, rotation, plan, versions)

    def _seed_of(self, deal: int) -> str:
        """Return the seed of a deal. Replays contain it and are public during the tournament, so it must not reveal
        the tournament's seed, which determines all cards to come."""
        name = f"{self.bracket.name}/{deal}"
        if not self.sealed:
            return f"{self.seed}/{name}"
        return hmac.new(self.seed.encode(), name.encode(), sha256).hexdigest()[:32]


def seating(entrants: Sequence[int], rotation: int) -> tuple[int, ...]:
    """Return the entrants of a block in seat order: in each rotation all move by one seat."""
    return tuple(entrants[(seat + rotation) % len(entrants)] for seat in range(len(entrants)))
