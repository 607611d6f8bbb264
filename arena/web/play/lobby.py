"""All games with people, and the one referee that they have.

The referee is started when the first game needs it, and ends with the server; if the server is killed, the referee's
guard ends the bots. Whatever may be slow, such as looking for programs or writing into the store, is done in threads.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Self

from anyio import to_thread

from arena.errors import ArenaError, NotFound
from arena.referee import Limits, MatchPlan, Outcome, Referee, Settings
from arena.referee.launch import distinct
from arena.sandbox import Sandbox
from arena.store.casual import CasualMatchPlace
from arena.store.home import Home
from arena.store.store import Store
from arena.web.play.hints import advice
from arena.web.play.match import Kept, PersonMatch
from arena.web.play.opponents import Seated, seated
from arena.web.play.request import PlayRequest
from arena.web.play.storing import keep, reserve

MOST_GAMES = 8
"""So many games can be played at once."""
MOST_KEPT = 32
"""So many games that are over stay here, so that their pages can still be opened."""
LEFT_AFTER = 30 * 60.0
"""Seconds after which a game that nobody looks at is ended."""
LOOK = 5.0
"""Seconds between two looks at who has left."""
BOTS_MAY_THINK = 5.0
"""Seconds of a bot's turn where there is no clock for the person."""

log = logging.getLogger("arena.web")


class Full(ArenaError):
    """There is no room for another game."""


class Lobby:
    """Opens games and brings them to their end."""

    def __init__(self, home: Home, store: Store, sandbox: Callable[[], Sandbox]) -> None:
        """`sandbox`: where bots run; it may take a while to find out, so it is asked in a thread, once."""
        self.home = home
        self.store = store
        self.sandbox = sandbox
        self.matches: dict[str, PersonMatch] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._opening = asyncio.Lock()
        self._referee: Referee | None = None
        self._end = AsyncExitStack()
        self._looking: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._looking = asyncio.create_task(self._look())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._looking
        tasks = [self._looking, *self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        async with self._opening:
            await self._end.aclose()

    def find(self, number: str) -> PersonMatch:
        sitting = self.matches.get(number)
        if sitting is None:
            raise NotFound("there is no such game here, or it is over for long: begin another one.")
        return sitting

    async def open(self, wish: PlayRequest) -> PersonMatch:
        """A new game. It has begun when this returns; its bots may still be starting."""
        others = await to_thread.run_sync(seated, self.home, self.store, wish.opponents)
        for each in others:
            if wish.game not in each.opponent.games:
                raise ArenaError(f"{each.opponent.label} does not play {wish.game}: choose another bot.")
        async with self._opening:
            self._make_room()
            referee = await self._started()
            place = await to_thread.run_sync(reserve, self.store, wish)
            sitting = self._seat(wish, others, place)
            self.matches[sitting.id] = sitting
        self._spawn(self._play(referee, sitting, place))
        return sitting

    def _seat(self, wish: PlayRequest, others: list[Seated], place: CasualMatchPlace | ArenaError) -> PersonMatch:
        number = secrets.token_hex(6)
        seat = secrets.randbelow(len(others) + 1) if wish.seat is None else wish.seat
        labels = [each.opponent.label for each in others]
        labels.insert(seat, wish.name)
        plan = MatchPlan(
            id=place.name if isinstance(place, CasualMatchPlace) else f"play-{number}",
            game=wish.game,
            options=dict(wish.options),
            seed=wish.seed or secrets.token_hex(8),
            bots=tuple(distinct(labels)),
        )
        return PersonMatch(number, wish, seat, plan, others)

    def _make_room(self) -> None:
        """Ends the game that has been left for longest, where there are too many; forgets the oldest that are over."""
        on = [each for each in self.matches.values() if each.is_on]
        left = sorted((each for each in on if not each.is_watched), key=lambda each: each.left_since)
        if len(on) >= MOST_GAMES:
            if not left:
                raise Full(f"{MOST_GAMES} games are being played here already: wait until one of them is over.")
            left[0].abandon()
        over = [each for each in self.matches.values() if not each.is_on and not each.is_watched]
        for each in over[: max(0, len(over) - MOST_KEPT)]:
            del self.matches[each.id]

    async def _started(self) -> Referee:
        if self._referee is None:
            sandbox = await to_thread.run_sync(self.sandbox)
            logs: Path | None = self.home.logs.resolve()
            try:
                self.home.logs.mkdir(parents=True, exist_ok=True)
            except OSError:
                logs = None  # what the bots print is not kept where nothing can be written
            # A person thinks for long: bots that would use the processor meanwhile are frozen.
            settings = Settings(sandbox=sandbox, logs=logs, ponder=False)
            self._referee = await self._end.enter_async_context(Referee(Limits(turn=BOTS_MAY_THINK), settings))
        return self._referee

    def _spawn(self, job: Coroutine[object, object, None]) -> None:
        task = asyncio.create_task(job)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _play(self, referee: Referee, sitting: PersonMatch, place: CasualMatchPlace | ArenaError) -> None:
        """Brings the game to its end, and what came of it into the store."""
        sitting.needs_hint = lambda: self._spawn(self._advise(referee, sitting))
        limits = Limits(turn=sitting.wish.seconds or BOTS_MAY_THINK)
        try:
            outcome = await referee.play(sitting.plan, sitting.contestants, limits, sitting.watch)
            if not sitting.abandoned:
                sitting.end(outcome)
                sitting.keep(await self._kept(sitting, outcome, place, referee.settings.sandbox.tier))
        except ArenaError as error:
            sitting.fail(str(error))
        except Exception:
            log.exception("A game in the browser has failed.")
            sitting.fail("something went wrong here. The server's own output says what.")

    async def _kept(
        self, sitting: PersonMatch, outcome: Outcome, place: CasualMatchPlace | ArenaError, tier: str
    ) -> Kept:
        if not isinstance(place, CasualMatchPlace):
            return Kept(None, f"It could not be stored: {place}")
        around: list[Seated | None] = list(sitting.others)
        around.insert(sitting.seat, None)
        try:
            await to_thread.run_sync(keep, self.store, place, outcome, tier, sitting.wish.name, around)
        except ArenaError as error:
            return Kept(None, f"It could not be stored: {error}")
        return Kept(place.name)

    async def _advise(self, referee: Referee, sitting: PersonMatch) -> None:
        decision = sitting.person.decision
        if decision is None or sitting.match is None:
            return
        action = await advice(referee, sitting.match, sitting.seat)
        if action is not None and sitting.person.decision == decision:
            sitting.advise(decision, action)

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK)
            for sitting in list(self.matches.values()):
                if not sitting.is_watched and time.monotonic() - sitting.left_since > LEFT_AFTER:
                    if sitting.is_on:
                        sitting.abandon()
                    else:
                        del self.matches[sitting.id]
