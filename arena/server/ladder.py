"""An open-ended ladder: start a match whenever enough connected bots are free to fill its seats.

A match waits for a bot whose connection breaks, until its grace is used up; then its seat is forfeited. A bot has one
seat in a match, and plays several matches at the same time.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
import traceback
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from anyio import to_thread

from arena.errors import ArenaError
from arena.records import BlockRecord
from arena.referee import Limits, Referee
from arena.referee.match import Match
from arena.server.config import ServerConfig
from arena.server.connected_bots import ConnectedBots
from arena.server.ladder_record import LadderBracket
from arena.server.log import log_event
from arena.server.matchmaking import OpenBracket, Pairings
from arena.server.metrics import Metrics
from arena.server.recording import MatchRecorder
from arena.server.remote_bot import RemoteBot
from arena.server.suspended import SuspendedMatch, SuspendedMatches
from arena.tournament.planner import PlannedMatch


@dataclass(frozen=True, slots=True, eq=False)
class LadderMatch:
    """A match in progress."""

    bracket: LadderBracket
    job: PlannedMatch
    block: BlockRecord
    bots: Sequence[RemoteBot | None]
    """In seat order; None: the seat was forfeited before the match was suspended."""
    match: Match | None = None
    """What was played before it was suspended."""
    resumed: SuspendedMatch | None = None
    """The suspended match that this one continues."""

    def suspended(self, match: Match) -> SuspendedMatch:
        """Return the match as it is stored while the server is down."""
        header, entries = match.replay.header, tuple(match.replay.entries)
        block = self.block
        name = self.bracket.bracket.name
        return SuspendedMatch(name, block.number, block.entrants, self.job.versions, header, entries)


class OpenLadder:
    """Starts, resumes, plays and suspends matches."""

    def __init__(
        self,
        referee: Referee,
        recorder: MatchRecorder,
        suspended: SuspendedMatches,
        config: ServerConfig,
        metrics: Metrics,
        *,
        limits: Limits,
        pace: float | None,
    ) -> None:
        """`pace`: how many matches a bot may start per minute; None: no limit."""
        self.referee = referee
        self.recorder = recorder
        self.config = config
        self.metrics = metrics
        self.limits = limits
        self.draining = False
        self.brackets = recorder.record.brackets
        self.pairings = Pairings(self.brackets, pace)
        self.bots = ConnectedBots(config, referee.batching, left=self.pairings.forget)
        self._matches: dict[asyncio.Task[None], LadderMatch] = {}
        self._files = suspended
        self._suspended: list[SuspendedMatch] = []
        """Matches that continue when their bots are connected."""
        self._jobs: list[asyncio.Task[None]] = []
        metrics.follow(lambda: sum(bot.is_connected for bot in self.bots.all()), lambda: len(self._matches))

    def start(self) -> None:
        """Start the background jobs."""
        self._suspended, unusable = self._files.load()
        for name in unusable:
            log_event("match.abandoned", match=name, why="it is too old, or cannot be read")
        for match in self._suspended:
            for bracket in self.brackets:
                if bracket.bracket.name == match.bracket:
                    bracket.next_block = max(bracket.next_block, match.block + 1)
        store = self.recorder.record.store

        async def watch_tokens() -> None:
            await self.bots.watch_tokens(store.tokens.valid, self.recorder.health)

        jobs = (self._start_matches, self.bots.watch_clocks, watch_tokens, self.recorder.run)
        self._jobs = [asyncio.create_task(keep_running(job, self.config.link_interval)) for job in jobs]

    # Matches

    async def _start_matches(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self.config.pairing_interval if self.pairings.pace else None):
                    await self.bots.changed.wait()
            self.bots.changed.clear()
            await self._resume_matches()
            brackets = self.pairings.open_brackets(self.bots)
            while brackets:  # one match per bracket in turn, so that no bracket takes all bots
                brackets = [bracket for bracket in brackets if self._start_match(bracket)]
                await asyncio.sleep(0)

    def _start_match(self, bracket: OpenBracket) -> bool:
        """Start one match, if there are enough free bots."""
        if self.draining or self.recorder.is_full:
            return False
        pairing = self.pairings.next_pairing(bracket, self.bots)
        if pairing is None:
            return False
        job, block = bracket.bracket.plan([bot.entrant for bot in pairing], secrets.token_hex(16))
        self.pairings.started(bracket, pairing, job.plan.id)
        self._begin(LadderMatch(bracket.bracket, job, block, pairing))
        return True

    async def _resume_matches(self) -> None:
        """Continue the suspended matches whose bots are all connected and have capacity."""
        brackets = {bracket.bracket.name: bracket for bracket in self.brackets}
        for suspended in list(self._suspended):
            bracket = brackets.get(suspended.bracket)
            if self.draining or bracket is None or not self._can_resume(suspended, bracket.bracket.game):
                continue
            self._suspended.remove(suspended)
            job, block = bracket.plan_again(suspended)
            try:
                match = suspended.match(job.plan, self.limits)
            except ArenaError as error:
                log_event("match.failed", match=job.plan.id, why=str(error))
                continue
            bots = [self.bots.get(each) if each in suspended.waits_for else None for each in suspended.versions]
            for bot in bots:
                if bot:
                    bot.playing.add(job.plan.id)
            self._begin(LadderMatch(bracket, job, block, bots, match, suspended))
            await asyncio.sleep(0)  # there may be many, and other matches go on meanwhile

    def _can_resume(self, suspended: SuspendedMatch, game: str) -> bool:
        bots = [self.bots.get(version) for version in suspended.waits_for]
        return all(bot and bot.has_capacity and game in bot.games for bot in bots)

    def _begin(self, match: LadderMatch) -> None:
        task = asyncio.create_task(self._play(match), name=match.job.plan.id)
        self._matches[task] = match
        task.add_done_callback(self._matches.pop)

    async def _play(self, playing: LadderMatch) -> None:
        job, bots, resumed = playing.job, playing.bots, playing.resumed
        try:
            if resumed:
                await to_thread.run_sync(self._files.delete, resumed)
            if not all(bot.is_connected for bot in bots if bot):
                # A bot has left since the pairing was chosen, and no seat is taken yet.
                if resumed:
                    await self._suspend([resumed])
                    self._suspended.append(resumed)
                return
            if resumed:
                log_event("match.resumed", match=job.plan.id)
            players = [bot.session if bot else None for bot in bots]
            outcome = await self.referee.play(job.plan, players, self.limits, match=playing.match)
        except ArenaError as error:
            log_event("match.failed", match=job.plan.id, why=str(error))
            return
        finally:
            for bot in bots:
                if bot:
                    bot.playing.discard(job.plan.id)
            self.bots.changed.set()
        self.recorder.add(playing.bracket, job, playing.block, outcome)

    # The end

    async def drain(self, timeout: float) -> None:
        """Start no more matches, wait for those in progress, then suspend the rest and end all streams."""
        self.draining = self.bots.closing = True
        log_event("drain.began", matches=len(self._matches), bots=len(self.bots.all()))
        deadline = time.monotonic() + timeout
        while (left := deadline - time.monotonic()) > 0:
            can_end = [task for task, match in self._matches.items() if self._can_end(match.job)]
            if not can_end:
                break
            await asyncio.wait(can_end, timeout=min(left, self.config.link_interval))
        in_progress = self.referee.under_way
        begun = {name: each for each in self._matches.values() if (name := each.job.plan.id) in in_progress}
        suspended = [match.suspended(in_progress[name]) for name, match in begun.items()]
        suspended += [each.resumed for each in self._matches.values() if each.resumed and each.job.plan.id not in begun]
        for task in list(self._matches):
            task.cancel()  # before anything is awaited: a suspended match must not end now
        await asyncio.gather(*self._matches, return_exceptions=True)
        await self._suspend(suspended)
        for job in self._jobs:
            job.cancel()
        await asyncio.gather(*self._jobs, return_exceptions=True)
        written = await self.recorder.write()
        self.bots.close()
        log_event("drain.ended", written=written)

    def _can_end(self, job: PlannedMatch) -> bool:
        """Whether no bot is missing: during a drain an absent bot cannot reconnect."""
        match = self.referee.under_way.get(job.plan.id)
        lost = match.forfeited if match else ()
        bots = [self.bots.get(version) for seat, version in enumerate(job.versions) if seat not in lost]
        return all(bot and bot.is_connected for bot in bots)

    async def _suspend(self, matches: Sequence[SuspendedMatch]) -> None:
        """Store matches until the server runs again."""
        names = [match.header.match for match in matches]
        try:
            await to_thread.run_sync(self._files.save, matches)
        except ArenaError as error:
            log_event("match.abandoned", matches=names, why=str(error))
            return
        for name in names:
            why = "the server stops; the match continues when its bots are connected again"
            log_event("match.suspended", match=name, why=why)


async def keep_running(job: Callable[[], Coroutine[Any, Any, None]], pause: float) -> None:
    """Run a job until cancelled. Log unexpected exceptions and restart the job."""
    while True:
        try:
            await job()
        except Exception as error:  # noqa: BLE001, all bots depend on these jobs
            log_event("server.trouble", why=str(error), trace=traceback.format_exc())
            await asyncio.sleep(pause)
