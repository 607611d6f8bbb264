"""Playing a game: again from its replay, line by line, or at random."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple

from arena.errors import BadActionText, IllegalAction, MalformedReplay, ReplayMismatch
from arena.games.base import AnyGame, AnyState, Json, Result
from arena.games.registry import find_game
from arena.replay.format import Decision, Fault, Header, Replay, result_line


class Step(NamedTuple):
    """One line of a replay that was played: its events and the state after it."""

    entry: Decision | Fault
    events: Sequence[object]
    state: AnyState


class Playback:
    """Plays a match again line by line, whether its replay is complete or still being written."""

    def __init__(self, header: Header) -> None:
        self._game = find_game(header.game)
        self.state: AnyState = self._game.from_deal(header.deal, len(header.seats), **header.options)
        self.forfeited: list[int] = []
        """The seats that have forfeited, in the order they did."""
        self.line = 1
        """The number of the last line."""

    def play(self, entry: Decision | Fault) -> Sequence[object]:
        """Play the next line and return its events. Raise `ReplayMismatch` if the rules do not allow it."""
        self.line += 1
        if refusal := self._refusal(entry):
            raise ReplayMismatch(self.line, refusal)
        if isinstance(entry, Fault):
            self.forfeited.append(entry.seat)
            return ()
        try:
            return self.state.apply(self._game.parse_action(entry.action))
        except (BadActionText, IllegalAction) as error:
            raise ReplayMismatch(self.line, str(error)) from error

    def _refusal(self, entry: Decision | Fault) -> str | None:
        """Return why the line cannot be played now, whatever its action."""
        seat, to_move = entry.seat, self.state.to_move
        has_forfeited = seat in self.forfeited
        if isinstance(entry, Fault):
            if has_forfeited:
                return f"seat {seat} had forfeited before."
            return f"seat {seat} forfeits, but the game was over before." if to_move is None else None
        if to_move is None:
            return "the game was over before this decision."
        if self.over:
            return "every seat had forfeited before this decision, so the game had stopped."
        if seat != to_move:
            return f"it was the turn of seat {to_move}, not of seat {seat}."
        if entry.by_house and not has_forfeited:
            return f"the house plays for seat {seat}, which has not forfeited."
        if has_forfeited and not entry.by_house:
            return f"seat {seat} decides, though it has forfeited."
        return None

    @property
    def over(self) -> bool:
        """Whether nothing more can be played."""
        return self.state.to_move is None or len(self.forfeited) == self.state.seats

    def result(self) -> Result:
        return self.state.result(self.forfeited)


def follow(replay: Replay) -> Iterator[Step]:
    """Play the match again; each step has its own copy of the state.

    Raise `ReplayMismatch` if the rules do not allow a line.
    """
    playback = Playback(replay.header)
    for entry in replay.entries:
        events = playback.play(entry)
        yield Step(entry, events, playback.state.clone())


def states(replay: Replay) -> Iterator[AnyState]:
    """Yield the state after the deal, then the state after each decision and each forfeit."""
    yield Playback(replay.header).state
    for step in follow(replay):
        yield step.state


def verify(replay: Replay) -> Result:
    """Play the match again and compare the result. Raise `ReplayMismatch` if they differ."""
    playback = Playback(replay.header)
    for entry in replay.entries:
        playback.play(entry)
    line = playback.line + 1
    if not playback.over:
        turn = playback.state.to_move
        raise ReplayMismatch(line, f"the result is here, but the game is not over: it is the turn of seat {turn}.")
    result = playback.result()
    for key, expected in result_line(result).items():
        if key not in replay.result:
            raise MalformedReplay(line, f"the key {key!r} is missing in the result.")
        given = replay.result[key]
        if not _agrees(given, expected):
            raise ReplayMismatch(
                line, f"by the rules the result is {key} {json.dumps(expected)}, not {json.dumps(given)}."
            )
    return result


def _agrees(given: Json, expected: Json) -> bool:
    """Return whether the two are the same JSON; unknown keys are ignored."""
    if isinstance(expected, Mapping):
        return isinstance(given, Mapping) and all(
            key in given and _agrees(given[key], value) for key, value in expected.items()
        )
    if isinstance(expected, tuple):
        return isinstance(given, list | tuple) and len(given) == len(expected) and all(map(_agrees, given, expected))
    return type(given) is type(expected) and given == expected


class SimulatedGame(NamedTuple):
    replay: Replay
    result: Result


def simulate_game(game: AnyGame, options: Mapping[str, str], seats: int, seed: str, match: str) -> SimulatedGame:
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
    return SimulatedGame(replay, result)
