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

from arena.errors import ArenaError, NotFound
from arena.games.brackets import Bracket
from arena.records import PERSON
from arena.referee import Limits, MatchPlan, Outcome, Referee, Settings
from arena.referee.launch import distinct
from arena.sandbox import Sandbox
from arena.store.home import Home
from arena.store.open_ended import CasualMatchPlace
from arena.store.store import Store
from arena.tournament.planner import PlannedMatch
from arena.tournament.recording import make_record
from arena.web.config import CONFIG
from arena.web.errors import ServerBusy
from arena.web.play.hints import advice
from arena.web.play.match import PersonMatch
from arena.web.play.opponents import find_opponents
from arena.web.play.request import PlayRequest

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
        opponents = await to_thread.run_sync(find_opponents, self.home, self.store, request.opponents, request.game)
        async with self._starting:
            self._make_room()
            referee = await self._started_referee()
            key, place, why_not_stored = secrets.token_hex(6), None, ""
            try:  # a read-only home does not prevent playing
                bracket = Bracket(request.game, tuple(request.options.items())).name
                place = await to_thread.run_sync(self.store.casual.begin, bracket)
            except ArenaError as error:
                why_not_stored = f"The match could not be stored: {error}"
            seat = secrets.randbelow(len(opponents) + 1) if request.seat is None else request.seat
            labels = [opponent.label for opponent, _ in opponents]
            labels.insert(seat, request.person)
            plan = MatchPlan(
                id=place.name if place else f"play-{key}",
                game=request.game,
                options=dict(request.options),
                seed=request.seed or secrets.token_hex(8),
                bots=tuple(distinct(labels)),
            )
            match = self.matches[key] = PersonMatch(key, request, seat, plan, opponents)
            match.why_not_stored = why_not_stored
        self._spawn(self._play(referee, match, place))
        return match

    def _make_room(self) -> None:
        """Abandon the match without a browser for longest if there are too many; forget the oldest finished ones."""
        running = [each for each in self.matches.values() if each.is_running]
        if len(running) >= CONFIG.max_matches:
            left = [each for each in running if not each.subscribers]
            if not left:
                raise ServerBusy(f"{CONFIG.max_matches} matches are being played: wait until one of them is over.")
            min(left, key=lambda each: each.left_at).abandon()
        finished = [each for each in self.matches.values() if not each.is_running and not each.subscribers]
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

    async def _play(self, referee: Referee, match: PersonMatch, place: CasualMatchPlace | None) -> None:
        """Play the match to its end and store it."""
        match.wants_hint = lambda: self._spawn(self._give_hint(referee, match))
        limits = Limits(turn=match.request.seconds or CONFIG.bot_turn_limit)
        try:
            outcome = await referee.play(match.plan, match.players, limits, match.update)
            if match.is_running:  # not abandoned in the meantime
                match.finish(outcome)
                if place is not None:
                    await self._store(match, outcome, place, referee.settings.sandbox.tier)
        except ArenaError as error:
            match.fail(str(error))
        except Exception:
            log.exception("A match in the browser failed.")
            match.fail("Internal error. The server's output has the details.")

    async def _store(self, match: PersonMatch, outcome: Outcome, place: CasualMatchPlace, tier: str) -> None:
        """Store an unrated match. The person, and bundled bots that were never submitted, are recorded by name."""
        seated = [(each.version.id if each.version else PERSON, each.label) for each in match.opponents]
        seated.insert(match.seat, (PERSON, match.request.person))
        versions = tuple(version for version, _ in seated)
        record = make_record(PlannedMatch(place.block, 0, outcome.plan, versions), outcome, tier)
        seats = tuple(
            seat._replace(person=name) if version == PERSON else seat
            for seat, (version, name) in zip(record.seats, seated, strict=True)
        )
        try:
            await to_thread.run_sync(self.store.casual.write, place, record._replace(seats=seats))
            match.stored_as = place.name
        except ArenaError as error:
            match.why_not_stored = f"The match could not be stored: {error}"
        match.send_now()

    async def _give_hint(self, referee: Referee, match: PersonMatch) -> None:
        decision = match.decision
        if decision is None or match.referee_seat is None:
            return
        action = await advice(referee, match.referee_seat.match, match.seat)
        if action is not None and match.decision == decision:
            match.hint = (decision, action)
            match.send_now()

    async def _remove_abandoned(self) -> None:
        while True:
            await asyncio.sleep(CONFIG.abandoned_poll_interval)
            now = time.monotonic()
            for match in list(self.matches.values()):
                if match.subscribers:
                    match.left_at = now
                elif now - match.left_at > CONFIG.abandoned_after:
                    if match.is_running:
                        match.abandon()
                    else:
                        del self.matches[match.key]
