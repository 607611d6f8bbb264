"""One match with a person: the person as a player of the referee, and what the browsers are sent.

Browsers get the match as the person's seat sees it (`film`: all so far, `more`: each move) and the state (`now`: the
phase, the choices, the clock, the hint, the result). Each `now` replaces the previous one.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from enum import StrEnum

from arena.games.registry import codec_of, find_game, words_of
from arena.protocol.clock import NO_TIME, Spent
from arena.referee import Launch, MatchPlan, Outcome
from arena.referee.match import Match
from arena.referee.seats import Player, Seat
from arena.replay import Fault, FaultKind
from arena.web.config import CONFIG
from arena.web.errors import OutOfTurn
from arena.web.events import Subscriber, Topic, encode
from arena.web.play.opponents import Opponent
from arena.web.play.request import PlayRequest
from arena.web.viewer.film import FilmMaker


class Phase(StrEnum):
    """The state of a match."""

    STARTING = "starting"
    """The bots are being started."""
    PLAYING = "playing"
    OVER = "over"
    BROKEN = "broken"
    """The match could not be played to its end."""


class PersonMatch(Topic):
    """One match with a person, who makes one choice per turn, with or without a clock."""

    def __init__(
        self, key: str, request: PlayRequest, seat: int, plan: MatchPlan, opponents: Sequence[tuple[Opponent, Launch]]
    ) -> None:
        super().__init__()
        self.key = key
        self.request = request
        self.seat = seat
        self.plan = plan
        self.opponents = [opponent for opponent, _ in opponents]
        self.players: list[Launch | Player] = [launch for _, launch in opponents]
        """By seat."""
        self.players.insert(seat, self)
        self.phase = Phase.STARTING
        self.problem = ""
        self.wants_hint: Callable[[], None] = lambda: None
        """Called when a hint is wanted for the current decision."""
        self.hint: tuple[int, str] | None = None
        """A decision and the action that a bot would choose."""
        self.decision: int | None = None
        """The number of the decision to make; None if it is not the person's turn."""
        self.outcome: Outcome | None = None
        self.stored_as: str | None = None
        """The match's name in the store."""
        self.why_not_stored = ""
        self.left_at = time.monotonic()
        """When a browser was last seen."""
        self.referee_seat: Seat | None = None
        self._film: FilmMaker | None = None
        self._unseen_moves = 0
        """Moves since the person's last one, which the browser shows before the clock starts."""
        self._has_arrived = False
        self._clock_starts = 0.0
        self._alarm: asyncio.TimerHandle | None = None

    @property
    def is_running(self) -> bool:
        return self.phase in (Phase.STARTING, Phase.PLAYING)

    # Called by the referee

    def start_match(self, seat: Seat) -> None:
        self.referee_seat = seat

    def ask(self, seat: Seat) -> None:
        if not self.is_running:  # abandoned
            self._leave(seat)
            return
        self.decision = seat.match.turn
        if self._has_arrived:
            self._start_clock()
        self.send_now()
        if self.request.hints:
            self.wants_hint()

    def report_fault(self, seat: Seat, fault: Fault) -> None:
        del seat, fault  # both are in the film
        self._end_turn()
        self.send_now()

    def end_match(self, seat: Seat) -> None:
        del seat  # the result is in the film
        self._end_turn()

    def update(self, match: Match) -> None:
        """Send what is new in the match."""
        if self._film is None:
            if self.phase is Phase.STARTING:  # not if it was abandoned in the meantime
                self.phase = Phase.PLAYING
            self._film = FilmMaker(match.replay.header, self.seat)
            self.send("film", encode("film", self._film.film))
        for entry in match.entries()[len(self._film.film["entries"]) :]:
            more = self._film.add(entry)
            self.send(f"more {more['start']}", encode("more", more))
            self._unseen_moves = 1 if entry.seat == self.seat else self._unseen_moves + 1
        self.send_now()

    # Called for the browser

    def choose(self, decision: int, text: str) -> None:
        """Play the action. Raise `OutOfTurn` or `IllegalAction`, and change nothing, if that is not possible."""
        seat = self.referee_seat
        if seat is None or self.decision is None:
            raise OutOfTurn("It is not your turn.")
        if decision != self.decision:
            raise OutOfTurn("This turn is already over.")
        action = find_game(self.plan.game).parse_action(text)
        seat.match.state.clone().apply(action)
        spent = NO_TIME
        if self._alarm:
            spent = Spent(1000 * max(0.0, time.monotonic() - self._clock_starts))
        self._end_turn()
        seat.answer(codec_of(self.plan.game).codes.code_of[action], spent)

    def resign(self) -> None:
        """Resign: the house plays for this seat until the end."""
        seat = self.referee_seat
        if seat is None or seat.match.over or seat.forfeited:
            raise OutOfTurn("The match is already over.")
        seat.forfeit(FaultKind.DISCONNECT, "The person at this seat resigned.")

    def welcome(self, subscriber: Subscriber) -> None:
        if not self._has_arrived:  # the clock does not run before the page is open
            self._has_arrived = True
            if self.decision is not None:
                self._start_clock()
        if self._film:
            subscriber.put("film", encode("film", self._film.film))
        subscriber.put("now", encode("now", self.now()))

    def send_now(self) -> None:
        self.send("now", encode("now", self.now()))

    def now(self) -> dict[str, object]:
        """Return the state of the match for the page."""
        turn: object = None
        if self.referee_seat and self.decision is not None and self.is_running:
            view = self.referee_seat.match.state.view(self.seat)
            hints, choice = self.request.hints, words_of(self.plan.game).choice
            turn = {
                "decision": self.decision,
                "choices": [choice(view, action, self.plan.bots, hints=hints) for action in view.legal],
                "seconds": self.request.seconds,
                "left": self._seconds_left(),
                "hint": self.hint[1] if self.hint and self.hint[0] == self.decision else None,
            }
        end: object = None
        if self.outcome:
            end = {**ending(self.outcome, self.seat), "stored": self.stored_as, "why_not": self.why_not_stored}
        return {"phase": self.phase.value, "problem": self.problem, "turn": turn, "end": end}

    # The end

    def finish(self, outcome: Outcome) -> None:
        self.phase = Phase.OVER
        self.outcome = outcome
        self.send_now()

    def fail(self, why: str) -> None:
        """End the match before its result."""
        self.phase = Phase.BROKEN
        self.problem = why
        self.send_now()

    def abandon(self) -> None:
        """End a match without browsers, release its bots and store nothing."""
        self.fail("No browser was connected, so the match was ended. It was not stored.")
        if self.referee_seat is not None:
            self._leave(self.referee_seat)

    def _leave(self, seat: Seat) -> None:
        seat.forfeit(FaultKind.DISCONNECT, "The person at this seat left.")

    # The clock

    def _start_clock(self) -> None:
        if self.request.seconds is not None:
            showing = self._unseen_moves * CONFIG.seconds_to_show_move
            self._clock_starts = time.monotonic() + showing
            self._alarm = asyncio.get_running_loop().call_later(showing + self.request.seconds, self._time_out)

    def _seconds_left(self) -> float | None:
        """Return the time left for this turn; more than the limit while the moves of others are being shown."""
        if not self._alarm or self.request.seconds is None:
            return None
        return round(max(0.0, self._clock_starts + self.request.seconds - time.monotonic()), 2)

    def _time_out(self) -> None:
        seat, seconds = self.referee_seat, self.request.seconds
        assert seat is not None, "the alarm is set during a turn"
        assert seconds is not None, "the alarm is set if there is a clock"
        spent = Spent(1000 * seconds + 1)
        why = seat.overtime(spent)
        assert why is not None, "the match has the same limit"
        seat.time_out(spent, why)

    def _end_turn(self) -> None:
        self.decision = None
        if self._alarm:
            self._alarm.cancel()
            self._alarm = None


def ending(outcome: Outcome, seat: int) -> dict[str, object]:
    """Return the result as the person on this seat reads it. Names are not escaped: the browser shows them as text."""
    result = outcome.result
    names = ["You" if each == seat else name for each, name in enumerate(outcome.plan.bots)]
    faults = {fault.seat: fault.fault.meaning for fault in outcome.faults}
    places = []
    for each in sorted(range(len(names)), key=result.placements.__getitem__):
        detail = words_of(outcome.plan.game).score(result, each)
        if each in faults:
            detail += "; you forfeited" if each == seat else f"; forfeited: {faults[each]}"
        own = each == seat
        places.append(
            {"seat": each, "place": result.placements[each], "name": names[each], "own": own, "detail": detail}
        )
    why = result.ending.value
    return {
        "won": seat in result.winners,
        "headline": _headline(names, result.winners, seat),
        "why": f"{why[0].upper()}{why[1:]}.",
        "places": places,
    }


def _headline(names: Sequence[str], winners: Sequence[int], seat: int) -> str:
    if not winners:
        return "No player wins."
    if winners == (seat,):
        return "You win!"
    if len(winners) == 1:
        return f"{names[winners[0]]} wins."
    *others, last = [names[each] for each in sorted(winners, key=lambda each: each != seat)]
    return f"{', '.join(others)} and {last} share the win."
