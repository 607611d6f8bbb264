"""All matches with people, and the referee that plays them.

The referee is started for the first match and ends with the server; if the server is killed, the referee's guard ends
the bots. Slow work, such as reading and writing the store, is done in threads.
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

from arena.errors import ArenaError, NotFound, UserError
from arena.referee import Limits, MatchPlan, Outcome, Referee, Settings
from arena.referee.launch import distinct
from arena.sandbox import Sandbox
from arena.store.casual import CasualMatchPlace
from arena.store.home import Home
from arena.store.store import Store
from arena.web.config import CONFIG
from arena.web.errors import ServerBusy
from arena.web.play.hints import advice
from arena.web.play.match import PersonMatch, StoredAs
from arena.web.play.opponents import SeatedOpponent, seat_opponents
from arena.web.play.request import PlayRequest
from arena.web.play.storing import match_record, reserve

log = logging.getLogger("arena.web")


class Lobby:
    """Starts matches with people and plays them to the end."""

    def __init__(self, home: Home, store: Store, sandbox: Callable[[], Sandbox]) -> None:
        """`sandbox`: returns where bots run; called once, in a thread, because it may take a while."""
        self.home = home
        self.store = store
        self.sandbox = sandbox
        self.matches: dict[str, PersonMatch] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._starting = asyncio.Lock()
        self._referee: Referee | None = None
        self._exit = AsyncExitStack()

    async def __aenter__(self) -> Self:
        self._spawn(self._remove_abandoned())
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        async with self._starting:
            await self._exit.aclose()

    def find(self, key: str) -> PersonMatch:
        found = self.matches.get(key)
        if found is None:
            raise NotFound("There is no such match, or it ended long ago: start another one.")
        return found

    async def start(self, request: PlayRequest) -> PersonMatch:
        """Start a match. Its bots may still be starting when this returns."""
        opponents = await to_thread.run_sync(seat_opponents, self.home, self.store, request.opponents)
        for each in opponents:
            if request.game not in each.opponent.games:
                raise UserError(f"The bot `{each.opponent.label}` does not play `{request.game}`: choose another one.")
        async with self._starting:
            self._make_room()
            referee = await self._started_referee()
            place = await to_thread.run_sync(reserve, self.store, request)
            match = self._new_match(request, opponents, place)
            self.matches[match.key] = match
        self._spawn(self._play(referee, match, place))
        return match

    def _new_match(
        self, request: PlayRequest, opponents: list[SeatedOpponent], place: CasualMatchPlace | ArenaError
    ) -> PersonMatch:
        key = secrets.token_hex(6)
        seat = secrets.randbelow(len(opponents) + 1) if request.seat is None else request.seat
        labels = [each.opponent.label for each in opponents]
        labels.insert(seat, request.person)
        plan = MatchPlan(
            id=place.name if isinstance(place, CasualMatchPlace) else f"play-{key}",
            game=request.game,
            options=dict(request.options),
            seed=request.seed or secrets.token_hex(8),
            bots=tuple(distinct(labels)),
        )
        return PersonMatch(key, request, seat, plan, opponents)

    def _make_room(self) -> None:
        """Abandon the match without a browser for longest if there are too many; forget the oldest finished ones."""
        running = [each for each in self.matches.values() if each.is_running]
        if len(running) >= CONFIG.max_matches:
            left = [each for each in running if not each.is_watched]
            if not left:
                raise ServerBusy(f"{CONFIG.max_matches} matches are being played: wait until one of them is over.")
            min(left, key=lambda each: each.left_at).abandon()
        finished = [each for each in self.matches.values() if not each.is_running and not each.is_watched]
        for each in finished[: max(0, len(finished) - CONFIG.kept_matches)]:
            del self.matches[each.key]

    async def _started_referee(self) -> Referee:
        if self._referee is None:
            sandbox = await to_thread.run_sync(self.sandbox)
            logs: Path | None = self.home.logs.resolve()
            try:
                self.home.logs.mkdir(parents=True, exist_ok=True)
            except OSError:
                logs = None  # a read-only home keeps no logs
            # People think for long: bots must not use the processor in the meantime.
            settings = Settings(sandbox=sandbox, logs=logs, ponder=False)
            self._referee = await self._exit.enter_async_context(Referee(Limits(turn=CONFIG.bot_turn_limit), settings))
        return self._referee

    def _spawn(self, job: Coroutine[object, object, None]) -> None:
        task = asyncio.create_task(job)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _play(self, referee: Referee, match: PersonMatch, place: CasualMatchPlace | ArenaError) -> None:
        """Play the match to its end and store it."""
        match.wants_hint = lambda: self._spawn(self._give_hint(referee, match))
        limits = Limits(turn=match.request.seconds or CONFIG.bot_turn_limit)
        try:
            outcome = await referee.play(match.plan, match.players, limits, match.update)
            if not match.abandoned:
                match.finish(outcome)
                match.set_stored(await self._store(match, outcome, place, referee.settings.sandbox.tier))
        except ArenaError as error:
            match.fail(str(error))
        except Exception:
            log.exception("A match in the browser failed.")
            match.fail("Internal error. The server's output has the details.")

    async def _store(
        self, match: PersonMatch, outcome: Outcome, place: CasualMatchPlace | ArenaError, tier: str
    ) -> StoredAs:
        if not isinstance(place, CasualMatchPlace):
            return StoredAs(None, f"The match could not be stored: {place}")
        players: list[SeatedOpponent | None] = list(match.opponents)
        players.insert(match.seat, None)

        def write() -> None:
            record = match_record(place, outcome, tier, match.request.person, players)
            self.store.casual.write(place, record)

        try:
            await to_thread.run_sync(write)
        except ArenaError as error:
            return StoredAs(None, f"The match could not be stored: {error}")
        return StoredAs(place.name)

    async def _give_hint(self, referee: Referee, match: PersonMatch) -> None:
        decision = match.person.decision
        if decision is None or match.referee_match is None:
            return
        action = await advice(referee, match.referee_match, match.seat)
        if action is not None and match.person.decision == decision:
            match.give_hint(decision, action)

    async def _remove_abandoned(self) -> None:
        while True:
            await asyncio.sleep(CONFIG.abandoned_poll_interval)
            for match in list(self.matches.values()):
                if not match.is_watched and time.monotonic() - match.left_at > CONFIG.abandoned_after:
                    if match.is_running:
                        match.abandon()
                    else:
                        del self.matches[match.key]
