"""One game with a person: what happens at its table, and what its browsers are told.

Two kinds of messages go to a browser. `film` and `more` are the match as the person's seat sees it: the film so far,
then each move. `now` is what is to be done: whether the game is on, what the person can choose, the clock, the hint,
the result. Each `now` replaces the one before.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from arena.games.base import Json
from arena.referee import Launch, MatchPlan, Outcome
from arena.referee.match import Match
from arena.referee.seats import Player
from arena.web.events import EventHub, Subscriber, encoded
from arena.web.play import words
from arena.web.play.opponents import Seated
from arena.web.play.person import Person
from arena.web.play.request import PlayRequest
from arena.web.viewer.film import FilmMaker


class Phase(StrEnum):
    """How far the game is."""

    STARTING = "starting"
    """The bots are being started."""
    PLAYING = "playing"
    OVER = "over"
    BROKEN = "broken"
    """It could not be played."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of a game that is over."""

    name: str | None
    """What the match is called in the store."""
    why_not: str = ""


class PersonMatch:
    """One game in the browser."""

    def __init__(self, number: str, wish: PlayRequest, seat: int, plan: MatchPlan, others: Sequence[Seated]) -> None:
        self.id = number
        self.wish = wish
        self.seat = seat
        self.plan = plan
        self.others = others
        self.phase = Phase.STARTING
        self.trouble = ""
        self.person = Person(wish.seconds, self._asked)
        self.needs_hint: Callable[[], None] = lambda: None
        """Called when there is something to be decided for which a hint is wanted."""
        self.match: Match | None = None
        self.outcome: Outcome | None = None
        self.kept: Kept | None = None
        self.hint: tuple[int, str] | None = None
        """What a good bot would do, and at which decision."""
        self.left_since = time.monotonic()
        """Since when nobody looks."""
        self.abandoned = False
        self._film: FilmMaker | None = None
        self._followers: set[Subscriber] = set()

    @property
    def contestants(self) -> list[Launch | Player]:
        """Who sits where."""
        around: list[Launch | Player] = [each.program for each in self.others]
        around.insert(self.seat, self.person)
        return around

    @property
    def is_on(self) -> bool:
        return self.phase in (Phase.STARTING, Phase.PLAYING)

    @property
    def is_watched(self) -> bool:
        return bool(self._followers)

    # What happens

    def watch(self, match: Match) -> None:
        """Something has happened at the table."""
        if self._film is None:
            self.match = match
            if self.phase is Phase.STARTING:  # it may have been abandoned meanwhile
                self.phase = Phase.PLAYING
            self._film = FilmMaker(match.replay.header, self.seat)
            self._tell("film", self._film.film)
        known = len(self._film.film["entries"])
        for entry in match.replay.entries[known:]:
            more = self._film.add(entry)
            self._tell("more", more, key=f"more {more['start']}")
            self.person.unseen_moves = 1 if entry.seat == self.seat else self.person.unseen_moves + 1
        self._tell_now()

    def _asked(self) -> None:
        """The person is asked, or asked no more."""
        self._tell_now()
        if self.wish.hints and self.person.decision is not None:
            self.needs_hint()

    def advise(self, decision: int, action: str) -> None:
        self.hint = (decision, action)
        self._tell_now()

    def end(self, outcome: Outcome) -> None:
        self.phase = Phase.OVER
        self.outcome = outcome
        self._tell_now()

    def keep(self, kept: Kept) -> None:
        self.kept = kept
        self._tell_now()

    def fail(self, why: str) -> None:
        """It cannot be played on."""
        self.phase = Phase.BROKEN
        self.trouble = why[:1].upper() + why[1:]
        self._tell_now()

    def abandon(self) -> None:
        """Everybody has left: the bots are set free, and nothing is kept."""
        self.abandoned = True
        self.fail("everybody had left this game, so it was ended. It was not stored.")
        self.person.leave()

    # What browsers are told

    async def follow(self, hub: EventHub) -> AsyncIterator[bytes]:
        """What a browser is sent: how it is now, then whatever changes."""
        follower = Subscriber()
        self._followers.add(follower)
        self.person.arrive()
        try:
            with hub.woken_at_the_end(follower):
                if self._film:
                    self._tell("film", self._film.film, to=[follower])
                self._tell("now", self.now(), to=[follower])
                while not hub.closed.is_set():
                    yield await follower.mail()
        finally:
            self._followers.discard(follower)
            self.left_since = time.monotonic()

    def now(self) -> dict[str, Json]:
        """What is to be done."""
        told: dict[str, Any] = {"phase": self.phase.value, "trouble": self.trouble, "turn": None, "end": None}
        if self.match and self.person.decision is not None and self.is_on:
            view = self.match.state.view(self.seat)
            left = self.person.seconds_left
            told["turn"] = {
                "decision": self.person.decision,
                "choices": words.choices(self.plan.game, view, self.plan.bots, hints=self.wish.hints),
                "seconds": self.wish.seconds,
                "left": None if left is None else round(left, 2),
                "hint": self.hint[1] if self.hint and self.hint[0] == self.person.decision else None,
            }
        if self.outcome and not self.abandoned:
            told["end"] = {
                **words.ending(self.outcome, self.seat),
                "stored": self.kept.name if self.kept else None,
                "why_not": self.kept.why_not if self.kept else "",
            }
        return told

    def _tell_now(self) -> None:
        self._tell("now", self.now())

    def _tell(self, name: str, content: Any, key: str = "", to: Iterable[Subscriber] | None = None) -> None:
        message = encoded(name, content)
        for follower in self._followers if to is None else to:
            follower.waiting.pop(key or name, None)  # what replaces something comes behind all that was told meanwhile
            follower.tell(key or name, message)
