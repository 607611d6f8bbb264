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

from arena.errors import HostFault, IllegalAction
from arena.games.base import Result
from arena.games.brackets import Bracket
from arena.games.registry import codec_of, find_game
from arena.protocol.clock import Spent
from arena.replay import Decision, Fault, FaultKind, Header, Replay, result_line
from arena.replay.compact import pack, unpack

WALL_PER_CPU = 5
"""On a busy machine, a bot that computes may take this much more wall time than CPU time."""
WAITS_PER_MATCH = 10
"""The limit for waiting in a match, as a multiple of the limit for one turn."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The time limits of a bot, in seconds. None: no limit."""

    start: float = 10.0
    """From the start of its process to its hello."""
    turn: float | None = 1.0
    """For one turn."""
    match: float | None = None
    """For all turns of a seat in one match."""
    wait: float | None = None
    """Wall time for which a seat may keep its match waiting in all, besides five times the CPU time that it uses. None:
    ten times the limit for one turn. It is there for bots that do little but wait."""

    @property
    def wait_seconds(self) -> float:
        """The limit for waiting; infinite if there is none."""
        if self.wait is not None:
            return self.wait
        return inf if self.turn is None else WAITS_PER_MATCH * self.turn

    def __str__(self) -> str:
        per_turn = "no limit" if self.turn is None else f"{self.turn:g} s"
        per_match = "" if self.match is None else f", {self.match:g} s a match"
        waiting = (
            "" if self.wait_seconds == inf else f", {self.wait_seconds:g} s a match of waiting without using the CPU"
        )
        return f"{per_turn} a turn{per_match}{waiting}"


def wall_limit_ms(seconds: float | None) -> float:
    """Return the limit of wall time that goes with a time limit, in ms.

    It is generous, because on a busy machine a bot gets only part of a core. It is there for bots that do nothing.
    """
    return inf if seconds is None else 1000 * (WALL_PER_CPU * seconds + 1.0)


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """A match to play."""

    id: str
    game: str
    options: dict[str, str]
    seed: str
    bots: tuple[str, ...]
    """The bots' labels (name and version), in seat order."""

    @property
    def bracket(self) -> str:
        """The name of the game with these options."""
        return Bracket(self.game, tuple(find_game(self.game).complete(self.options).items())).name


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished match."""

    plan: MatchPlan
    result: Result
    moves: bytes
    """The decisions and faults (replay/compact.py)."""
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

    @property
    def replay(self) -> Replay:
        """The match's replay, made from its moves."""
        return unpack(self.moves, self.plan.id, self.plan.bracket, self.plan.seed)


class Match:
    """A match under way."""

    __slots__ = (
        "_encoded_result",
        "_faults",
        "_house",
        "_match_wall_ms",
        "_moves",
        "_result",
        "_turn_ms",
        "_turn_wall_ms",
        "_wait_ms",
        "actions",
        "cpu_ms",
        "decisions",
        "encoder",
        "forfeited",
        "limits",
        "plan",
        "spoiled_by",
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
        self._turn_ms = inf if limits.turn is None else 1000 * limits.turn
        self._turn_wall_ms, self._match_wall_ms = wall_limit_ms(limits.turn), wall_limit_ms(limits.match)
        self._wait_ms = 1000 * limits.wait_seconds
        self.think_ms = [0.0] * self.state.seats
        self.wall_ms = [0.0] * self.state.seats
        self.cpu_ms: list[float | None] = [None] * self.state.seats
        self.decisions = [0] * self.state.seats
        self.spoiled_by: HostFault | None = None
        """Why the match does not count; None: it does."""
        self._house: Random | None = None
        self._moves: list[tuple[int, int, float]] = []
        """Per decision the seat (-1 minus it where the house played for it), the action's code, and the ms charged."""
        self._faults: list[tuple[int, Fault]] = []
        """The faults, each with the number of decisions before it."""
        self._result: Result | None = None
        self._encoded_result: bytes | None = None

    @property
    def replay(self) -> Replay:
        """The decisions and faults so far, and the result if it is known."""
        plan = self.plan
        options = find_game(plan.game).complete(plan.options)
        header = Header(plan.id, plan.game, options, plan.seed, plan.bots, self.state.deal())
        return Replay(header, self.entries(), {} if self._result is None else result_line(self._result))

    def entries(self) -> list[Decision | Fault]:
        """Return the decisions and faults so far, in order."""
        entries: list[Decision | Fault] = [
            Decision(max(mover, -1 - mover), self.actions[code].notation, round(1000 * ms) / 1000, mover < 0)
            for mover, code, ms in self._moves
        ]
        for number, (decisions, fault) in enumerate(self._faults):
            entries.insert(decisions + number, fault)
        return entries

    @property
    def seat_to_ask(self) -> int | None:
        """The seat whose player must answer now; None when the match is over."""
        return None if len(self.forfeited) == self.state.seats else self.state.to_move

    @property
    def over(self) -> bool:
        return self.state.to_move is None or len(self.forfeited) == self.state.seats

    def seed_for(self, seat: int, restarts: int = 0) -> int:
        """Return a seed for the bot's own randomness; it says nothing about the deal.

        A new process that continues the match gets another one: it must not draw the same numbers again.
        """
        text = f"bot {seat} {self.plan.seed}" + (f" restart {restarts}" if restarts else "")
        return int.from_bytes(sha256(text.encode()).digest()[:8])

    def ms_left(self, seat: int) -> int:
        """Return what is left of the seat's time for the match, at least 1; 0 if there is no limit."""
        if self.limits.match is None:
            return 0
        return max(1, round(self.limits.match * 1000 - self.think_ms[seat]))

    def answer(self, seat: int, code: int, spent: Spent) -> Fault | None:
        """Play the answer of the seat whose turn it is, then the house's turns. Return the fault, if it is one."""
        wall, cpu = spent
        charged = wall if cpu is None else cpu
        overtime = None
        waited = self.wall_ms[seat] + wall
        if (
            charged > self._turn_ms
            or wall > self._turn_wall_ms
            or waited > self._wait_ms
            or self.limits.match is not None
        ):
            overtime = self.overtime(seat, spent)
        self.think_ms[seat] += charged
        self.wall_ms[seat] = waited
        if cpu is not None:
            self.cpu_ms[seat] = (self.cpu_ms[seat] or 0.0) + cpu
        self.decisions[seat] += 1
        if overtime:
            return self.forfeit(seat, FaultKind.TIMEOUT, overtime)
        action = self.actions.get(code)
        if action is None:
            return self.forfeit(seat, FaultKind.ILLEGAL, f"{code} is not the code of an action of {self.plan.game}.")
        try:
            events = self.state.apply(action)
        except IllegalAction as error:
            return self.forfeit(seat, FaultKind.ILLEGAL, str(error))
        self.encoder.record(events)
        self._moves.append((seat, code, charged))
        self.turn += 1
        if self.forfeited:
            self._play_house()
        return None

    def resume(self, entries: Sequence[Decision | Fault]) -> None:
        """Replay the entries of a suspended match. Raise an `ArenaError` if they do not fit this match."""
        game, codes = find_game(self.plan.game), codec_of(self.plan.game).codes.code_of
        for entry in entries:
            if isinstance(entry, Fault):
                self.forfeit(entry.seat, entry.fault, entry.detail)
            elif not entry.by_house:  # the house plays the same actions again
                action = game.parse_action(entry.action)
                if entry.seat != self.state.to_move:
                    raise IllegalAction(f"it was not the turn of seat {entry.seat}.")
                self.charge(entry.seat, Spent(entry.ms))
                self.decisions[entry.seat] += 1
                self.encoder.record(self.state.apply(action))
                self._note(entry.seat, codes[action], entry.ms)
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
        wall, think = self.wall_ms[seat] + spent.wall, self.think_ms[seat] + charged
        if spent.cpu is not None and wall > WALL_PER_CPU * think + self._wait_ms:
            limit = f"limit {limits.wait_seconds:g} s besides {WALL_PER_CPU} times its CPU time"
            return f"Waiting limit exceeded: kept the match waiting for {wall / 1000:.1f} s, {limit} {self._at(seat)}."
        if limits.match is not None and (think > limits.match * 1000 or wall > self._match_wall_ms):
            total = Spent(wall, None if spent.cpu is None else think)
            return self._time_exceeded("Match time limit", limits.match, seat, total)
        return None

    def _time_exceeded(self, what: str, limit: float, seat: int, spent: Spent) -> str:
        of = "" if spent.cpu is None else " of CPU time"
        where = self._at(seat)
        if spent.charged > limit * 1000:
            return f"{what} exceeded: used {spent.charged / 1000:.2f} s{of}, limit {limit:g} s {where}."
        return f"{what} exceeded: waited {spent.wall / 1000:.1f} s, limit {limit:g} s{of} {where}."

    def _at(self, seat: int) -> str:
        return f"(seat {seat}, decision {self.turn})"

    def forfeit(self, seat: int, kind: FaultKind, detail: str) -> Fault:
        """Lose the seat by a fault; the house plays on for it."""
        fault = Fault(seat, kind, detail)
        self.forfeited.append(seat)
        self._faults.append((len(self._moves), fault))
        self._play_house()
        return fault

    def _play_house(self) -> None:
        if self._house is None:
            self._house = Random(f"house {self.plan.seed}")
        codes = codec_of(self.plan.game).codes.code_of
        while not self.over and (seat := self.state.to_move) in self.forfeited:
            action = self._house.choice(self.state.house_actions())
            self.encoder.record(self.state.apply(action))
            self._note(-1 - seat, codes[action], 0.0)

    def _note(self, mover: int, code: int, ms: float) -> None:
        self._moves.append((mover, code, ms))
        self.turn += 1

    @property
    def result(self) -> Result:
        """The result of a match that is over."""
        if self._result is None:
            self._result = self.state.result(self.forfeited)
        return self._result

    @property
    def encoded_result(self) -> bytes:
        """The game's own result, as bots are sent it."""
        if self._encoded_result is None:
            self._encoded_result = self.encoder.result(self.result)
        return self._encoded_result

    def outcome(self, *, took_ms: float = 0.0, overloaded: bool = False) -> Outcome:
        """Return what is recorded of a match that is over; `took_ms`: its duration."""
        return Outcome(
            self.plan,
            self.result,
            pack(
                self.plan.bots,
                [code for _, code, _ in self._moves],
                [round(1000 * ms) for _, _, ms in self._moves],
                self._faults,
            ),
            faults=tuple(fault for _, fault in self._faults),
            think_ms=tuple(self.think_ms),
            wall_ms=tuple(self.wall_ms),
            cpu_ms=tuple(self.cpu_ms),
            decisions=tuple(self.decisions),
            overhead_ms=max(0.0, took_ms - sum(self.wall_ms)),
            overloaded=overloaded,
        )
