"""The conductor's side of a cluster: batches out, results in, each match taken once.

Dask decides who plays a batch, and gives it to somebody else when a worker is gone. What it cannot mend is mended here:
batches that went down with the scheduler are handed out again, and so are those that a slow worker sits on while others
have nothing to do. Whatever comes twice is ignored.
"""

from __future__ import annotations

import asyncio
import pickle
import queue
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NamedTuple, Self

from distributed import Client, KilledWorker

from arena.errors import HostFault
from arena.records import MatchRecord
from arena.store.bots import BotVersion
from arena.store.home import Home
from arena.submissions.install import Installations
from arena.tournament.planner import PlannedMatch
from arena.tournament.runners.dask.cache import CachedBot
from arena.tournament.runners.dask.link import CORE, Link
from arena.tournament.runners.dask.worker import AT_A_TABLE, MatchBatch, Played, end_run, play_batch, receive_bot
from arena.tournament.runners.local import Pace, Runner
from arena.tournament.runners.worker import Spoiled, WorkerFailed, WorkerSetup

IN_STORE = 1
"""So many batches lie ready for each core, besides those that it plays."""
SMALLEST = 24
"""The matches of a batch, at the least."""
BY_THE_END = 8
"""No batch has more than one in so many of the matches that are left for each core."""
LOOK_EVERY = 1.0
"""Seconds between two looks at who is there."""
SLOW = 4.0
"""A batch that takes so many times as long as others is late."""
NEVER_LATE = 20.0
"""Seconds after which a batch may be late, at the earliest."""
PACE_OVER = 5.0
"""Seconds over which the pace of a worker is measured."""
GOODBYE = 3.0
"""Seconds that workers have to hear that a tournament is over; those that do not will notice with the next one."""
TRY_AGAIN_AFTER = 1.0
"""Seconds between two tries to reach a scheduler that is gone."""


@dataclass(slots=True, eq=False)
class Out:
    """A batch that is out."""

    jobs: dict[str, PlannedMatch]
    """By the name of the match."""
    key: str
    since: float
    doubled: bool = False
    """Whether it was handed out once more, because it is late."""


class Returned(NamedTuple):
    """A batch has been played."""

    number: int
    played: Played


class Lost(NamedTuple):
    """A batch will not be played."""

    number: int
    why: str
    by_workers: bool = False
    """Whether worker after worker has died over it."""


class Seen(NamedTuple):
    """Who is there: names and cores by address."""

    workers: Mapping[str, tuple[str, int]]


class Told(NamedTuple):
    """Something that the user should know."""

    what: str


Message = Returned | Lost | Seen | Told


def dask_runner(
    link: Link, home: Home, versions: Mapping[int, BotVersion]
) -> Callable[[WorkerSetup, int, int], Runner]:
    """Those who play on a cluster, as a conductor wants to have them made."""
    bots = {
        number: CachedBot(version.content_hash, version.program.partition("/")[2], version.bot, version.version)
        for number, version in versions.items()
    }
    installations = Installations(home.bots)
    by_content = {version.content_hash: version for version in versions.values()}

    def make(setup: WorkerSetup, jobs: int, at_once: int) -> Runner:
        del jobs  # the workers say how many cores they have
        return DaskRunner(link, setup, at_once, bots, lambda content: installations.archive(by_content[content]))

    return make


class DaskRunner(Runner):
    """Plays matches on the workers of a Dask cluster."""

    def __init__(
        self,
        link: Link,
        setup: WorkerSetup,
        at_once: int,
        bots: Mapping[int, CachedBot],
        pack: Callable[[str], bytes],
    ) -> None:
        """`bots`: by version; `pack` returns the archive of a content hash."""
        super().__init__(1, at_once)
        self.link = link
        self.setup = WorkerSetup({}, setup.limits, setup.settings, core=None)
        self.bots = bots
        self.pack = pack
        self.run = secrets.token_hex(8)
        self.client: Client | None = None
        self.workers: dict[str, tuple[str, int]] = {}
        self._open: dict[str, PlannedMatch] = {}
        """What has not been reported yet, by the name of the match."""
        self._forming: deque[PlannedMatch] = deque()
        """What is to be handed out with the next batch."""
        self._out: dict[int, Out] = {}
        self._handed_out = 0
        self._messages: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._took: deque[float] = deque(maxlen=50)
        """The seconds that the latest batches took."""
        self._landed: deque[tuple[float, str, int]] = deque()
        """When, from whom and how many matches came in."""
        self._first_landed: float | None = None
        self._next_try = 0.0
        self._deliveries: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._delivered: dict[tuple[str, str], float] = {}
        """When a worker had a content."""

    def __enter__(self) -> Self:
        self._connect(self.link.connect())
        return self

    def _connect(self, client: Client) -> None:
        self.client = client
        self._deliveries, self._delivered = {}, {}
        client.loop.add_callback(self._look_around, client)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Tells the workers that it is over, where they can be reached, and leaves."""
        client, self.client = self.client, None
        if client is None:
            return
        with suppress(Exception):  # the cluster may be gone, and this is only politeness
            if client.status == "running":
                asyncio.run_coroutine_threadsafe(self._say_goodbye(client), client.loop.asyncio_loop).result(GOODBYE)
        with suppress(Exception):
            client.close(timeout=GOODBYE)

    async def _say_goodbye(self, client: Client) -> None:
        await client.run(end_run, self.run, on_error="ignore")

    # Out

    @property
    def batch_size(self) -> int:
        """Of two batches at a table half is over on average, so they are as large as if each were alone there.

        Towards the end they become smaller, so that nobody has to wait for long until others have played theirs.
        """
        if self.left is None:
            return self.at_once
        return max(min(SMALLEST, self.at_once), min(self.at_once, self.left // (self.size * BY_THE_END)))

    @property
    def has_room(self) -> bool:
        return bool(self.workers) and len(self._open) < self.size * self.batch_size * (AT_A_TABLE + IN_STORE)

    def play(self, jobs: Sequence[PlannedMatch]) -> None:
        self._open.update({job.plan.id: job for job in jobs})
        self._forming.extend(jobs)

    def _hand_out(self) -> None:
        """Hands out what makes a batch, and less than that where somebody would have nothing to do."""
        if self.client is None or self.client.status != "running" or not self.workers:
            return
        while self._forming and (len(self._forming) >= self.batch_size or len(self._out) < self.size * AT_A_TABLE):
            idle = max(1, self.size * AT_A_TABLE - len(self._out))
            count = min(self.batch_size, -(-len(self._forming) // idle))  # what is left is for all that have room
            self._submit([self._forming.popleft() for _ in range(count)])
        if not self._forming and len(self._out) < self.size * AT_A_TABLE:
            self._double_a_late_one()

    def _double_a_late_one(self) -> None:
        if len(self.workers) < 2:
            return
        late_after = max(NEVER_LATE, SLOW * max(self._took, default=0.0))
        for out in list(self._out.values()):
            if not out.doubled and time.monotonic() - out.since > late_after:
                out.doubled = True
                if jobs := [job for name, job in out.jobs.items() if name in self._open]:
                    self._messages.put(Told("a worker is slow: others play its matches, too"))
                    self._submit(jobs, instead_of=out.key)
                return

    def _submit(self, jobs: Sequence[PlannedMatch], instead_of: str | None = None) -> None:
        client = self.client
        assert client is not None, "only what is connected is handed anything"
        number = self._handed_out
        self._handed_out += 1
        out = Out({job.plan.id: job for job in jobs}, f"arena-{self.run}-{number}", time.monotonic(), bool(instead_of))
        self._out[number] = out
        bots = {version: self.bots[version] for job in jobs for version in job.versions}
        packed = pickle.dumps(MatchBatch(self.run, self.setup, bots, jobs))
        client.loop.add_callback(self._follow, client, number, out.key, packed, instead_of)

    # In the thread of the client: these touch nothing but the queue, and what has been delivered

    async def _follow(self, client: Client, number: int, key: str, packed: bytes, instead_of: str | None) -> None:
        """Sees a batch through."""
        message: Message
        try:
            message = Returned(number, await self._played(client, key, packed, instead_of))
        except KilledWorker as error:
            message = Lost(
                number, f"the workers that played it have died: {error.last_worker.address}", by_workers=True
            )
        except (CancelledError, asyncio.CancelledError):
            message = Lost(number, "the scheduler was lost")
        except Exception as error:  # noqa: BLE001, whatever it is, the batch must not be forgotten
            message = Lost(number, f"{type(error).__name__}: {error}", by_workers=client.status == "running")
        self._messages.put(message)

    async def _played(self, client: Client, key: str, packed: bytes, instead_of: str | None) -> Played:
        others = await self._others(client, instead_of) if instead_of else None
        tries = 0
        while True:
            since = time.monotonic()
            future = client.submit(
                play_batch, packed, key=f"{key}-{tries}", resources={CORE: 1 / AT_A_TABLE}, workers=others, pure=False
            )
            try:
                played: Played = pickle.loads(await future)  # noqa: S301, the workers of our own cluster
            finally:
                future.release()  # Dask keeps results on the worker as long as somebody holds the future
            if played.trouble:
                self._messages.put(Told(f"worker {played.worker}: {played.trouble}, and they are sent anew"))
            if not played.lacking:
                return played
            tries += 1
            await asyncio.gather(*(self._deliver(client, played.address, content, since) for content in played.lacking))

    async def _others(self, client: Client, key: str) -> list[str] | None:
        """All workers but the one that has the task; None: whoever."""
        holding: Mapping[str, Sequence[str]] = await client.processing()
        slow = {worker for worker, keys in holding.items() if any(each.startswith(f"{key}-") for each in keys)}
        return [worker for worker in holding if worker not in slow] or None

    async def _deliver(self, client: Client, worker: str, content: str, wanted: float) -> None:
        """Sends a bot to a worker, unless that has happened since."""
        place = worker, content
        if self._delivered.get(place, wanted) > wanted:
            return
        if place not in self._deliveries:
            self._deliveries[place] = asyncio.ensure_future(self._send(client, worker, content))
        try:
            await self._deliveries[place]
        finally:
            self._deliveries.pop(place, None)

    async def _send(self, client: Client, worker: str, content: str) -> None:
        packed = await asyncio.to_thread(self.pack, content)
        await client.run(receive_bot, content, packed, workers=[worker], on_error="return")
        self._delivered[worker, content] = time.monotonic()

    async def _look_around(self, client: Client) -> None:
        """Sees who is there, until the client is closed."""
        while client.status != "closed":
            with suppress(OSError, AttributeError):  # no scheduler: `reports` sees that
                found: dict[str, Any] = await client.scheduler.identity()
                self._messages.put(
                    Seen(
                        {
                            address: (str(worker["name"]), int(worker["resources"][CORE]))
                            for address, worker in found["workers"].items()
                            if worker["resources"].get(CORE, 0) >= 1
                        }
                    )
                )
            await asyncio.sleep(LOOK_EVERY)

    # In

    def reports(self, timeout: float) -> Iterator[MatchRecord]:
        self._reconnect()
        self._play_again()
        self._hand_out()
        try:
            message = self._messages.get(timeout=timeout) if timeout else self._messages.get_nowait()
        except queue.Empty:
            return
        while True:
            if isinstance(message, Returned):
                yield from self._take(message)
            elif isinstance(message, Lost):
                self._take_back(message)
            elif isinstance(message, Seen):
                self._see(message.workers)
            else:
                self.notice = message.what
            if self._messages.empty():
                return
            message = self._messages.get()

    def _take(self, returned: Returned) -> Iterator[MatchRecord]:
        out = self._out.pop(returned.number, None)
        now = time.monotonic()
        if out is not None:
            self._took.append(now - out.since)
        count = 0
        for report in returned.played.reports:
            if isinstance(report, WorkerFailed):
                continue
            if isinstance(report, Spoiled):
                if self._open.pop(report.job.plan.id, None):
                    self._note_spoiled(report.job, f"worker {returned.played.worker}: {report.why}")
            elif self._open.pop(report.name, None):
                count += 1
                yield report
        if self._first_landed is None:
            self._first_landed = now  # what it brings was played before, while bots were starting
        else:
            self._landed.append((now, returned.played.worker, count))

    def _take_back(self, lost: Lost) -> None:
        """What is not on its way by another batch either is handed out again."""
        out = self._out.pop(lost.number, None)
        if out is None:
            return
        elsewhere = {name for other in self._out.values() for name in other.jobs}
        for name, job in out.jobs.items():
            if name not in self._open or name in elsewhere:
                continue
            if lost.by_workers:
                del self._open[name]
                self._note_spoiled(job, lost.why)
            else:
                self.spoiled += 1
                self.last_trouble = lost.why
                self._forming.append(job)

    def _see(self, workers: Mapping[str, tuple[str, int]]) -> None:
        before, self.workers = self.workers, dict(workers)
        self.size = max(1, sum(cores for _, cores in workers.values()))
        gone = sorted(name for address, (name, _) in before.items() if address not in workers)
        come = sorted(name for address, (name, _) in workers.items() if address not in before)
        if gone:
            self.notice = f"lost: {', '.join(gone)}; others play what was played there"
        elif come and before:
            self.notice = f"come: {', '.join(come)}"
        if gone or come or not workers:
            self.notice = self._notice(self.notice if before and workers else "")

    def _notice(self, news: str = "") -> str:
        if not self.workers:
            return f"no worker is there: start one with arena cluster worker {self.link.address}"
        workers = "1 worker" if len(self.workers) == 1 else f"{len(self.workers)} workers"
        cores = "1 core" if self.size == 1 else f"{self.size} cores"
        return f"{workers}, {cores}{f'; {news}' if news else ''}"

    def _reconnect(self) -> None:
        """Looks for a scheduler that was lost. The client itself has tried for a while before it closed."""
        if self.client is not None and self.client.status == "connecting":
            self.notice = f"the scheduler at {self.link.address} is gone: waiting for it"
        if self.client is None or self.client.status != "closed" or time.monotonic() < self._next_try:
            return
        try:
            self._connect(self.link.connect(timeout=TRY_AGAIN_AFTER))
        except HostFault:
            self._next_try = time.monotonic() + TRY_AGAIN_AFTER

    def keep_pace(self, matches_per_second: float, least: float, most: float) -> None:
        """By the average of some seconds: what comes in batches would make the next ones now large, now small."""
        over = self._forget_what_is_long_ago()
        landed = sum(count for _, _, count in self._landed)
        super().keep_pace(landed / max(1.0, over) if over else matches_per_second, least, most)

    def _forget_what_is_long_ago(self) -> float:
        """Returns the seconds over which what has landed is known."""
        now = time.monotonic()
        while self._landed and self._landed[0][0] < now - PACE_OVER:
            self._landed.popleft()
        return min(PACE_OVER, now - self._first_landed) if self._first_landed is not None else 0.0

    def paces(self) -> list[Pace]:
        over = self._forget_what_is_long_ago()
        counts = {name: 0 for name, _ in self.workers.values()}
        for _, name, count in self._landed:
            counts[name] = counts.get(name, 0) + count
        return [Pace(name, count / max(1.0, over)) for name, count in sorted(counts.items())]
