"""Plan the matches of a block: names, seeds and seat orders. Nothing heavy is imported here."""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
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


class MatchPlanner:
    """Plans the matches of one bracket of a tournament."""

    def __init__(
        self,
        tournament: int,
        bracket: Bracket,
        seed: str,
        versions: Sequence[int],
        labels: Mapping[int, str],
        *,
        sealed: bool = True,
        dealt_as: str = "",
    ) -> None:
        """`versions`: the bot versions of the entrants, by number; `labels`: the name of each version in replays.

        `dealt_as`: the name that the bracket had when the tournament began, if it was another one.
        """
        self.labels = labels
        self._versions = versions
        self._seed = seed
        self._sealed = sealed
        self._bracket = dealt_as or bracket.name
        # The bots see the name of a match, so it must not reveal the seed.
        self._prefix = f"{tournament}-{self._bracket.replace('/', '.')}"
        self._game = bracket.game
        self._options = dict(bracket.options)
        """One object for all plans: pickle writes it once per message."""

    def matches(self, block: BlockRecord, rotations: Sequence[int]) -> list[PlannedMatch]:
        """Return these rotations of a block."""
        number, seed, planned = block.number, self._seed_of(block.deal), []
        for rotation in rotations:
            versions = tuple([self._versions[entrant] for entrant in seating(block.entrants, rotation)])
            bots = tuple([self.labels[version] for version in versions])
            plan = MatchPlan(f"{self._prefix}-{number + 1}-{rotation + 1}", self._game, self._options, seed, bots)
            planned.append(PlannedMatch(number, rotation, plan, versions))
        return planned

    def _seed_of(self, deal: int) -> str:
        """Return the seed of a deal. Replays contain it and are public during the tournament, so it must not reveal
        the tournament's seed, which determines all cards to come."""
        name = f"{self._bracket}/{deal}"
        if not self._sealed:
            return f"{self._seed}/{name}"
        return hmac.digest(self._seed.encode(), name.encode(), "sha256").hex()[:32]


def seating(entrants: tuple[int, ...], rotation: int) -> tuple[int, ...]:
    """Return the entrants of a block in seat order: in each rotation all move by one seat."""
    return entrants[rotation:] + entrants[:rotation]
