"""One match as the referee sees it: whose turn it is, who has forfeited, what goes into the replay. No I/O, no clock.

The referee hands in answers with the think time it measured, and faults; the match says what comes next. For seats that
have forfeited the house plays, with an action that is drawn from the match's own seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from random import Random

from arena.errors import IllegalAction
from arena.games.base import OneOfAKind, Result
from arena.games.registry import codec_of, find_game
from arena.protocol.clock import Spent
from arena.replay import Decision, Fault, FaultKind, Header, Replay, result_line


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a bot may take. None: as long as it likes."""

    start: float = 10.0
    """Seconds from the start of its process to its hello."""
    turn: float | None = 1.0
    """Seconds for one turn."""
    match: float | None = None
    """Seconds for all turns of a seat in one match."""

    def patience(self, allowed: float) -> float:
        """The seconds of waiting after which a bot has lost that may use so many seconds of processor time.

        Generous: on a busy machine a bot that works all the time gets a part of a core only. It is there for bots that
        do nothing at all.
        """
        return PATIENCE * allowed + PATIENCE_BESIDES


PATIENCE, PATIENCE_BESIDES = 5, 1.0


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """A match that is to be played."""

    id: str
    game: str
    options: dict[str, str]
    seed: str
    bots: tuple[str, ...]
    """The bots' labels, name and version, in seat order."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A match that has been played."""

    plan: MatchPlan
    result: Result
    replay: Replay
    faults: tuple[Fault, ...]
    think_ms: tuple[float, ...]
    """Per seat, the think time it was charged in all."""
    wall_ms: tuple[float, ...]
    """Per seat, how long the match waited for it."""
    cpu_ms: tuple[float | None, ...]
    """Per seat, the processor time it used for its turns; None where that was not measured."""
    decisions: tuple[int, ...]
    """Per seat, how many turns its bot answered."""
    overhead_ms: float = 0.0
    """What the match took besides: the referee's work, and turns that waited until a bot had room for them."""
    overloaded: bool = False
    """Whether the machine had too much to do meanwhile, by other programs or by this one."""


class Match:
    """A match under way."""

    __slots__ = (
        "_faults",
        "_house",
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
        self.encoder = codec_of(plan.game).encoder(self.state)
        self.turn = 1
        """The number of the decision that is due."""
        self.forfeited: list[int] = []
        self.think_ms = [0.0] * self.state.seats
        self.wall_ms = [0.0] * self.state.seats
        self.cpu_ms: list[float | None] = [None] * self.state.seats
        self.decisions = [0] * self.state.seats
        self._faults: list[Fault] = []
        self._house: Random | None = None
        options = game.complete(plan.options)
        self.replay = Replay(Header(plan.id, plan.game, options, plan.seed, plan.bots, self.state.deal()))
        """What has happened so far; the result is there once `outcome` was asked for."""

    @property
    def seat_to_ask(self) -> int | None:
        """The seat whose bot must answer now; None when the match is over."""
        return None if self.over else self.state.to_move

    @property
    def over(self) -> bool:
        return self.state.to_move is None or len(self.forfeited) == self.state.seats

    def seed_for(self, seat: int) -> int:
        """A number that the bot on this seat may seed its randomness with; it tells nothing about the deal."""
        return int.from_bytes(sha256(f"bot {seat} {self.plan.seed}".encode()).digest()[:8])

    def ms_left(self, seat: int) -> int:
        """What is left of the seat's time for the match, at least 1 where it is limited; 0: it is not."""
        if self.limits.match is None:
            return 0
        return max(1, round(self.limits.match * 1000 - self.think_ms[seat]))

    def answer(self, seat: int, code: int, spent: Spent) -> Fault | None:
        """Takes the answer of the seat on turn, and then what the house does. Returns the fault, if it was one."""
        overtime = self.overtime(seat, spent)
        self.charge(seat, spent)
        self.decisions[seat] += 1
        if overtime:
            return self.forfeit(seat, FaultKind.TIMEOUT, overtime)
        action = self.encoder.action(code)
        if action is None:
            return self.forfeit(seat, FaultKind.ILLEGAL, f"{code} is not the code of an action of {self.plan.game}.")
        try:
            self._apply(seat, action, spent.charged, by_house=False)
        except IllegalAction as error:
            return self.forfeit(seat, FaultKind.ILLEGAL, str(error))
        if self.forfeited:
            self._play_house()
        return None

    def go_on_after(self, entries: Sequence[Decision | Fault]) -> None:
        """Plays what was played before. Raises an ArenaError where that cannot have been this match."""
        game = find_game(self.plan.game)
        for entry in entries:
            if isinstance(entry, Fault):
                self.forfeit(entry.seat, entry.fault, entry.detail)
            elif not entry.by_house:  # the house plays by itself, as it did then
                action = game.parse_action(entry.action)
                if entry.seat != self.state.to_move:
                    raise IllegalAction(f"it was not the turn of seat {entry.seat}.")
                self.charge(entry.seat, Spent(entry.ms))
                self.decisions[entry.seat] += 1
                self._apply(entry.seat, action, entry.ms, by_house=False)
                if self.forfeited:
                    self._play_house()

    def charge(self, seat: int, spent: Spent) -> None:
        """Adds the time to the seat's accounts."""
        self.think_ms[seat] += spent.charged
        self.wall_ms[seat] += spent.wall
        if spent.cpu is not None:
            self.cpu_ms[seat] = (self.cpu_ms[seat] or 0.0) + spent.cpu

    def overtime(self, seat: int, spent: Spent) -> str | None:
        """Why a turn that has taken that long, on top of what is charged already, is over time; None if it is not."""
        limits = self.limits
        of = "" if spent.cpu is None else " of processor time"
        if limits.turn is not None:
            if spent.charged > limits.turn * 1000:
                return f"The answer took more than the {limits.turn:g} s{of} that are allowed for a turn."
            if spent.wall > (patience := limits.patience(limits.turn)) * 1000:
                return f"There was no answer for {patience:g} s, and {limits.turn:g} s{of} are allowed for a turn."
        if limits.match is not None:
            if self.think_ms[seat] + spent.charged > limits.match * 1000:
                return f"Its turns took more than the {limits.match:g} s{of} that are allowed for a match."
            if self.wall_ms[seat] + spent.wall > (patience := limits.patience(limits.match)) * 1000:
                return f"Its turns took {patience:g} s, and {limits.match:g} s{of} are allowed for a match."
        return None

    def forfeit(self, seat: int, kind: FaultKind, detail: str) -> Fault:
        """The seat loses the match; from here on the house plays for it."""
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
        """What came of it. Only when the match is over."""
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
