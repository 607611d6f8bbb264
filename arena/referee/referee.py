"""The referee: plays any number of matches between bots at the same time.

    async with Referee(limits) as referee:
        outcome = await referee.play(plan, launches)

A bot that fails loses its own seat only: the house plays on for it and the match is finished.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from arena.errors import HostFault
from arena.protocol.batching import Batching
from arena.referee.config import CONFIG, Settings
from arena.referee.host_load import HostLoad
from arena.referee.launch import Launch
from arena.referee.match import Limits, Match, MatchPlan, Outcome
from arena.referee.processes.descriptors import allow_open_files, need_descriptors
from arena.referee.processes.guard import Guard
from arena.referee.processes.pool import ProcessPool, Reserved
from arena.referee.processes.process import BotProcess
from arena.referee.seats import Player, SeatedMatch
from arena.referee.server import RefereeServer
from arena.replay import FaultKind


class Referee:
    """Plays matches, with a pool of bot processes and the server that they connect to."""

    pool: ProcessPool

    def __init__(self, limits: Limits | None = None, settings: Settings | None = None) -> None:
        self.limits = limits or Limits()
        self.settings = settings or Settings()
        self.batching = Batching(self.settings.hold)
        self.under_way: dict[str, Match] = {}
        """The matches that are being played, by id, the latest last."""
        self.faults: Counter[FaultKind] = Counter()
        self.load = HostLoad()

    async def __aenter__(self) -> Self:
        allow_open_files()
        need_descriptors(CONFIG.files_to_serve, "the referee")
        self.folder = Path(tempfile.mkdtemp(prefix="arena-"))
        self._server = RefereeServer(self.folder, self.settings)
        self.pool = ProcessPool(
            self.settings, self.limits.start, self.batching, self._server.address, self.folder, self.load
        )
        await self._server.start(self.pool.processes)
        self._guard = Guard(self.folder)
        self._clock = asyncio.create_task(self._tick())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._clock.cancel()
        await self.pool.close()
        self._guard.dismiss()
        await self._server.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def address(self) -> str:
        """Where bots connect to."""
        return self._server.address

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(CONFIG.tick)
            self.load.sample(CONFIG.tick)
            self.pool.check()

    async def play(
        self,
        plan: MatchPlan,
        contestants: Sequence[Launch | Player | None],
        limits: Limits | None = None,
        watch: Callable[[Match], None] | None = None,
        match: Match | None = None,
    ) -> Outcome:
        """Play one match between these, in seat order. Any number of calls may run at the same time.

        A contestant is a bot to start, or a player that exists already: a person, or a remote bot's session. `limits`
        are for this match only. `watch` is called after every answer and fault. `match` continues a match that was
        suspended; None stands for a forfeited seat then. Raise `HostFault` if this machine lacks what it takes to
        start a bot: then no bot has lost.
        """
        match = match or Match(plan, limits or self.limits)
        reserved = await self._reserve([bot for bot in contestants if isinstance(bot, Launch)])
        over: asyncio.Future[Outcome | HostFault] = asyncio.get_running_loop().create_future()
        # A cancelled match may still end, when its players leave.
        under_way = MatchUnderWay(self, match, reserved, lambda end: None if over.done() else over.set_result(end))
        try:
            under_way.start(contestants, watch)
            end = await over
        finally:
            under_way.leave()
        if isinstance(end, HostFault):
            raise end
        return end

    def play_soon(
        self, plan: MatchPlan, bots: Sequence[Launch], on_end: Callable[[Outcome | HostFault], None]
    ) -> asyncio.Task[None] | None:
        """Play one match between these bots, and call `on_end` with its outcome.

        The match starts at once if all its bots are running, without a task of its own. Otherwise return the task that
        waits for the bots; if it is cancelled before the match begins, `on_end` is not called.
        """
        match = Match(plan, self.limits)
        if reserved := self.pool.reserve_now(bots):
            MatchUnderWay(self, match, reserved, on_end).start(bots)
            return None
        return asyncio.create_task(self._play_later(match, bots, on_end))

    async def _play_later(
        self, match: Match, bots: Sequence[Launch], on_end: Callable[[Outcome | HostFault], None]
    ) -> None:
        try:
            reserved = await self._reserve(bots)
        except HostFault as error:
            on_end(error)
        except Exception as error:  # noqa: BLE001, the match must end, for whatever reason
            on_end(HostFault(f"{type(error).__name__}: {error}"))
        else:
            MatchUnderWay(self, match, reserved, on_end).start(bots)

    async def _reserve(self, bots: Sequence[Launch]) -> list[Reserved]:
        """Reserve a process for each of the bots; again, if one ended in another match while this one waited."""
        reserved = await self.pool.reserve(bots)
        for _ in range(CONFIG.restarts):
            if not any(isinstance(process, BotProcess) and process.dead for process in reserved):
                break
            self.pool.release(reserved)
            reserved = await self.pool.reserve(bots)
        return reserved


class MatchUnderWay:
    """A match that is being played, with the bot processes that are reserved for it."""

    __slots__ = ("began", "has_left", "match", "on_end", "referee", "reserved")

    def __init__(
        self,
        referee: Referee,
        match: Match,
        reserved: Sequence[Reserved],
        on_end: Callable[[Outcome | HostFault], None],
    ) -> None:
        self.referee = referee
        self.match = match
        self.reserved = reserved
        """For each seat with a bot to start, in order."""
        self.on_end = on_end
        self.began = time.monotonic()
        self.has_left = False
        referee.under_way[match.plan.id] = match

    def start(
        self, contestants: Sequence[Launch | Player | None], watch: Callable[[Match], None] | None = None
    ) -> None:
        """Seat the players and ask the first one."""
        reserved = iter(self.reserved)
        players: list[Player | None] = []
        for seat, contestant in enumerate(contestants):
            if isinstance(contestant, Launch):
                players.append(self._seat_bot(seat, contestant, next(reserved)))
            else:
                players.append(contestant)
        SeatedMatch(self.match, players, self._end, watch).start()

    def _seat_bot(self, seat: int, bot: Launch, process: Reserved) -> Player | None:
        """Return the session of the seat's bot process. Forfeit the seat if there is none that can play."""
        game = self.match.plan.game
        if isinstance(process, str):
            why_not = process
        elif game not in process.games:
            why_not = f"{bot.label} does not play {game}."
        elif process.dead:
            why_not = f"{bot.label} ended before the match began."
        else:
            return process.session
        self.match.forfeit(seat, FaultKind.START, why_not)
        return None

    def _end(self) -> None:
        match, referee = self.match, self.referee
        took = time.monotonic() - self.began
        self.leave()
        if match.spoiled_by:
            self.on_end(match.spoiled_by)
            return
        outcome = match.outcome(took_ms=1000 * took, overloaded=referee.load.overloaded_since(self.began))
        if outcome.faults:
            referee.faults.update(fault.fault for fault in outcome.faults)
        self.on_end(outcome)

    def leave(self) -> None:
        """Give the bot processes back."""
        if not self.has_left:
            self.has_left = True
            self.referee.under_way.pop(self.match.plan.id, None)
            self.referee.pool.release(self.reserved)
