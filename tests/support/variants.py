"""Every way in which a registered game can be played: game, options, number of seats."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from arena.games.base import AnyGame, AnyState
from arena.games.brackets import Bracket
from arena.games.registry import GAMES


class Variant(NamedTuple):
    game: AnyGame
    options: dict[str, str]
    seats: int

    def __str__(self) -> str:
        return "-".join([self.game.name, *self.options.values(), str(self.seats)])

    def new(self, seed: str) -> AnyState:
        return self.game.new(self.seats, seed, **self.options)

    def random_state(self, seed: str, actions: int) -> AnyState:
        """The state after that many random actions, or at the end of the game if it comes first."""
        state = self.new(seed)
        rng = Random(seed)
        for _ in range(actions):
            if not state.legal():
                break
            state.apply(rng.choice(state.legal()))
        return state


def variants_of(game: AnyGame) -> Iterator[Variant]:
    for bracket in Bracket.all_of(game):
        for seats in game.seat_range(**dict(bracket.options)):
            yield Variant(game, dict(bracket.options), seats)


VARIANTS = [variant for game in GAMES.values() for variant in variants_of(game)]
