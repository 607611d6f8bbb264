"""Playing a match again from its replay, line by line, and comparing its result."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from arena.errors import BadActionText, IllegalAction, MalformedReplay, ReplayMismatch
from arena.games.base import AnyState, Json, Result
from arena.games.registry import find_game
from arena.replay.format import Decision, Fault, Header, Replay, result_line


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a replay that was played: the state after it and its events."""

    line: int
    entry: Decision | Fault
    events: Sequence[object]
    state: AnyState


def start(header: Header) -> AnyState:
    """Return the state before the first decision."""
    return find_game(header.game).from_deal(header.deal, len(header.seats), **header.options)


class Playback:
    """Plays a match again line by line, whether its replay is complete or still being written."""

    def __init__(self, header: Header) -> None:
        self.state = start(header)
        self.forfeited: list[int] = []
        """The seats that have forfeited, in the order they did."""
        self._game = find_game(header.game)
        self._line = 1

    def play(self, entry: Decision | Fault) -> Sequence[object]:
        """Play the next line and return its events. Raise `ReplayMismatch` if the rules do not allow it."""
        self._line += 1
        if isinstance(entry, Fault):
            self._forfeit(entry)
            return ()
        _check_turn(self._line, entry, self.state, self.forfeited)
        try:
            return self.state.apply(self._game.parse_action(entry.action))
        except (BadActionText, IllegalAction) as error:
            raise ReplayMismatch(self._line, str(error)) from error

    def _forfeit(self, fault: Fault) -> None:
        if fault.seat in self.forfeited:
            raise ReplayMismatch(self._line, f"seat {fault.seat} had forfeited before.")
        if self.state.to_move is None:
            raise ReplayMismatch(self._line, f"seat {fault.seat} forfeits, but the game was over before.")
        self.forfeited.append(fault.seat)

    @property
    def over(self) -> bool:
        """Whether nothing more can be played."""
        return self.state.to_move is None or len(self.forfeited) == self.state.seats


def follow(replay: Replay) -> Iterator[Step]:
    """Play the match again; each step has its own copy of the state.

    Raise `ReplayMismatch` if the rules do not allow a line.
    """
    playback = Playback(replay.header)
    for line, entry in enumerate(replay.entries, start=2):
        events = playback.play(entry)
        yield Step(line, entry, events, playback.state.clone())


def _check_turn(line: int, entry: Decision, state: AnyState, forfeited: Sequence[int]) -> None:
    if state.to_move is None:
        raise ReplayMismatch(line, "the game was over before this decision.")
    if len(forfeited) == state.seats:
        raise ReplayMismatch(line, "every seat had forfeited before this decision, so the game had stopped.")
    if entry.seat != state.to_move:
        raise ReplayMismatch(line, f"it was the turn of seat {state.to_move}, not of seat {entry.seat}.")
    if entry.by_house and entry.seat not in forfeited:
        raise ReplayMismatch(line, f"the house plays for seat {entry.seat}, which has not forfeited.")
    if not entry.by_house and entry.seat in forfeited:
        raise ReplayMismatch(line, f"seat {entry.seat} decides, though it has forfeited.")


def verify(replay: Replay) -> Result:
    """Play the match again and compare the result. Raise `ReplayMismatch` if they differ."""
    state = start(replay.header)
    for step in follow(replay):
        state = step.state
    forfeited = replay.forfeited
    last_line = len(replay.entries) + 2
    if state.to_move is not None and len(forfeited) < state.seats:
        raise ReplayMismatch(
            last_line, f"the result is here, but the game is not over: it is the turn of seat {state.to_move}."
        )
    result = state.result(forfeited)
    for key, expected in result_line(result).items():
        if key not in replay.result:
            raise MalformedReplay(last_line, f"the key {key!r} is missing in the result.")
        given = replay.result[key]
        if not _agrees(given, expected):
            raise ReplayMismatch(
                last_line, f"by the rules the result is {key} {json.dumps(expected)}, not {json.dumps(given)}."
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
