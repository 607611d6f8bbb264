"""An open-ended ladder: start a match whenever enough connected bots are free to fill its seats.

A match waits for a bot whose connection breaks, until its grace is used up; then its seat is forfeited. A bot has one
seat in a match, and plays several matches at the same time. A bot that connects again takes its earlier seats.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
import traceback
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from anyio import to_thread

from arena.errors import ArenaError
from arena.referee import Referee
from arena.server.config import ServerConfig
from arena.server.ladder_match import LadderMatch, SuspendedMatches
from arena.server.ladder_record import LadderRecord
from arena.server.log import log_event
from arena.server.matchmaking import Matchmaker
from arena.server.metrics import Metrics
from arena.server.rate_limit import RateLimit
from arena.server.remote_bot import RemoteBot


class OpenLadder:
    """The connected bots and their matches."""

    def __init__(
        self,
        referee: Referee,
        record: LadderRecord,
        suspended: SuspendedMatches,
        config: ServerConfig,
        metrics: Metrics,
        pace: float | None,
    ) -> None:
        """`pace`: how many matches a bot may start per minute; None: no limit."""
        self.referee = referee
        self.record = record
        self.config = config
        self.metrics = metrics
        self.draining = False
        """Whether the server shuts down: no match starts, and no bot can reconnect."""
        self.bots: dict[int, RemoteBot] = {}
        """The bots that are connected, or may still reconnect, by version."""
        self._changed = asyncio.Event()
        """Set when a bot may be free for another match."""
        self._pace = None if pace is None else RateLimit(max(1.0, pace / 10), pace)
        self._matchmakers = [Matchmaker(each.bracket, each.standings.rating) for each in record.brackets.values()]
        self._matches: dict[asyncio.Task[None], LadderMatch] = {}
        self._files = suspended
        self._suspended: list[LadderMatch] = []
        """Matches that continue when their bots are connected."""
        self._jobs: list[asyncio.Task[None]] = []
        metrics.bots.set_function(lambda: sum(bot.is_connected for bot in self.bots.values()))
        metrics.in_progress.set_function(lambda: len(self._matches))
        metrics.unwritten.set_function(lambda: record.unwritten)

    def start(self) -> None:
        """Start the background jobs."""
        found, unusable = self._files.load(self.referee.limits)
        for name in unusable:
            log_event("match.abandoned", match=name, why="it is too old, or cannot be read")
        self._suspended = [match for match in found if match.bracket in self.record.brackets]
        for match in self._suspended:
            bracket = self.record.brackets[match.bracket]
            bracket.next_block = max(bracket.next_block, match.planned.block + 1)
        jobs = (self._start_matches, self._watch_clocks, self._watch_tokens, self._write_matches)
        self._jobs = [asyncio.create_task(keep_running(job, self.config.link_interval)) for job in jobs]

    # Bots

    def join(self, bot: RemoteBot) -> None:
        """Add a bot. It replaces an earlier connection of the same bot, and takes its seats."""
        version = bot.version.id
        if before := self.bots.get(version):
            bot.take_over(before)
            before.remove("The bot has opened another connection, and only the latest one counts.")
            log_event("bot.reconnected", bot=bot.version.label, seats=len(bot.session.seats))
        self.bots[version] = bot
        self._changed.set()

    def stream_ended(self, bot: RemoteBot) -> None:
        """Remove a bot whose stream has ended, unless it has matches to which it may reconnect."""
        if bot.is_disconnected and bot.playing and not bot.dead and not self.draining:
            log_event("bot.disconnected", bot=bot.version.label, seats=len(bot.session.seats))
            return
        log_event("bot.left", bot=bot.version.label, user=bot.token.user)
        bot.leave()
        if self.bots.get(bot.version.id) is bot:
            del self.bots[bot.version.id]

    async def _watch_clocks(self) -> None:
        """Check clocks and links until cancelled."""
        last_probe = 0.0
        while True:
            await asyncio.sleep(self.config.clock_interval)
            bots = list(self.bots.values())
            if time.monotonic() - last_probe > self.config.link_interval:
                last_probe = time.monotonic()
                for bot in bots:
                    bot.probe()
                self._changed.set()  # a bot may be reachable again
            for bot in bots:
                if not bot.dead:
                    bot.check_time()
                if bot.dead and bot.is_disconnected:  # its stream ended earlier
                    self.stream_ended(bot)

    async def _watch_tokens(self) -> None:
        """Remove bots whose token is no longer valid, until cancelled."""
        while True:
            await asyncio.sleep(self.config.token_interval)
            bots = list(self.bots.values())  # not those that join during the query, perhaps with a newer token
            try:
                valid = await to_thread.run_sync(self.record.store.tokens.valid)
            except Exception as error:  # noqa: BLE001, the next query may succeed
                self.record.log_failure(error)
                continue
            for bot in bots:
                if bot.token.id not in valid and not bot.dead:
                    why = "Its token has expired or was revoked."
                    log_event("bot.removed", bot=bot.version.label, why=why)
                    bot.remove(why)

    # Matches

    async def _start_matches(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self.config.pairing_interval if self._pace else None):
                    await self._changed.wait()
            self._changed.clear()
            await self._resume_matches()
            matchmakers = [each for each in self._matchmakers if each.open(self.bots, self._may_start)]
            while matchmakers:  # one match per bracket in turn, so that no bracket takes all bots
                matchmakers = [each for each in matchmakers if self._start_match(each)]
                await asyncio.sleep(0)

    def _may_start(self, bot: RemoteBot) -> bool:
        return bot.has_capacity and (self._pace is None or self._pace.left(bot.version.id) >= 1)

    def _start_match(self, matchmaker: Matchmaker) -> bool:
        """Start one match, if there are enough free bots."""
        if self.draining or self.record.unwritten > self.config.max_unwritten:
            return False
        pairing = matchmaker.next_pairing(self.bots, self._may_start)
        if pairing is None:
            return False
        bracket = self.record.brackets[matchmaker.bracket.name]
        self._begin(bracket.plan([(bot.version, bot.entrant) for bot in pairing], self.referee.limits))
        for bot in pairing:
            if self._pace:
                self._pace.take(bot.version.id)
            if not self._may_start(bot):
                matchmaker.free.remove(bot.version.id)
        return True

    async def _resume_matches(self) -> None:
        """Continue the suspended matches whose bots are all connected and have capacity."""
        for match in list(self._suspended):
            bots = [self.bots.get(version) for version in match.waits_for]
            game = match.planned.plan.game
            if not self.draining and all(bot and bot.has_capacity and game in bot.games for bot in bots):
                self._suspended.remove(match)
                self._begin(match)
                await asyncio.sleep(0)  # there may be many, and other matches go on meanwhile

    def _begin(self, match: LadderMatch) -> None:
        bots = [self.bots[version] for version in match.waits_for]
        for bot in bots:
            bot.playing.add(match.name)
        task = asyncio.create_task(self._play(match, bots), name=match.name)
        self._matches[task] = match
        task.add_done_callback(self._matches.pop)

    async def _play(self, match: LadderMatch, bots: Sequence[RemoteBot]) -> None:
        try:
            if match.is_resumed:
                await to_thread.run_sync(self._files.delete, match)
            if not all(bot.is_connected for bot in bots):
                # A bot has left since the pairing was chosen, and no seat is taken yet.
                if match.is_resumed:
                    await self._suspend([match])
                    self._suspended.append(match)
                return
            if match.is_resumed:
                log_event("match.resumed", match=match.name)
            sessions = {bot.version.id: bot.session for bot in bots}
            players = [sessions.get(version) for version in match.planned.versions]
            outcome = await self.referee.play(match.planned.plan, players, match=match.match)
        except ArenaError as error:
            log_event("match.failed", match=match.name, why=str(error))
            return
        finally:
            for bot in bots:
                bot.playing.discard(match.name)
            self._changed.set()
        self.record.add(match, outcome)
        self.metrics.count(match.bracket, outcome)

    async def _write_matches(self) -> None:
        while True:
            await asyncio.sleep(self.config.write_interval)
            await self._write()

    async def _write(self) -> bool:
        """Write all finished matches. Return False if the store failed."""
        try:
            await to_thread.run_sync(self.record.write)
        except Exception as error:  # noqa: BLE001, the matches are kept, and the next write may succeed
            self.record.log_failure(error)
            return False
        return True

    # The end

    async def drain(self, timeout: float) -> None:
        """Start no more matches, wait for those in progress, then suspend the rest and end all streams."""
        self.draining = True
        log_event("drain.began", matches=len(self._matches), bots=len(self.bots))
        deadline = time.monotonic() + timeout
        while (left := deadline - time.monotonic()) > 0:
            can_end = [  # an absent bot cannot reconnect now
                task
                for task, match in self._matches.items()
                if all((bot := self.bots.get(version)) and bot.is_connected for version in match.waits_for)
            ]
            if not can_end:
                break
            await asyncio.wait(can_end, timeout=min(left, self.config.link_interval))
        rest = {task: match for task, match in self._matches.items() if not match.match.over}
        for task in rest:
            task.cancel()  # before anything is awaited: a suspended match must not end now
        await asyncio.gather(*self._matches, return_exceptions=True)
        await self._suspend(list(rest.values()))
        for job in self._jobs:
            job.cancel()
        await asyncio.gather(*self._jobs, return_exceptions=True)
        written = await self._write()
        for bot in list(self.bots.values()):
            bot.leave()
        log_event("drain.ended", written=written)

    async def _suspend(self, matches: Sequence[LadderMatch]) -> None:
        """Store matches until the server runs again."""
        try:
            await to_thread.run_sync(self._files.save, matches)
        except ArenaError as error:
            log_event("match.abandoned", matches=[match.name for match in matches], why=str(error))
            return
        for match in matches:
            why = "the server stops; the match continues when its bots are connected again"
            log_event("match.suspended", match=match.name, why=why)


async def keep_running(job: Callable[[], Coroutine[Any, Any, None]], pause: float) -> None:
    """Run a job until cancelled. Log unexpected exceptions and restart the job."""
    while True:
        try:
            await job()
        except Exception as error:  # noqa: BLE001, all bots depend on these jobs
            log_event("server.trouble", why=str(error), trace=traceback.format_exc())
            await asyncio.sleep(pause)
