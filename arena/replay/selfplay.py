"""Random self-play: whole games in which every seat picks a random legal action."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from arena.games.base import AnyGame, Result
from arena.replay import Decision, Header, Replay, result_line


@dataclass(frozen=True, slots=True)
class SimulatedGame:
    """A finished game: its result and its replay."""

    result: Result
    replay: Replay

    @property
    def decisions(self) -> int:
        return len(self.replay.entries)


def simulate_game(game: AnyGame, options: dict[str, str], seats: int, seed: str, match: str) -> SimulatedGame:
    """Play one game at random. The seed determines both the deal and the actions."""
    state = game.new(seats, seed, **options)
    replay = Replay(Header(match, game.name, game.complete(options), seed, ("random",) * seats, state.deal()))
    rng = Random(f"random play {seed}")
    while (seat := state.to_move) is not None:
        action = rng.choice(state.legal())
        state.apply(action)
        replay.entries.append(Decision(seat, str(action), 0.0))
    result = state.result()
    replay.result = result_line(result)
    return SimulatedGame(result, replay)
