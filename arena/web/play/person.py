"""The person as a player of the referee: makes one choice per turn, with or without a clock."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from arena.games.registry import codec_of, find_game
from arena.protocol.clock import NO_TIME, Spent
from arena.referee.seats import Seat
from arena.replay import Fault, FaultKind
from arena.v1 import referee_pb2 as pb
from arena.web.config import CONFIG
from arena.web.errors import OutOfTurn

LEFT = "The person at this seat left."


class BrowserPlayer:
    """A person who plays in the browser."""

    def __init__(self, seconds: float | None, changed: Callable[[], None]) -> None:
        """`seconds`: the limit for each turn; None: no clock. `changed`: called when a turn begins or ends."""
        self.seconds = seconds
        self.changed = changed
        self.seat: Seat | None = None
        self.decision: int | None = None
        """The number of the decision to make; None if it is not the person's turn."""
        self.unseen_moves = 0
        """Moves since the person's last one, which the browser shows before the clock starts."""
        self._has_arrived = False
        self._has_left = False
        self._starts = 0.0
        self._alarm: asyncio.TimerHandle | None = None

    # Called by the referee

    def start_match(self, seat: Seat) -> None:
        self.seat = seat

    def ask(self, seat: Seat) -> None:
        if self._has_left:
            seat.forfeit(FaultKind.DISCONNECT, LEFT)
            return
        self.decision = seat.match.turn
        if self._has_arrived:
            self._start_clock()
        self.changed()

    def report_fault(self, seat: Seat, fault: Fault) -> None:
        del seat, fault  # both are in the film
        self._end_turn()
        self.changed()

    def end_match(self, seat: Seat, end: pb.MatchEnd) -> None:
        del seat, end  # the result is in the film
        self._end_turn()

    # Called for the browser

    def arrive(self) -> None:
        """Note that the page is open. The clock does not run before that."""
        if not self._has_arrived:
            self._has_arrived = True
            if self.decision is not None:
                self._start_clock()

    def _start_clock(self) -> None:
        if self.seconds is not None:
            showing = self.unseen_moves * CONFIG.seconds_to_show_move
            self._starts = time.monotonic() + showing
            self._alarm = asyncio.get_running_loop().call_later(showing + self.seconds, self._time_out)

    @property
    def seconds_left(self) -> float | None:
        """The time left for this turn; more than the limit while the moves of others are being shown."""
        if not self._alarm or self.seconds is None:
            return None
        return max(0.0, self._starts + self.seconds - time.monotonic())

    def choose(self, decision: int, text: str) -> None:
        """Play the action. Raise `OutOfTurn` or `IllegalAction`, and change nothing, if that is not possible."""
        seat = self.seat
        if seat is None or self.decision is None:
            raise OutOfTurn("It is not your turn.")
        if decision != self.decision:
            raise OutOfTurn("This turn is already over.")
        match = seat.match
        action = find_game(match.plan.game).parse_action(text)
        match.state.clone().apply(action)
        spent = NO_TIME
        if self._alarm:
            spent = Spent(1000 * max(0.0, time.monotonic() - self._starts))
        self._end_turn()
        seat.answer(codec_of(match.plan.game).codes[action], spent)

    def resign(self) -> None:
        """Resign: the house plays for this seat until the end."""
        if self.seat is None or self.seat.match.over or self.seat.forfeited:
            raise OutOfTurn("The match is already over.")
        self.seat.forfeit(FaultKind.DISCONNECT, "The person at this seat resigned.")

    def leave(self) -> None:
        """Forfeit as soon as possible, so that the bots are released."""
        self._has_left = True
        if self.seat is not None:
            self.seat.forfeit(FaultKind.DISCONNECT, LEFT)

    def _time_out(self) -> None:
        seat = self.seat
        assert seat is not None, "the alarm is set during a turn"
        assert self.seconds is not None, "the alarm is set if there is a clock"
        spent = Spent(1000 * self.seconds + 1)
        why = seat.overtime(spent)
        assert why is not None, "the match has the same limit"
        seat.time_out(spent, why)

    def _end_turn(self) -> None:
        self.decision = None
        if self._alarm:
            self._alarm.cancel()
            self._alarm = None
