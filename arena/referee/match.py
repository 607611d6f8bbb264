"""One match: whose turn it is, who has forfeited, the time accounts, the replay. Pure: no I/O, no clock.

1. An answer counts if it is within the time limits, is the code of an action, and the action is legal.
2. Anything else forfeits the seat. The house plays on for it with random legal actions from the match's own seed.
3. The match ends with the game, or when every seat has forfeited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import inf
from random import Random

from arena.errors import IllegalAction
from arena.games.base import OneOfAKind, Result
from arena.games.registry import codec_of, find_game
from arena.protocol.clock import Spent
from arena.replay import Decision, Fault, FaultKind, Header, Replay, result_line


@dataclass(frozen=True, slots=True)
class Limits:
    """The time limits of a bot, in seconds. None: no limit."""

    start: float = 10.0
    """From the start of its process to its hello."""
    turn: float | None = 1.0
    """For one turn."""
    match: float | None = None
    """For all turns of a seat in one match."""


def wall_limit_ms(seconds: float | None) -> float:
    """Return the limit of wall time that goes with a time limit, in ms.

    It is generous, because on a busy machine a bot gets only part of a core. It is there for bots that do nothing.
    """
    return inf if seconds is None else 1000 * (5 * seconds + 1.0)


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """A match to play."""

    id: str
    game: str
    options: dict[str, str]
    seed: str
    bots: tuple[str, ...]
    """The bots' labels (name and version), in seat order."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished match."""

    plan: MatchPlan
    result: Result
    replay: Replay
    faults: tuple[Fault, ...]
    think_ms: tuple[float, ...]
    """Per seat, the think time charged."""
    wall_ms: tuple[float, ...]
    """Per seat, the time that the match waited for its answers."""
    cpu_ms: tuple[float | None, ...]
    """Per seat, the CPU time used for its turns; None where it was not measured."""
    decisions: tuple[int, ...]
    """Per seat, the number of turns answered."""
    overhead_ms: float = 0.0
    """The rest of the match's duration: the referee's work, and turns that waited to be sent."""
    overloaded: bool = False
    """Whether the machine was overloaded meanwhile."""


class Match:
    """A match under way."""

    __slots__ = (
        "_faults",
        "_house",
        "_match_wall_ms",
        "_turn_wall_ms",
        "actions",
        "cpu_ms",
        "decisions",
        "encoder",
        "forfeited",
        "limits",
        "plan",
        "replay",
        "state",
        "think_ms",
        "turn",
        "wall_ms",
    )

    def __init__(self, plan: MatchPlan, limits: Limits) -> None:
        self.plan = plan
        self.limits = limits
        game = find_game(plan.game)
        self.state = game.new(len(plan.bots), plan.seed, **plan.options)
        codec = codec_of(plan.game)
        self.encoder = codec.encoder(self.state)
        self.actions = codec.codes.action_of
        """The action that each code in an answer stands for."""
        self.turn = 1
        """The number of the current decision."""
        self.forfeited: list[int] = []
        self._turn_wall_ms, self._match_wall_ms = wall_limit_ms(limits.turn), wall_limit_ms(limits.match)
        self.think_ms = [0.0] * self.state.seats
        self.wall_ms = [0.0] * self.state.seats
        self.cpu_ms: list[float | None] = [None] * self.state.seats
        self.decisions = [0] * self.state.seats
        self._faults: list[Fault] = []
        self._house: Random | None = None
        options = game.complete(plan.options)
        self.replay = Replay(Header(plan.id, plan.game, options, plan.seed, plan.bots, self.state.deal()))
        """The decisions and faults so far; `outcome` adds the result."""

    @property
    def seat_to_ask(self) -> int | None:
        """The seat whose player must answer now; None when the match is over."""
        return None if len(self.forfeited) == self.state.seats else self.state.to_move

    @property
    def over(self) -> bool:
        return self.state.to_move is None or len(self.forfeited) == self.state.seats

    def seed_for(self, seat: int) -> int:
        """Return a seed for the bot's own randomness; it says nothing about the deal."""
        return int.from_bytes(sha256(f"bot {seat} {self.plan.seed}".encode()).digest()[:8])

    def ms_left(self, seat: int) -> int:
        """Return what is left of the seat's time for the match, at least 1; 0 if there is no limit."""
        if self.limits.match is None:
            return 0
        return max(1, round(self.limits.match * 1000 - self.think_ms[seat]))

    def answer(self, seat: int, code: int, spent: Spent) -> Fault | None:
        """Play the answer of the seat whose turn it is, then the house's turns. Return the fault, if it is one."""
        overtime = self.overtime(seat, spent)
        self.charge(seat, spent)
        self.decisions[seat] += 1
        if overtime:
            return self.forfeit(seat, FaultKind.TIMEOUT, overtime)
        action = self.actions.get(code)
        if action is None:
            return self.forfeit(seat, FaultKind.ILLEGAL, f"{code} is not the code of an action of {self.plan.game}.")
        try:
            self._apply(seat, action, spent.charged, by_house=False)
        except IllegalAction as error:
            return self.forfeit(seat, FaultKind.ILLEGAL, str(error))
        if self.forfeited:
            self._play_house()
        return None

    def resume(self, entries: Sequence[Decision | Fault]) -> None:
        """Replay the entries of a suspended match. Raise an `ArenaError` if they do not fit this match."""
        game = find_game(self.plan.game)
        for entry in entries:
            if isinstance(entry, Fault):
                self.forfeit(entry.seat, entry.fault, entry.detail)
            elif not entry.by_house:  # the house plays the same actions again
                action = game.parse_action(entry.action)
                if entry.seat != self.state.to_move:
                    raise IllegalAction(f"it was not the turn of seat {entry.seat}.")
                self.charge(entry.seat, Spent(entry.ms))
                self.decisions[entry.seat] += 1
                self._apply(entry.seat, action, entry.ms, by_house=False)
                if self.forfeited:
                    self._play_house()

    def charge(self, seat: int, spent: Spent) -> None:
        """Add the time to the seat's accounts."""
        self.think_ms[seat] += spent.charged
        self.wall_ms[seat] += spent.wall
        if spent.cpu is not None:
            self.cpu_ms[seat] = (self.cpu_ms[seat] or 0.0) + spent.cpu

    def overtime(self, seat: int, spent: Spent) -> str | None:
        """Return which limit a turn exceeds that has taken this long; None if it exceeds none."""
        limits = self.limits
        charged = spent.wall if spent.cpu is None else spent.cpu
        if limits.turn is not None and (charged > limits.turn * 1000 or spent.wall > self._turn_wall_ms):
            return self._time_exceeded("Time limit", limits.turn, seat, spent)
        if limits.match is not None:
            wall, think = self.wall_ms[seat] + spent.wall, self.think_ms[seat] + charged
            if think > limits.match * 1000 or wall > self._match_wall_ms:
                total = Spent(wall, None if spent.cpu is None else think)
                return self._time_exceeded("Match time limit", limits.match, seat, total)
        return None

    def _time_exceeded(self, what: str, limit: float, seat: int, spent: Spent) -> str:
        of = "" if spent.cpu is None else " of CPU time"
        where = f"(seat {seat}, decision {self.turn})"
        if spent.charged > limit * 1000:
            return f"{what} exceeded: used {spent.charged / 1000:.2f} s{of}, limit {limit:g} s {where}."
        return f"{what} exceeded: waited {spent.wall / 1000:.1f} s, limit {limit:g} s{of} {where}."

    def forfeit(self, seat: int, kind: FaultKind, detail: str) -> Fault:
        """Lose the seat by a fault; the house plays on for it."""
        fault = Fault(seat, kind, detail)
        self.forfeited.append(seat)
        self._faults.append(fault)
        self.replay.entries.append(fault)
        self._play_house()
        return fault

    def _play_house(self) -> None:
        if self._house is None:
            self._house = Random(f"house {self.plan.seed}")
        while not self.over and (seat := self.state.to_move) in self.forfeited:
            self._apply(seat, self._house.choice(self.state.house_actions()), 0.0, by_house=True)

    def _apply(self, seat: int, action: OneOfAKind, ms: float, *, by_house: bool) -> None:
        self.encoder.record(self.state.apply(action))
        self.replay.entries.append(Decision(seat, action.notation, round(ms, 3), by_house))
        self.turn += 1

    def outcome(self) -> Outcome:
        """Return the result of a match that is over."""
        result = self.state.result(self.forfeited)
        self.replay.result = result_line(result)
        return Outcome(
            self.plan,
            result,
            self.replay,
            faults=tuple(self._faults),
            think_ms=tuple(self.think_ms),
            wall_ms=tuple(self.wall_ms),
            cpu_ms=tuple(self.cpu_ms),
            decisions=tuple(self.decisions),
        )
