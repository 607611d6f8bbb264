"""The pool of bot processes: started when a match needs them, kept across matches, ended when idle or dead.

There are as many as memory and the limit of open files allow: starting a bot costs as much as a hundred matches.

1. A bot with several seats in a match has a process for each, because one seat must not see what another knows.
2. A process plays as many matches at once as its hello says.
3. Matches reserve their processes in one fixed order, so that no two matches wait for each other.
4. A bot that failed to start `start_attempts` times in a row is not started again.
5. A lack of resources on this machine is a `HostFault` and never the bot's failure. So is a bot that started before and
   is too slow to start on an overloaded machine.
6. A process that ends loses the match that it was thinking about. A new process continues its other matches.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import time
from collections import Counter
from collections.abc import AsyncIterator, Collection, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, BotDidNotStart, HostFault
from arena.protocol.batching import Batching
from arena.protocol.session import SessionSeat
from arena.referee.config import CONFIG, Settings
from arena.referee.host_load import HostLoad, share_of_memory_left
from arena.referee.launch import Launch
from arena.referee.processes.descriptors import (
    SpareDescriptors,
    bots_that_fit_into_open_files,
    need_descriptors,
    open_files,
)
from arena.referee.processes.process import BotProcess
from arena.replay import FaultKind
from arena.sandbox import Cell, SandboxView
from arena.sandbox.files import is_readable_by_all, readable_copy

Reserved = BotProcess | str
"""A reserved process, or why there is none."""


@dataclass(slots=True, eq=False)
class PoolEntry:
    """The process for one seat of a bot; restarted when it has died."""

    launch: Launch
    index: int
    """0 for the bot's first seat in a match, 1 for its second, and so on."""
    process: BotProcess | None = None
    excuses: int = 0
    """How many slow starts on an overloaded machine are no failures; none before the first good start."""
    failures: int = 0
    last_failure: str = ""
    deaths: int = 0
    """Processes in a row that ended in the middle of their matches with few answers before."""
    hangs: int = 0
    """Those of them that hung."""
    failed: set[BotProcess] = field(default_factory=set)
    """Processes that have failed, and whose matches the next one will continue."""
    queue: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by the match that waits for room in the process; others wait behind it."""
    starting: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def has_room(self) -> bool:
        """Whether its process is running and may start another match, and no match waits for that."""
        process = self.process
        if process is None or process.dead or self.failed or self.queue.locked():
            return False
        return process.matches < process.capacity


class ProcessPool:
    """All bot processes of a referee."""

    def __init__(
        self,
        settings: Settings,
        start_seconds: float,
        batching: Batching,
        address: str,
        folder: Path,
        load: HostLoad,
    ) -> None:
        """`address`: where bots connect to. `folder`: the referee's own, with the socket."""
        self.settings = settings
        self.start_seconds = start_seconds
        self.batching = batching
        self.address = address
        self.folder = folder
        self.load = load
        self.processes: dict[str, BotProcess] = {}
        """All processes that run or are being ended, by token."""
        self._entries: dict[tuple[Launch, int], PoolEntry] = {}
        self._copies: dict[Launch, Path] = {}
        self._background: set[asyncio.Task[None]] = set()
        self._closed = False
        self._spare = SpareDescriptors()
        self._checked_sockets = 0.0

    async def close(self) -> None:
        """End all processes."""
        self._closed = True
        await asyncio.gather(*(process.stop() for process in self.processes.values()))
        await asyncio.gather(*self._background, return_exceptions=True)
        self._spare.close()

    # Reserving

    async def reserve(self, launches: Sequence[Launch]) -> list[Reserved]:
        """Reserve a process for each seat of a match. Raise `HostFault` if this machine lacks resources."""
        occurrences: Counter[Launch] = Counter()
        entries: list[PoolEntry] = []
        for launch in launches:
            entries.append(self._entry(launch, occurrences[launch]))
            occurrences[launch] += 1
        reserved: dict[PoolEntry, Reserved] = {}
        for entry in sorted(entries, key=lambda entry: (entry.launch.label, entry.launch.command, entry.index)):
            try:
                reserved[entry] = await self._reserve(entry)
            except HostFault:
                self.release(reserved.values())
                raise
            except ArenaError as error:
                reserved[entry] = str(error)
        return [reserved[entry] for entry in entries]

    def reserve_now(self, launches: Sequence[Launch]) -> list[BotProcess] | None:
        """Reserve a process for each seat of a match if all of them are running and have room; otherwise None."""
        processes: list[BotProcess] = []
        for seat, launch in enumerate(launches):
            entry = self._entries.get((launch, launches[:seat].count(launch)))
            if entry is None or not entry.has_room:
                return None
            processes.append(entry.process)  # type: ignore[arg-type]
        for process in processes:
            process.matches += 1
        return processes

    def release(self, reserved: Iterable[Reserved]) -> None:
        """Give the processes back after a match."""
        for process in reserved:
            if isinstance(process, BotProcess):
                while process.successor is not None:
                    process = process.successor
                process.matches -= 1
                process.idle_since = time.monotonic()
                process.freed.set()

    async def start(self, launch: Launch) -> BotProcess:
        """Return a ready process of the bot. Raise an `ArenaError` if it does not get ready."""
        async with self.lease(launch) as process:
            return process

    @contextlib.asynccontextmanager
    async def lease(self, launch: Launch) -> AsyncIterator[BotProcess]:
        """Reserve a process of the bot for something other than a match."""
        process = await self._reserve(self._entry(launch, 0))
        try:
            yield process
        finally:
            self.release([process])

    def _entry(self, launch: Launch, index: int) -> PoolEntry:
        entry = self._entries.get((launch, index))
        if entry is None:
            entry = self._entries[launch, index] = PoolEntry(launch, index)
        return entry

    async def _reserve(self, entry: PoolEntry) -> BotProcess:
        async with entry.queue:
            while True:
                process = await self._running(entry)
                if process.matches + sum(each.matches for each in entry.failed) < process.capacity:
                    process.matches += 1
                    return process
                process.freed.clear()
                await process.freed.wait()

    # Starting

    async def _running(self, entry: PoolEntry) -> BotProcess:
        """Return a running process; start one if there is none."""
        async with entry.starting:
            if entry.process is None or entry.process.dead:
                entry.process = await self._launch(entry)
            return entry.process

    async def _launch(self, entry: PoolEntry) -> BotProcess:
        if entry.failures >= CONFIG.start_attempts:
            raise BotDidNotStart(entry.last_failure)
        self._evict()
        launch = entry.launch
        starting = sum(not process.hello.token for process in self.processes.values())
        await self._need_descriptors(CONFIG.files_per_bot + starting, launch.label)
        began, process = time.monotonic(), None
        try:
            cell = self._cell_for(launch)
            process = BotProcess(launch, self.address, self.settings, self.batching, cell, partial(self._failed, entry))
            self.processes[process.token] = process
            await process.wait_until_ready(self.start_seconds)
        except HostFault:
            raise
        except ArenaError as error:
            need_descriptors(1, launch.label)  # without a descriptor its connection could not be accepted
            if process and process.is_slow_to_start and entry.excuses and self.load.overloaded_since(began):
                entry.excuses -= 1
                raise HostFault(f"{error} It started in time before, and the machine is overloaded now.") from error
            entry.failures += 1
            entry.last_failure = str(error)
            raise
        entry.failures = 0
        entry.excuses = CONFIG.excused_starts
        return process

    def _cell_for(self, launch: Launch) -> Cell:
        sandbox = self.settings.sandbox
        view = SandboxView(launch.folder, launch.file or launch.folder, socket=self.folder / "socket")
        try:
            if sandbox.is_isolated:
                view = replace(view, source=self._readable(launch))
            return sandbox.cell(view)
        except OSError as error:
            raise HostFault(f"{launch.label} was not started: no sandbox: {error.strerror or error}.") from error

    def _readable(self, launch: Launch) -> Path:
        """Return the bot's files, or a copy if the user that bots run as may not read them."""
        source = launch.file or launch.folder
        if launch not in self._copies:
            hidden = os.geteuid() == 0 and not is_readable_by_all(source)
            target = self.folder / f"copy-{len(self._copies)}"
            if hidden and target.exists():  # the rest of a copy that failed
                shutil.rmtree(target)
            self._copies[launch] = readable_copy(source, target) if hidden else source
        return self._copies[launch]

    async def _need_descriptors(self, count: int, who: str) -> None:
        """Raise `HostFault` if fewer than `count` files can be opened, even after ending bots that take too many."""
        for _ in range(CONFIG.descriptor_attempts):
            try:
                return need_descriptors(count, who)
            except HostFault:
                self._check_sockets()
                await asyncio.sleep(CONFIG.tick)
        return need_descriptors(count, who)

    # Continuing after a failure

    def _failed(self, entry: PoolEntry, process: BotProcess, kind: FaultKind, detail: str) -> None:
        """Lose the match that the process was thinking about, and continue the others with a new process."""
        seats, thinking_about = process.abandon(kind)
        if process.session.answered < CONFIG.few_answers:
            entry.deaths += 1
            entry.hangs += kind is FaultKind.TIMEOUT
        else:
            entry.deaths = entry.hangs = 0
        is_given_up = entry.deaths > CONFIG.restarts or entry.hangs > CONFIG.restarts_after_hangs
        if is_given_up:
            detail = f"{detail} This is failure {entry.deaths} in a row, so it is not started again."
            thinking_about = seats
            entry.deaths = entry.hangs = 0
        if is_given_up or len(thinking_about) == 1:
            for seat in thinking_about:
                seat.forfeit(kind, detail)
            thinking_about = []
        seats = [seat for seat in seats if not seat.forfeited]
        process.freed.set()  # a match that waits for it needs another one
        if seats and not self._closed:
            entry.failed.add(process)
            process.child.log.note(f"{len(seats)} other matches continue with a new process")
            self._in_background(self._continue(entry, process, seats, thinking_about, kind, detail))

    async def _continue(
        self,
        entry: PoolEntry,
        process: BotProcess,
        seats: Sequence[SessionSeat],
        suspects: Collection[SessionSeat],
        kind: FaultKind,
        detail: str,
    ) -> None:
        try:
            successor = await self._running(entry)
        except ArenaError as error:
            for seat in seats:
                if isinstance(error, HostFault):
                    seat.spoil(error)
                seat.forfeit(kind, f"{detail} It could not be started again: {error}")
            return
        finally:
            entry.failed.discard(process)
        process.successor = successor
        successor.matches += process.matches
        successor.session.take_over(process.session, seats, suspects)

    def _in_background(self, job: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(job)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    # Watching and ending

    def check(self) -> None:
        """Check all clocks and limits, and end processes that are dead or idle for long. Called at every tick."""
        now = time.monotonic()
        if now - self._checked_sockets > CONFIG.socket_interval:
            self._checked_sockets = now
            self._check_sockets()
        for process in list(self.processes.values()):
            if process.dead:
                self._retire(process)
            with contextlib.suppress(OSError):  # no open files left, for instance: try again at the next tick
                if not process.dead:
                    process.check_time()
                    process.check_pondering()
                process.check_limits(now)
            if process.idle and process.idle_since < now - self.settings.idle_seconds:
                self._retire(process)

    def _check_sockets(self) -> None:
        """End bots with too many connections, if more files are open than expected."""
        with self._spare.lent():
            if open_files() > CONFIG.usual_files + CONFIG.files_per_bot * len(self.processes):
                for process in list(self.processes.values()):
                    process.check_sockets()

    def _evict(self) -> None:
        """End idle processes, the longest idle first, if memory or open files are short."""
        excess = len(self.processes) - bots_that_fit_into_open_files() + 1
        if share_of_memory_left() < CONFIG.spare_memory:
            excess = max(excess, CONFIG.ended_for_memory)
        if excess > 0:
            idle = sorted((each for each in self.processes.values() if each.idle), key=lambda each: each.idle_since)
            for process in idle[:excess]:
                self._retire(process)

    def _retire(self, process: BotProcess) -> None:
        """End a process in the background."""
        if process.stopped:
            return
        process.dead = True
        process.stopped = True

        async def stop() -> None:
            await process.stop()
            self.processes.pop(process.token, None)

        self._in_background(stop())
