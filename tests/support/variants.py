"""Every way in which a registered game can be played: game, options, number of seats."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random
from typing import NamedTuple

from arena.games.base import AnyGame, AnyState
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


def all_variants() -> Iterator[Variant]:
    for game in GAMES.values():
        for values in product(*([value.name for value in option.values] for option in game.options)):
            options = dict(zip([option.name for option in game.options], values, strict=True))
            for seats in game.seat_range(**options):
                yield Variant(game, options, seats)


VARIANTS = list(all_variants())
