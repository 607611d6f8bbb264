"""The person at the browser, as the referee's table sees a player: asked once a turn, by the clock if there is one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from arena.errors import ArenaError
from arena.games.registry import codec_of, find_game
from arena.protocol.clock import NOTHING, Spent
from arena.referee.seats import Seat
from arena.replay import Fault, FaultKind
from arena.v1 import referee_pb2 as pb

SECONDS_TO_SEE_A_MOVE = 1.6
"""What the browser may take to show a move. The clock starts when all that happened has been shown."""
RESIGNED = "The person at this seat resigned."
LEFT = "The person at this seat left."


class OutOfTurn(ArenaError):
    """The person has chosen something, but nothing is to be chosen now."""


class Person:
    """Waits for one answer at a time, and keeps the clock."""

    def __init__(self, seconds: float | None, changed: Callable[[], None]) -> None:
        """`seconds`: for each turn; None: no clock. `changed` is called when the person is asked or asked no more."""
        self.seconds = seconds
        self.changed = changed
        self.seat: Seat | None = None
        self.decision: int | None = None
        """The number of the decision that is waited for."""
        self.unseen_moves = 0
        """Moves, from the person's own last one on, that the browser has to show before the person can think."""
        self._is_here = False
        self._leaves = False
        self._starts = 0.0
        self._alarm: asyncio.TimerHandle | None = None

    # What the table says

    def start_match(self, seat: Seat) -> None:
        self.seat = seat

    def ask(self, seat: Seat) -> None:
        if self._leaves:
            seat.forfeit(FaultKind.DISCONNECT, LEFT)
            return
        self.decision = seat.match.turn
        if self._is_here:
            self._start_clock()
        self.changed()

    def report_fault(self, seat: Seat, fault: Fault) -> None:
        del seat, fault  # both stand in the film
        self._asked_no_more()
        self.changed()

    def end_match(self, seat: Seat, end: pb.MatchEnd) -> None:
        del seat, end  # the film tells the result
        self._asked_no_more()

    # What the person does

    def arrive(self) -> None:
        """The person sees the table from now on. Nobody's clock runs before that."""
        if not self._is_here:
            self._is_here = True
            if self.decision is not None:
                self._start_clock()

    def _start_clock(self) -> None:
        if self.seconds is not None:
            showing = self.unseen_moves * SECONDS_TO_SEE_A_MOVE
            self._starts = time.monotonic() + showing
            self._alarm = asyncio.get_running_loop().call_later(showing + self.seconds, self._time_is_up)

    @property
    def seconds_left(self) -> float | None:
        """For this turn; more than there are as long as the others' moves are being shown."""
        if not self._alarm or self.seconds is None:
            return None
        return max(0.0, self._starts + self.seconds - time.monotonic())

    def choose(self, decision: int, text: str) -> None:
        """Plays the action. Raises, and changes nothing, where this is not asked for or not legal."""
        seat = self.seat
        if seat is None or self.decision is None:
            raise OutOfTurn("it is not your turn.")
        if decision != self.decision:
            raise OutOfTurn("that turn is over already.")
        match = seat.match
        action = find_game(match.plan.game).parse_action(text)
        match.state.clone().apply(action)
        spent = NOTHING
        if self._alarm:
            spent = Spent(1000 * max(0.0, time.monotonic() - self._starts))
        self._asked_no_more()
        seat.answer(codec_of(match.plan.game).codes[action], spent)

    def resign(self) -> None:
        """Gives the game up: the house plays on for this seat."""
        if self.seat is None or self.seat.match.over or self.seat.forfeited:
            raise OutOfTurn("there is nothing to give up any more.")
        self.seat.forfeit(FaultKind.DISCONNECT, RESIGNED)

    def leave(self) -> None:
        """Gives up as soon as that is possible, so that the bots are set free."""
        self._leaves = True
        if self.seat is not None:
            self.seat.forfeit(FaultKind.DISCONNECT, LEFT)

    def _time_is_up(self) -> None:
        seat = self.seat
        assert seat is not None, "the alarm is set for a turn"
        assert self.seconds is not None, "the alarm is set where there is a clock"
        spent = Spent(1000 * self.seconds + 1)
        why = seat.overtime(spent)
        assert why is not None, "the match has the same clock"
        seat.time_out(spent, why)

    def _asked_no_more(self) -> None:
        self.decision = None
        if self._alarm:
            self._alarm.cancel()
            self._alarm = None
