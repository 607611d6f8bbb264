"""Writes the ladder's finished matches to the store in the background.

A match is logged as `match.ended` when it is on disk. What cannot be written is kept and tried again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from anyio import to_thread

from arena.errors import ArenaError
from arena.records import BlockRecord
from arena.referee import Outcome
from arena.server.config import ServerConfig
from arena.server.ladder_record import LadderBracket, LadderRecord
from arena.server.log import log_event
from arena.server.metrics import Metrics
from arena.tournament.planner import PlannedMatch


class StoreHealth:
    """Logs a failure of the store once, however often it is met, and its end."""

    def __init__(self) -> None:
        self._failure = ""

    def failed(self, error: Exception) -> None:
        failure = str(error) if isinstance(error, ArenaError) else repr(error)
        if failure != self._failure:
            self._failure = failure
            log_event("store.failed", why=failure)

    def works(self) -> None:
        if self._failure:
            self._failure = ""
            log_event("store.back")


class MatchRecorder:
    """Collects finished matches and writes them every moment."""

    def __init__(self, record: LadderRecord, config: ServerConfig, metrics: Metrics) -> None:
        self.record = record
        self.config = config
        self.metrics = metrics
        self.health = StoreHealth()
        self._announcements: dict[str, Callable[[], None]] = {}
        """By match: logs that it has ended, once it is on disk."""

    @property
    def is_full(self) -> bool:
        """Whether too many matches wait for the store."""
        return self.record.unwritten > self.config.max_unwritten

    def add(self, bracket: LadderBracket, job: PlannedMatch, block: BlockRecord, outcome: Outcome) -> None:
        """Take a finished match."""
        self._announcements[job.plan.id] = partial(
            log_event,
            "match.ended",
            match=job.plan.id,
            bots=list(job.plan.bots),
            places=", ".join(map(str, outcome.result.placements)),
            faults=[f"{job.plan.bots[fault.seat]}: {fault.fault.value}" for fault in outcome.faults] or None,
        )
        bracket.add(job, block, outcome)
        self.metrics.count(bracket.bracket.name, outcome)
        self.metrics.unwritten.set(self.record.unwritten)

    async def run(self) -> None:
        """Write until cancelled."""
        while True:
            await asyncio.sleep(self.config.write_interval)
            await self.write()

    async def write(self) -> bool:
        """Write all finished matches. Return False if the store failed."""
        try:
            await to_thread.run_sync(self.record.write)
        except Exception as error:  # noqa: BLE001, the matches are kept, and the next write may succeed
            self.health.failed(error)
            return False
        finally:
            self.metrics.unwritten.set(self.record.unwritten)
        written = await to_thread.run_sync(self.record.take_written)
        if written:
            self.health.works()
        for name in written:  # also those of a write that was cancelled before it was announced
            self._announcements.pop(name)()
        return True
