"""A match and the bots around it: who sits where, and what happens next at the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from arena.referee.match import Match, Spent
from arena.replay import Fault, FaultKind
from arena.v1 import referee_pb2 as pb


class Player(Protocol):
    """What a table needs of a bot's connection."""

    def sit_down(self, chair: Chair) -> None: ...
    def ask(self, chair: Chair) -> None: ...
    def tell_fault(self, chair: Chair, fault: Fault) -> None: ...
    def stand_up(self, chair: Chair, end: pb.MatchEnd) -> None: ...


@dataclass(slots=True, eq=False)
class Chair:
    """A seat at a table, with the bot that has it; None: its bot never came."""

    table: Table
    seat: int
    player: Player | None
    number: int = 0
    """What the match is called on the bot's stream."""

    @property
    def forfeited(self) -> bool:
        return self.seat in self.table.match.forfeited


@dataclass(slots=True, eq=False)
class Table:
    """A match under way and the chairs around it."""

    match: Match
    finished: Callable[[], None]
    """Called once, when the match is over."""
    watch: Callable[[Match], None] | None = None
    """Called whenever something has happened, before the next bot is asked."""
    chairs: list[Chair] = field(default_factory=list)

    def seat_players(self, players: list[Player | None]) -> None:
        self.chairs = [Chair(self, seat, player) for seat, player in enumerate(players)]
        for chair in self.chairs:
            if chair.player:
                chair.player.sit_down(chair)

    def answer(self, chair: Chair, action: int, spent: Spent) -> None:
        """Takes the bot's answer and goes on."""
        fault = self.match.answer(chair.seat, action, spent)
        if fault and chair.player:
            chair.player.tell_fault(chair, fault)
        self.go_on()

    def forfeit(self, chair: Chair, kind: FaultKind, detail: str) -> None:
        """The bot loses the match by a fault; goes on if it was its turn."""
        match = self.match
        if match.over or chair.forfeited:
            return
        waited_for_it = match.seat_to_ask == chair.seat
        fault = match.forfeit(chair.seat, kind, detail)
        if chair.player:
            chair.player.tell_fault(chair, fault)
        if waited_for_it or match.over:
            self.go_on()

    def go_on(self) -> None:
        """Asks the next bot, or ends the match."""
        if self.watch:
            self.watch(self.match)
        seat = self.match.seat_to_ask
        if seat is None:
            self._end()
            return
        chair = self.chairs[seat]
        assert chair.player is not None, "a seat without a bot has forfeited before the first turn"
        chair.player.ask(chair)

    def _end(self) -> None:
        match = self.match
        result = match.state.result(match.forfeited)
        for chair in self.chairs:
            if chair.player:
                end = pb.MatchEnd(
                    placements=bytes(result.placements),
                    winners=bytes(result.winners),
                    forfeited=bytes(match.forfeited),
                )
                match.encoder.fill_end(end, chair.seat, result)
                chair.player.stand_up(chair, end)
        self.finished()
