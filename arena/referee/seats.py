"""A match and its players: every seat's player is asked in turn until the match is over."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Protocol

from arena.errors import HostFault
from arena.protocol.clock import LONG_AGO, NO_TIME, Moment, Spent
from arena.protocol.outbox import EndEntry, StartEntry, TurnColumns
from arena.protocol.session import Session
from arena.referee.match import Match
from arena.replay import Fault, FaultKind
from arena.v1 import referee_pb2 as pb


class Player(Protocol):
    """Answers for a seat: a bot's session, or a person."""

    def start_match(self, seat: Seat) -> None: ...
    def ask(self, seat: Seat) -> None:
        """Ask for an action. The player calls `seat.answer` or `seat.forfeit` later."""

    def report_fault(self, seat: Seat, fault: Fault) -> None: ...
    def end_match(self, seat: Seat) -> None: ...


@dataclass(slots=True, eq=False)
class Seat:
    """A place in a match with its player; None: its bot did not start."""

    match: Match
    index: int
    player: Player | None
    advance: Callable[[], None]
    """Called after an answer or a fault: asks the next player."""
    match_number: int = 0
    """The number of the match on the bot's stream."""
    turn: int = 0
    """The number of the turn that its player was asked for last."""
    sent: Moment = LONG_AGO
    """When the clock of that turn may start."""
    thought: Spent = NO_TIME
    """The time that the turn has been charged before its answer."""
    restarts: int = 0
    """How often another stream of the same bot has taken it."""

    @property
    def game(self) -> str:
        return self.match.plan.game

    @property
    def seats(self) -> int:
        return self.match.state.seats

    @property
    def forfeited(self) -> bool:
        return self.index in self.match.forfeited

    # What the player does

    def answer(self, action: int, spent: Spent) -> None:
        """Play the action with this code."""
        fault = self.match.answer(self.index, action, spent)
        if fault and self.player:
            self.player.report_fault(self, fault)
        self.advance()

    def forfeit(self, kind: FaultKind, detail: str) -> None:
        """Lose the match by a fault. Does nothing if the match or the seat is lost already."""
        match = self.match
        if match.over or self.forfeited:
            return
        was_to_move = match.seat_to_ask == self.index
        fault = match.forfeit(self.index, kind, detail)
        if self.player:
            self.player.report_fault(self, fault)
        if was_to_move or match.over:
            self.advance()

    def resign(self, why: str, spent: Spent) -> None:
        """Charge the time and lose the match: the bot cannot play on."""
        self.match.charge(self.index, spent)
        self.forfeit(FaultKind.CRASH, why)

    def overtime(self, spent: Spent) -> str | None:
        """Return which limit a turn exceeds that has taken this long; None if it exceeds none."""
        return self.match.overtime(self.index, spent)

    def time_out(self, spent: Spent, why: str) -> None:
        """Charge the time and forfeit."""
        self.match.charge(self.index, spent)
        self.forfeit(FaultKind.TIMEOUT, why)

    # What a session sends

    @property
    def rules_key(self) -> Hashable:
        """Equal for seats in matches with the same rules."""
        plan, limits = self.match.plan, self.match.limits
        return plan.game, tuple(plan.options.items()), len(plan.bots), limits.turn, limits.match

    def fill_rules(self, rules: pb.Rules) -> None:
        match, limits = self.match, self.match.limits
        rules.seats = match.state.seats
        rules.ms_per_turn = round((limits.turn or 0) * 1000)
        rules.ms_per_match = round((limits.match or 0) * 1000)
        match.encoder.fill_rules(rules)

    def start_entry(self, rules: pb.Rules) -> StartEntry:
        match, seed = self.match, self.match.seed_for(self.index, self.restarts)
        return StartEntry(self.match_number, rules, match.plan.id, self.index, seed, match.encoder.setup())

    def turn_entry(self) -> TurnColumns:
        match, index = self.match, self.index
        encoder = match.encoder
        self.turn = turn = match.turn
        ms_left = 0 if match.limits.match is None else match.ms_left(index)
        return self.match_number, turn, encoder.legal(), encoder.position(index), encoder.unseen_events(index), ms_left

    def end_entry(self) -> EndEntry:
        match = self.match
        result = match.result
        return EndEntry(
            match.plan.game,
            self.match_number,
            bytes(result.placements),
            bytes(result.winners),
            bytes(match.forfeited),
            match.encoder.unseen_events(self.index),
            match.encoded_result,
        )

    def move_to(self, session: Session) -> None:
        """Continue on a new stream of the same bot. It may be a new process, so it is sent the whole match again."""
        self.player = session
        self.restarts += 1
        self.match.encoder.forget(self.index)
        session.start_match(self)
        if self.match.seat_to_ask == self.index:
            session.ask(self)

    def spoil(self, fault: HostFault) -> None:
        """Note that the host has failed: the match does not count."""
        self.match.spoiled_by = fault


class SeatedMatch:
    """A match with a player on each seat."""

    def __init__(
        self,
        match: Match,
        players: Sequence[Player | None],
        on_end: Callable[[], None],
        on_change: Callable[[Match], None] | None = None,
    ) -> None:
        """`on_change` is called after every answer and fault, before the next player is asked."""
        self.match = match
        self.on_end = on_end
        self.on_change = on_change
        self.seats = [Seat(match, index, player, self.advance) for index, player in enumerate(players)]

    def start(self) -> None:
        for seat in self.seats:
            if seat.player:
                seat.player.start_match(seat)
        self.advance()

    def advance(self) -> None:
        """Ask the player whose turn it is, or end the match."""
        match = self.match
        if self.on_change:
            self.on_change(match)
        index = match.state.to_move
        if index is None or len(match.forfeited) == len(self.seats):
            self._end()
            return
        seat = self.seats[index]
        assert seat.player is not None, "a seat without a player has forfeited before the first turn"
        seat.player.ask(seat)

    def _end(self) -> None:
        for seat in self.seats:
            if seat.player:
                seat.player.end_match(seat)
        self.on_end()
