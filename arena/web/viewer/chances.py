"""The win-probability curve: how often each seat would win from here if simple players played the game out.

At some steps of a match the hidden cards are drawn anew and the game is played to its end, many times; the share of
these playouts that a seat wins is its chance. The players of the playouts are all alike: cheap, sensible, a little
random. They are not the bots of the match, so the curve shows how the cards lie, not how strong the bots are.

Without a seat the curve knows all cards on the table and in the hands, but not the order of those still to come. With a
seat it knows what that seat knows. Shared wins count 1/n; the chance that no seat wins is what the chances lack to 1. A
seat that has forfeited cannot win. The curve ends at the result of the match.

The work is bounded by the number of moves in the playouts, not by a clock, and the random numbers come from the match
id: the same match has the same curve everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypedDict

from arena.games.base import AnyState
from arena.games.profile import Profile
from arena.games.registry import profile_of
from arena.replay import Fault, Playback, Replay

MOST_PLAYOUTS = 400
LEAST_PLAYOUTS = 16
DIGITS = 3


class Chances(TypedDict):
    seat: int | None
    """The seat whose knowledge they use; None: all cards on the table and in the hands."""
    steps: list[int]
    """The frames at which the chances were computed, ascending, including the first and the last."""
    shares: list[list[float]]
    """For each of them, the chance of each seat."""


def chances_of(replay: Replay, seat: int | None = None, moves: int | None = None) -> Chances:
    """Return the curve of a finished match, as the seat could have known it, or as a spectator sees it."""
    profile = profile_of(replay.header.game)
    last = len(replay.entries)
    samples = min(last, profile.playout_samples)
    moves_each = (profile.playout_moves if moves is None else moves) // max(samples, 1)
    wanted = {number * last // samples for number in range(samples)}
    for step, entry in enumerate(replay.entries):
        if isinstance(entry, Fault):  # a forfeit changes everything at once
            wanted |= {step, step + 1}
    rng = Random(f"chances {replay.header.match}")
    playback = Playback(replay.header)
    steps: list[int] = []
    shares: list[list[float]] = []
    for step, entry in enumerate(replay.entries):
        if step in wanted:
            steps.append(step)
            shares.append(chances_at(playback.state, playback.forfeited, profile, rng, moves_each, seat))
        playback.play(entry)
    winners = playback.result().winners
    steps.append(last)
    shares.append([round((each in winners) / max(len(winners), 1), DIGITS) for each in range(playback.state.seats)])
    return {"seat": seat, "steps": steps, "shares": shares}


def chances_at(
    state: AnyState, forfeited: Sequence[int], profile: Profile, rng: Random, moves: int, seat: int | None = None
) -> list[float]:
    """Return the chance of each seat, from playouts that have about `moves` moves together."""
    draw = profile.draw(state, seat, rng)
    wins = [0.0] * state.seats
    playouts = played = 0
    while playouts < LEAST_PLAYOUTS or (played < moves and playouts < MOST_PLAYOUTS):
        drawn = draw()
        played += profile.playout(drawn, rng)
        playouts += 1
        winners = drawn.result(forfeited).winners
        for winner in winners:
            wins[winner] += 1 / len(winners)
    return [round(won / playouts, DIGITS) for won in wins]
