"""A worker: a process with its own referee, bound to one core, that plays the matches it receives through a pipe.

When the other end of the pipe is closed, for whatever reason, the worker ends its bots and itself.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

import uvloop

from arena.errors import HostFault
from arena.garbage import rare_collection
from arena.interrupts import ignore_in_worker
from arena.records import MatchRecord
from arena.referee import Launch, Limits, Outcome, Referee, Settings
from arena.tournament.config import CONFIG
from arena.tournament.live import LiveFolder, LiveWriter
from arena.tournament.planner import PlannedMatch
from arena.tournament.recording import make_record


class Spoiled(NamedTuple):
    """A match that could not be played because of the host; no bot is to blame."""

    match: PlannedMatch
    reason: str


class WorkerFailed(NamedTuple):
    """The last message of a worker that ends because of an error."""

    reason: str


Report = MatchRecord | Spoiled | WorkerFailed


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """What a worker knows from the start."""

    launches: Mapping[int, Launch]
    """How each bot is started, by the id of its version."""
    limits: Limits
    settings: Settings
    core: int | None
    """The core that the worker and its bots are bound to; None: any."""
    live: Path | None = None
    """The folder of the live files; None: write none."""


def work(connection: Connection, setup: WorkerSetup) -> None:
    """Run a worker until its pipe is closed."""
    ignore_in_worker()
    if setup.core is not None:
        os.sched_setaffinity(0, {setup.core})
    try:
        with rare_collection():
            uvloop.run(Worker(connection, setup).work())
    except (BrokenPipeError, ConnectionResetError):
        pass  # the conductor has ended
    except Exception as error:  # noqa: BLE001, the conductor must know any reason
        connection.send([WorkerFailed(f"{type(error).__name__}: {error}")])


class Worker:
    """Plays the matches that come through the pipe and sends back their records."""

    def __init__(self, connection: Connection, setup: WorkerSetup) -> None:
        self.connection = connection
        self.setup = setup
        self.launches = dict(setup.launches)
        self.reports: list[Report] = []
        self.waiting: set[asyncio.Task[None]] = set()
        """Matches whose bots are not running yet."""

    async def work(self) -> None:
        loop = asyncio.get_running_loop()
        self.closed: asyncio.Future[None] = loop.create_future()
        async with Referee(self.setup.limits, self.setup.settings) as self.referee:
            loop.add_reader(self.connection.fileno(), self.receive)
            os.set_blocking(self.connection.fileno(), True)  # uvloop changed it, but long messages arrive in parts
            async with self.live_files():
                await self.closed
            loop.remove_reader(self.connection.fileno())
            for match in self.waiting:
                match.cancel()
            await asyncio.gather(*self.waiting, return_exceptions=True)

    @asynccontextmanager
    async def live_files(self) -> AsyncIterator[None]:
        if self.setup.live is None:
            yield
            return
        writer = LiveWriter(LiveFolder(self.setup.live), self.referee.under_way)
        writing = asyncio.create_task(writer.run())
        try:
            yield
        finally:
            writing.cancel()
            writer.close()

    def receive(self) -> None:
        try:
            received: list[PlannedMatch] | dict[int, Launch] | None = self.connection.recv()
        except (EOFError, OSError):
            received = None
        if received is None:
            self.close()
        elif isinstance(received, dict):
            self.launches.update(received)
        else:
            for match in received:
                self.play(match)

    def play(self, match: PlannedMatch) -> None:
        try:
            launches = [self.launches[version] for version in match.versions]
            waiting = self.referee.play_soon(match.plan, launches, partial(self.report, match))
        except Exception as error:  # noqa: BLE001, the other matches must continue
            self.report(match, HostFault(f"{type(error).__name__}: {error}"))
            return
        if waiting:
            self.waiting.add(waiting)
            waiting.add_done_callback(self.waiting.discard)

    def report(self, match: PlannedMatch, end: Outcome | HostFault) -> None:
        if isinstance(end, HostFault):
            report: Report = Spoiled(match, str(end))
        else:
            report = make_record(match, end, self.setup.settings.sandbox.tier.value)
        if not self.reports:
            asyncio.get_running_loop().call_later(CONFIG.report_delay, self.send)
        self.reports.append(report)

    def send(self) -> None:
        """Send the collected reports."""
        reports, self.reports = self.reports, []
        try:
            self.connection.send(reports)
        except OSError:
            self.close()

    def close(self) -> None:
        if not self.closed.done():
            self.closed.set_result(None)
