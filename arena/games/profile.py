"""What the arena has to know about a game besides its rules: figures for ratings, estimates and win chances."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random

from arena.games.base import AnyState

Draw = Callable[[], AnyState]
"""Draws a state with another possible future."""


def draw_by_view(state: AnyState, seat: int | None, rng: Random) -> Draw:
    """Return what draws a state that agrees with the seat's view; without a seat, a copy of the state."""
    if seat is None:
        return state.clone
    view = state.view(seat)
    return lambda: state.determinize(view, rng)


def play_at_random(state: AnyState, rng: Random) -> int:
    """Play the game to its end with random actions. Return the number of actions."""
    moves = 0
    while legal := state.house_actions():
        state.apply(rng.choice(legal))
        moves += 1
    return moves


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The figures of a game."""

    decisions: float
    """About how many decisions a seat makes in a match."""
    tie_rates: Mapping[tuple[str, ...], float] = field(default_factory=dict)
    """For the values of the options, in their order: the share of neighbouring places that equal bots tie for.
    `python bench/ratings.py --ties` measures it."""
    seats: int = 4
    """How many seats a match has unless the organiser chooses a number."""
    scoring_steps: int = 0
    """About how many steps the viewer shows after the last decision."""
    draw: Callable[[AnyState, int | None, Random], Draw] = draw_by_view
    """Draws what is hidden from a seat, or from a spectator who sees all cards but not those still to come."""
    playout: Callable[[AnyState, Random], int] = play_at_random
    """Plays a state to its end with cheap, sensible, slightly random players, and returns the number of actions."""
    playout_moves: int = 50_000
    """How many actions all playouts of a match may have together: about a second."""
    playout_samples: int = 24
    """At how many steps of a match, at most, the win chances are computed."""
