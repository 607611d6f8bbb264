"""A bot that has come by itself: nobody here has started it, nobody can end it, and it may be gone at any moment.

It is charged what the clock on the wall shows, because its processor is elsewhere, but neither for the way to it and
back nor for the time in which that way is cut. When its stream breaks it may come back and find its seats as they were,
but it may not be away for long: each has so many seconds, which it gets back slowly by being here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from arena.referee.connection import Answer, Traffic
from arena.referee.conversation import Conversation
from arena.referee.table import Chair
from arena.replay import FaultKind
from arena.server.line import Condition, Line
from arena.server.metrics import Metrics
from arena.store.tokens import Token
from arena.v1 import referee_pb2 as pb

MOST_IN_A_MESSAGE = 64 * 1024
"""The bytes that a message of a guest may have: answers to some thousand turns."""
LONGEST_NAME = 60
LOOK_EVERY = 5.0
"""Seconds between two looks at the way to a guest who speaks."""
SILENT = 0.5
"""Seconds after which a guest that has said nothing is looked after more often."""
GIVEN_BACK = 0.1
"""Seconds of grace for each second that a guest is here."""


@dataclass(frozen=True, slots=True)
class Registered:
    """A guest as it stands in the store."""

    version_id: int
    entrant: int
    """Its number in the ladder."""
    label: str


class Guest(Conversation):
    """The stream of a bot from elsewhere."""

    max_message = MOST_IN_A_MESSAGE

    def __init__(
        self,
        token: Token,
        registered: Registered,
        matches_at_once: int,
        traffic: Traffic,
        came: Callable[[Guest], None],
        metrics: Metrics,
        line: Line,
        grace: float,
        came_at: float,
    ) -> None:
        """`came` is called when its hello was right. `grace`: for how many seconds it may be away.

        `came_at`: when it said hello; how long it takes to let it in is not its affair.
        """
        super().__init__(matches_at_once, traffic)
        self.connection.wake = self._wake
        self.metrics = metrics
        self._oldest_turn: float | None = None
        """Since when the turn waits to be sent that waits longest."""
        self.line = line
        self.came = came
        self.token = token
        self.registered = registered
        self.playing: set[str] = set()
        """The matches in which it has a seat, or is about to get one."""
        self.grace = grace
        self._grace_left = grace
        self._here_since = self._heard = came_at
        self._looked = 0.0
        self._cut_since: float | None = None
        """Since when nothing reaches it, though its stream has not ended."""
        self._whole_since: float | None = None
        """Since when something reaches it again, though it has not been heard of yet."""
        self._away_since: float | None = None
        """Since when it has no stream."""
        self._seats: list[tuple[Chair, float]] = []
        """Where it sat when its stream broke, with the seconds that it had spent on the turn there."""
        self.look()

    @property
    def has_room(self) -> bool:
        """Whether it can be given a seat."""
        return self.is_here and len(self.playing) < self.capacity

    @property
    def is_here(self) -> bool:
        return not self.dead and self._cut_since is None and not self.is_away

    @property
    def is_away(self) -> bool:
        """Whether its stream has broken; if it is not dead it may come back."""
        return self._away_since is not None

    def _welcomed(self) -> None:
        self.came(self)

    def _wake(self) -> None:
        if self._oldest_turn is None and self.connection.turns_waiting:
            self._oldest_turn = time.perf_counter()
        self._something_to_send.set()

    def _before_message(self) -> None:
        if self._oldest_turn is not None:
            self.metrics.wait.observe(time.perf_counter() - self._oldest_turn)
            self._oldest_turn = None

    def _after_message(self, answers: list[Answer]) -> None:
        self.metrics.decisions.inc(len(answers))

    # The way to it

    @property
    def round_trip_ms(self) -> float:
        return round(1000 * self.connection.round_trip, 3)

    def look(self) -> None:
        """Looks at how the way to it is now; seldom, as long as it is heard of."""
        now = time.monotonic()
        if now - self._looked > (LOOK_EVERY if now - self._heard < SILENT else 0.0):
            self._looked = now
            self.take_in(self.line.condition())
            self.metrics.round_trip.observe(self.connection.round_trip)

    def take_in(self, condition: Condition) -> None:
        """This is how the way to it is now."""
        if self.is_away:
            return  # there is none
        self.connection.round_trip = condition.round_trip or self.connection.round_trip
        now = time.monotonic()
        if condition.dead:
            if self._cut_since is None:
                self._grace_left = self._grace_now(now)
                self._cut_since = now - condition.silent
            self._whole_since = None
        elif self._cut_since is not None:
            if self._whole_since is None:
                self._whole_since = now
            # What the bot said into the cut it says again, but the longer the cut the later: for as long again at most.
            cut = self._whole_since - self._cut_since
            if now - condition.wordless > self._cut_since or now - self._whole_since > cut:
                self._reach_again()

    def _reach_again(self) -> None:
        """The way to it is whole again."""
        now = time.monotonic()
        if self._cut_since is not None:
            self.connection.stood_still(now - self._cut_since)
            if self._writing_since is not None:
                self._writing_since += now - self._cut_since
            self._grace_left -= now - self._cut_since
            self._cut_since, self._here_since = None, now

    def _handle(self, message: pb.PlayRequest) -> None:
        self._heard = time.monotonic()
        self._reach_again()
        super()._handle(message)

    def _about_the_clock(self) -> str:
        return f" The way to it and back, {self.round_trip_ms:g} ms, was not counted."

    # Its absence

    def _grace_now(self, now: float) -> float:
        """For how long it may be away, if it goes now."""
        return min(self.grace, self._grace_left + (now - self._here_since) * GIVEN_BACK)

    def _stream_ended(self) -> None:
        if self.dead:
            return
        now = time.monotonic()
        if self._cut_since is None:
            self._grace_left = self._grace_now(now)
        self._away_since = now if self._cut_since is None else self._cut_since
        self._seats = self._leave_seats()

    def _leave_seats(self) -> list[tuple[Chair, float]]:
        now = self._now()
        silent = 0.0 if self._cut_since is None else time.monotonic() - self._cut_since
        return self.connection.stop_asking(now.later(-silent))

    def check_time(self, hung_after: float) -> None:
        since = self._cut_since if self._away_since is None else self._away_since
        if since is None:
            super().check_time(hung_after)
        elif time.monotonic() - since > self._grace_left or (self.is_away and not self.playing):
            self.send_away(f"Its connection broke, and it did not come back within {self._grace_left:.1f} s.")

    def follow(self, before: Guest) -> None:
        """Takes the seats of an earlier connection of the same bot, and what is left of its grace."""
        now = self._here_since
        seats = before._leave_seats() if before._away_since is None else before._seats
        since = before._cut_since if before._away_since is None else before._away_since
        away = 0.0 if since is None else max(0.0, now - since)
        self._grace_left = before._grace_now(now) if since is None else max(0.0, before._grace_left - away)
        self.playing = before.playing
        for chair, thought in seats:
            if chair.number not in before.connection.chairs or chair.forfeited:
                continue  # the match has ended meanwhile
            if chair.table.match.plan.game in self.games:
                del before.connection.chairs[chair.number]
                self.connection.take_over(chair, thought)
            else:
                chair.table.forfeit(chair, FaultKind.DISCONNECT, "It came back as a bot that does not play this game.")

    # The end

    def send_away(self, why: str) -> None:
        """Ends the stream; what it plays is lost."""
        self.lose_all(FaultKind.DISCONNECT, why)
        self.leave()

    def leave(self) -> None:
        """Ends the stream in order."""
        self.dead = True
        self.connection.traffic.connections.discard(self.connection)
        self._closing.set()


def what_is_wrong(hello: pb.Hello) -> str | None:
    """What is wrong with how a bot calls itself; None: nothing."""
    for what, text in (("name", hello.name), ("version", hello.version)):
        if not text.strip() or not text.isprintable() or len(text) > LONGEST_NAME or text != text.strip():
            return f"The {what} in its hello must have 1 to {LONGEST_NAME} printable characters."
    return None
