"""A worker: a process with a referee of its own, on a core of its own, that plays the matches it is handed.

It lives as long as the pipe to the conductor: when the conductor is gone, whatever the reason, the worker ends its bots
and itself.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

import uvloop

from arena import interrupts
from arena.errors import HostFault
from arena.records import MatchRecord
from arena.referee import Launch, Limits, Referee, Settings
from arena.tournament.live import Broadcaster, LiveFolder
from arena.tournament.planner import PlannedMatch
from arena.tournament.recording import make_record

SEND_AFTER = 0.05
"""Seconds for which reports are collected: each message to the conductor takes the core from the bots for a moment."""


class Spoiled(NamedTuple):
    """A match that could not be played because the host lacked something: nobody's fault at the table."""

    job: PlannedMatch
    why: str


class WorkerFailed(NamedTuple):
    """The worker itself has failed."""

    why: str


Report = MatchRecord | Spoiled | WorkerFailed


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """What a worker needs to know from the start."""

    programs: Mapping[int, Launch]
    """By the id of the bot version."""
    limits: Limits
    settings: Settings
    core: int | None
    """The core that it and its bots are bound to."""
    live: Path | None = None
    """The folder in which matches are shown to spectators; None: they are not."""


def work(connection: Connection, setup: WorkerSetup) -> None:
    """The whole life of a worker process."""
    interrupts.ignore_in_worker()
    if setup.core is not None:
        os.sched_setaffinity(0, {setup.core})
    try:
        uvloop.run(Worker(connection, setup).work())
    except (BrokenPipeError, ConnectionResetError):
        pass  # the conductor is gone
    except Exception as error:  # noqa: BLE001, whatever it is, the conductor must hear of it
        connection.send([WorkerFailed(f"{type(error).__name__}: {error}")])


class Worker:
    """Plays what comes through the pipe and sends back what came of it."""

    def __init__(self, connection: Connection, setup: WorkerSetup) -> None:
        self.connection = connection
        self.setup = setup
        self.programs = dict(setup.programs)
        self.reports: list[Report] = []
        self.matches: set[asyncio.Task[None]] = set()

    async def work(self) -> None:
        loop = asyncio.get_running_loop()
        self.over: asyncio.Future[None] = loop.create_future()
        async with Referee(self.setup.limits, self.setup.settings) as self.referee:
            loop.add_reader(self.connection.fileno(), self.receive)
            async with self.shown_to_spectators():
                await self.over
            loop.remove_reader(self.connection.fileno())
            for match in self.matches:
                match.cancel()
            await asyncio.gather(*self.matches, return_exceptions=True)

    @asynccontextmanager
    async def shown_to_spectators(self) -> AsyncIterator[None]:
        if self.setup.live is None:
            yield
            return
        broadcaster = Broadcaster(LiveFolder(self.setup.live), self.referee.under_way)
        showing = asyncio.create_task(broadcaster.run())
        try:
            yield
        finally:
            showing.cancel()
            broadcaster.close()

    def receive(self) -> None:
        try:
            jobs: list[PlannedMatch] | dict[int, Launch] | None = self.connection.recv()
        except (EOFError, OSError):
            jobs = None
        if jobs is None:
            if not self.over.done():
                self.over.set_result(None)
            return
        if isinstance(jobs, dict):  # bots that have come since
            self.programs.update(jobs)
            return
        for job in jobs:
            task = asyncio.create_task(self.play(job))
            self.matches.add(task)
            task.add_done_callback(self.matches.discard)

    async def play(self, job: PlannedMatch) -> None:
        try:
            outcome = await self.referee.play(job.plan, [self.programs[version] for version in job.versions])
            report: Report = make_record(job, outcome, self.setup.settings.sandbox.tier.value)
        except HostFault as error:
            report = Spoiled(job, str(error))
        except Exception as error:  # noqa: BLE001, one match that cannot be played must not take the others along
            report = Spoiled(job, f"{type(error).__name__}: {error}")
        if not self.reports:
            asyncio.get_running_loop().call_later(SEND_AFTER, self.send)
        self.reports.append(report)

    def send(self) -> None:
        """Sends what has come together."""
        reports, self.reports = self.reports, []
        try:
            self.connection.send(reports)
        except OSError:
            if not self.over.done():
                self.over.set_result(None)
