"""One match with a person, and what its browsers are sent.

Browsers get the match as the person's seat sees it (`film`: all so far, `more`: each move) and the state (`now`: the
phase, the choices, the clock, the hint, the result). Each `now` replaces the previous one.
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
from arena.web.events import EventHub, Subscriber, encode
from arena.web.play import words
from arena.web.play.opponents import SeatedOpponent
from arena.web.play.person import BrowserPlayer
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


@dataclass(frozen=True, slots=True)
class StoredAs:
    """Where a finished match is stored."""

    name: str | None
    """The match's name in the store; None if it could not be stored."""
    why_not: str = ""


class PersonMatch:
    """One match with a person."""

    def __init__(
        self, key: str, request: PlayRequest, seat: int, plan: MatchPlan, opponents: Sequence[SeatedOpponent]
    ) -> None:
        self.key = key
        self.request = request
        self.seat = seat
        self.plan = plan
        self.opponents = opponents
        self.phase = Phase.STARTING
        self.problem = ""
        self.person = BrowserPlayer(request.seconds, self._turn_changed)
        self.wants_hint: Callable[[], None] = lambda: None
        """Called when a hint is wanted for the current decision."""
        self.referee_match: Match | None = None
        self.outcome: Outcome | None = None
        self.stored: StoredAs | None = None
        self.hint: tuple[int, str] | None = None
        """A decision and the action that a bot would choose."""
        self.left_at = time.monotonic()
        """When the last browser left."""
        self.abandoned = False
        self._film: FilmMaker | None = None
        self._subscribers: set[Subscriber] = set()

    @property
    def players(self) -> list[Launch | Player]:
        """The players by seat."""
        players: list[Launch | Player] = [each.launch for each in self.opponents]
        players.insert(self.seat, self.person)
        return players

    @property
    def is_running(self) -> bool:
        return self.phase in (Phase.STARTING, Phase.PLAYING)

    @property
    def is_watched(self) -> bool:
        return bool(self._subscribers)

    # Progress of the match

    def update(self, match: Match) -> None:
        """Send what is new in the match. Called by the referee."""
        if self._film is None:
            self.referee_match = match
            if self.phase is Phase.STARTING:  # not if it was abandoned in the meantime
                self.phase = Phase.PLAYING
            self._film = FilmMaker(match.replay.header, self.seat)
            self._send("film", self._film.film)
        known = len(self._film.film["entries"])
        for entry in match.replay.entries[known:]:
            more = self._film.add(entry)
            self._send("more", more, key=f"more {more['start']}")
            self.person.unseen_moves = 1 if entry.seat == self.seat else self.person.unseen_moves + 1
        self._send_now()

    def _turn_changed(self) -> None:
        self._send_now()
        if self.request.hints and self.person.decision is not None:
            self.wants_hint()

    def give_hint(self, decision: int, action: str) -> None:
        self.hint = (decision, action)
        self._send_now()

    def finish(self, outcome: Outcome) -> None:
        self.phase = Phase.OVER
        self.outcome = outcome
        self._send_now()

    def set_stored(self, stored: StoredAs) -> None:
        self.stored = stored
        self._send_now()

    def fail(self, why: str) -> None:
        """End the match before its result."""
        self.phase = Phase.BROKEN
        self.problem = why[:1].upper() + why[1:]
        self._send_now()

    def abandon(self) -> None:
        """End a match without browsers, release its bots and store nothing."""
        self.abandoned = True
        self.fail("No browser was connected, so the match was ended. It was not stored.")
        self.person.leave()

    # Messages to browsers

    async def follow(self, hub: EventHub) -> AsyncIterator[bytes]:
        """Yield the current state for a browser, then every change."""
        subscriber = Subscriber()
        self._subscribers.add(subscriber)
        self.person.arrive()
        try:
            with hub.closing(subscriber):
                if self._film:
                    self._send("film", self._film.film, to=[subscriber])
                self._send("now", self.now(), to=[subscriber])
                while not hub.closed.is_set():
                    yield await subscriber.next_chunk()
        finally:
            self._subscribers.discard(subscriber)
            self.left_at = time.monotonic()

    def now(self) -> dict[str, Json]:
        """Return the state of the match for the page."""
        state: dict[str, Any] = {"phase": self.phase.value, "problem": self.problem, "turn": None, "end": None}
        if self.referee_match and self.person.decision is not None and self.is_running:
            view = self.referee_match.state.view(self.seat)
            left = self.person.seconds_left
            state["turn"] = {
                "decision": self.person.decision,
                "choices": words.choices(self.plan.game, view, self.plan.bots, hints=self.request.hints),
                "seconds": self.request.seconds,
                "left": None if left is None else round(left, 2),
                "hint": self.hint[1] if self.hint and self.hint[0] == self.person.decision else None,
            }
        if self.outcome and not self.abandoned:
            state["end"] = {
                **words.ending(self.outcome, self.seat),
                "stored": self.stored.name if self.stored else None,
                "why_not": self.stored.why_not if self.stored else "",
            }
        return state

    def _send_now(self) -> None:
        self._send("now", self.now())

    def _send(self, name: str, content: Any, key: str = "", to: Iterable[Subscriber] | None = None) -> None:
        message = encode(name, content)
        for subscriber in self._subscribers if to is None else to:
            subscriber.waiting.pop(key or name, None)  # a replaced message moves to the end of the queue
            subscriber.put(key or name, message)
