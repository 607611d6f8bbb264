"""The conductor's side of a cluster: batches out, results in, each match taken once.

Dask decides which worker plays a batch, and gives it to another one when a worker is lost. The rest is done here:
batches that were lost with the scheduler are submitted again, and so are those of a stalled worker while others are
idle. Results that arrive twice are ignored.
"""

from __future__ import annotations

import asyncio
import itertools
import pickle
import queue
import secrets
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from distributed import Client, KilledWorker

from arena.errors import HostFault
from arena.records import MatchRecord
from arena.requests import ClusterAddress
from arena.store.bots import BotVersion
from arena.store.home import Home
from arena.submissions.install import Installations
from arena.tournament.config import CONFIG
from arena.tournament.outcome import WorkerPace
from arena.tournament.planner import PlannedMatch
from arena.tournament.runners.base import MakeRunner, Runner
from arena.tournament.runners.dask.link import CORE, connect
from arena.tournament.runners.dask.worker import MatchBatch, PlayedBatch, end_run, play_batch, receive_bot
from arena.tournament.runners.worker import Spoiled, WorkerSetup


@dataclass(slots=True, eq=False)
class SubmittedBatch:
    """A batch that is not returned yet."""

    key: str
    matches: dict[str, PlannedMatch]
    """By name."""
    since: float
    is_doubled: bool = False
    """Whether it was submitted once more because it is late."""

    def spoiled(self, reason: str) -> PlayedBatch:
        return PlayedBatch([Spoiled(match, reason) for match in self.matches.values()])


class ClusterWorker(NamedTuple):
    """A worker of the cluster."""

    name: str
    cores: int


def dask_runner(cluster: ClusterAddress, home: Home, versions: Mapping[int, BotVersion]) -> MakeRunner:
    """Return the function that makes a runner on a cluster."""
    return lambda setup, _, at_once: DaskRunner(cluster, setup, at_once, versions, Installations(home.bots))


class DaskRunner(Runner):
    """Plays matches on the workers of a Dask cluster."""

    def __init__(
        self,
        cluster: ClusterAddress,
        setup: WorkerSetup,
        at_once: int,
        bots: Mapping[int, BotVersion],
        installations: Installations,
    ) -> None:
        """`bots`: by the id of the version."""
        super().__init__(1, at_once)
        self.cluster = cluster
        self.setup = WorkerSetup({}, setup.limits, setup.settings, core=None)
        self.bots = bots
        self.installations = installations
        self.run = secrets.token_hex(8)
        self.client: Client | None = None
        self.workers: Mapping[str, ClusterWorker] = {}
        """By address."""
        self._open: dict[str, PlannedMatch] = {}
        """Matches that are not reported yet, by name."""
        self._unsubmitted: deque[PlannedMatch] = deque()
        self._submitted: dict[str, SubmittedBatch] = {}
        """By key."""
        self._numbers = itertools.count()
        self._returns: queue.SimpleQueue[tuple[SubmittedBatch, PlayedBatch | None]] = queue.SimpleQueue()
        """None: the batch was lost with the scheduler."""
        self._durations: deque[float] = deque(maxlen=50)
        """The seconds that the latest batches took."""
        self._returned: deque[tuple[float, str, int]] = deque()
        """When which worker returned how many matches."""
        self._first_return: float | None = None
        self._next_connect = 0.0
        self._deliveries: dict[tuple[str, str], asyncio.Task[float]] = {}
        """By the address of the worker and the content hash; the result is the time of arrival."""

    def __enter__(self) -> Self:
        self._use(connect(self.cluster))
        return self

    def _use(self, client: Client) -> None:
        self.client = client
        self._deliveries = {}
        client.loop.add_callback(self._scan, client)

    def close(self) -> None:
        """Tell the workers that the tournament has ended. One that is not reached notices with the next one."""
        client, self.client = self.client, None
        if client is None:
            return

        async def end() -> None:
            await client.run(end_run, self.run, on_error="ignore")

        with suppress(Exception):
            if client.status == "running":
                ended = asyncio.run_coroutine_threadsafe(end(), client.loop.asyncio_loop)
                ended.result(CONFIG.close_timeout)
        with suppress(Exception):
            client.close(timeout=CONFIG.close_timeout)

    # Out

    @property
    def batch_size(self) -> int:
        """The size of the next batch. Smaller towards the end, so that no worker waits long for another.

        On average half of the two concurrent batches of a core has ended, so each may be as large as a single one.
        """
        if self.left is None:
            return self.at_once
        least = min(CONFIG.min_batch, self.at_once)
        return max(least, min(self.at_once, self.left // (self.size * CONFIG.final_batches)))

    @property
    def has_room(self) -> bool:
        batches = CONFIG.batches_per_core + CONFIG.queued_batches
        return bool(self.workers) and len(self._open) < self.size * self.batch_size * batches

    def play(self, matches: Sequence[PlannedMatch]) -> None:
        self._open.update({match.plan.id: match for match in matches})
        self._unsubmitted.extend(matches)

    def _submit_due(self) -> None:
        """Submit full batches, and smaller ones while there are idle cores."""
        if self.client is None or self.client.status != "running" or not self.workers:
            return
        capacity = self.size * CONFIG.batches_per_core
        while self._unsubmitted and (len(self._unsubmitted) >= self.batch_size or len(self._submitted) < capacity):
            idle = max(1, capacity - len(self._submitted))
            count = min(self.batch_size, -(-len(self._unsubmitted) // idle))  # divide the rest among the idle
            self._submit(self.client, [self._unsubmitted.popleft() for _ in range(count)])
        if not self._unsubmitted and len(self._submitted) < capacity and len(self.workers) > 1:
            self._double_late_batch(self.client)

    def _double_late_batch(self, client: Client) -> None:
        late_after = max(CONFIG.late_after, CONFIG.late_factor * max(self._durations, default=0.0))
        for batch in self._submitted.values():
            if not batch.is_doubled and time.monotonic() - batch.since > late_after:
                batch.is_doubled = True
                if matches := [match for name, match in batch.matches.items() if name in self._open]:
                    self.notice = "a worker is slow: its matches are played by others, too"
                    self._submit(client, matches, instead_of=batch.key)
                return

    def _submit(self, client: Client, matches: Sequence[PlannedMatch], instead_of: str | None = None) -> None:
        key = f"arena-{self.run}-{next(self._numbers)}"
        batch = SubmittedBatch(key, {match.plan.id: match for match in matches}, time.monotonic(), bool(instead_of))
        self._submitted[key] = batch
        bots = {version: self.bots[version] for match in matches for version in match.versions}
        packed = pickle.dumps(MatchBatch(self.run, self.setup, bots, matches))
        client.loop.add_callback(self._follow, client, batch, packed, instead_of)

    # In the thread of the client

    async def _follow(self, client: Client, batch: SubmittedBatch, packed: bytes, instead_of: str | None) -> None:
        """Wait for the result of a batch."""
        played = None
        try:
            played = await self._played(client, batch.key, packed, instead_of)
        except KilledWorker as error:
            played = batch.spoiled(f"the workers that played it have died: {error.last_worker.address}")
        except (CancelledError, asyncio.CancelledError):
            pass  # the scheduler was lost
        except Exception as error:  # noqa: BLE001, no batch may be forgotten
            if client.status == "running":
                played = batch.spoiled(f"{type(error).__name__}: {error}")
        self._returns.put((batch, played))

    async def _played(self, client: Client, key: str, packed: bytes, instead_of: str | None) -> PlayedBatch:
        """Play a batch; send bots that the worker lacks and try again."""
        others = await self._others(client, instead_of) if instead_of else None
        attempt = 0
        while True:
            since = time.monotonic()
            resources = {CORE: 1 / CONFIG.batches_per_core}
            future = client.submit(
                play_batch, packed, key=f"{key}-{attempt}", resources=resources, workers=others, pure=False
            )
            try:
                played: PlayedBatch = pickle.loads(await future)  # noqa: S301, the workers of our own cluster
            finally:
                future.release()  # Dask keeps a result on the worker while there is a future
            if not played.lacking:
                return played
            for why in filter(None, played.lacking.values()):
                self.notice = f"worker {played.worker}: {why}, and they are sent again"
            attempt += 1
            await asyncio.gather(*(self._deliver(client, played.address, content, since) for content in played.lacking))

    async def _others(self, client: Client, key: str) -> list[str] | None:
        """Return all workers but the one that has the task; None: any."""
        processing: Mapping[str, Sequence[str]] = await client.processing()
        return [
            worker for worker, keys in processing.items() if not any(each.startswith(f"{key}-") for each in keys)
        ] or None

    async def _deliver(self, client: Client, worker: str, content: str, since: float) -> None:
        """Send a bot to a worker that lacked it at a time, unless it has arrived after that."""
        place = worker, content
        sending = self._deliveries.get(place)
        if sending is None or (sending.done() and (sending.exception() or sending.result() <= since)):
            sending = self._deliveries[place] = asyncio.ensure_future(self._send(client, worker, content))
        await sending

    async def _send(self, client: Client, worker: str, content: str) -> float:
        bot = next(bot for bot in self.bots.values() if bot.content_hash == content)
        archive = await asyncio.to_thread(self.installations.archive, bot)
        await client.run(receive_bot, content, archive, workers=[worker], on_error="return")
        return time.monotonic()

    async def _scan(self, client: Client) -> None:
        """Keep the list of workers up to date until the client is closed."""
        while client.status != "closed":
            with suppress(OSError, AttributeError):  # no scheduler: `_reconnect` notices
                found: dict[str, Any] = await client.scheduler.identity()
                self._update_workers(
                    {
                        address: ClusterWorker(str(worker["name"]), int(worker["resources"][CORE]))
                        for address, worker in found["workers"].items()
                        if worker["resources"].get(CORE, 0) >= 1
                    }
                )
            await asyncio.sleep(CONFIG.scan_interval)

    def _update_workers(self, workers: Mapping[str, ClusterWorker]) -> None:
        before, self.workers = self.workers, workers
        self.size = max(1, sum(worker.cores for worker in workers.values()))
        lost = sorted(worker.name for address, worker in before.items() if address not in workers)
        new = sorted(worker.name for address, worker in workers.items() if address not in before)
        if not workers:
            self.notice = f"the cluster has no workers: start one with arena cluster worker {self.cluster.address}"
        elif lost or new:
            count = "1 worker" if len(workers) == 1 else f"{len(workers)} workers"
            cores = "1 core" if self.size == 1 else f"{self.size} cores"
            news = f"; lost: {', '.join(lost)}" if lost else f"; new: {', '.join(new)}" if before else ""
            self.notice = f"{count}, {cores}{news}"

    # In

    def reports(self, timeout: float) -> Iterator[MatchRecord]:
        self._reconnect()
        self._play_reruns()
        self._submit_due()
        with suppress(queue.Empty):
            while True:
                batch, played = self._returns.get(timeout=timeout)
                timeout = 0
                if played is None:
                    self._resubmit(batch)
                else:
                    yield from self._take(batch, played)

    def _take(self, batch: SubmittedBatch, played: PlayedBatch) -> Iterator[MatchRecord]:
        now, worker = time.monotonic(), played.worker
        count = 0
        for report in played.reports:
            if isinstance(report, Spoiled):
                if self._open.pop(report.match.plan.id, None):
                    self._note_spoiled(report.match, f"worker {worker}: {report.reason}" if worker else report.reason)
            elif isinstance(report, MatchRecord) and self._open.pop(report.name, None) is not None:
                count += 1
                yield report
        if self._submitted.pop(batch.key, None) and worker:
            self._durations.append(now - batch.since)
            if self._first_return is None:
                self._first_return = now  # the first batch took longer, because bots were started
            else:
                self._returned.append((now, worker, count))

    def _resubmit(self, lost: SubmittedBatch) -> None:
        """Play the matches of a lost batch again, except those that are in another batch, too."""
        if self._submitted.pop(lost.key, None) is None:
            return
        in_others = {name for other in self._submitted.values() for name in other.matches}
        for name, match in lost.matches.items():
            if name in self._open and name not in in_others:
                self.spoiled += 1
                self.last_trouble = "the scheduler was lost"
                self._unsubmitted.append(match)

    def _reconnect(self) -> None:
        """Connect to a new scheduler if the old one was lost: Dask's client closes after some attempts."""
        if self.client is not None and self.client.status == "connecting":
            self.notice = f"the scheduler at {self.cluster.address} is lost: waiting for it"
        if self.client is None or self.client.status != "closed" or time.monotonic() < self._next_connect:
            return
        try:
            self._use(connect(self.cluster, CONFIG.reconnect_interval))
        except HostFault:
            self._next_connect = time.monotonic() + CONFIG.reconnect_interval

    # Speed

    def keep_pace(self, matches_per_second: float, seconds: float, least: float, most: float) -> None:
        """Use an average: results come in batches, which would make the next ones alternately large and small."""
        measured = self._measured_seconds()
        returned = sum(count for _, _, count in self._returned)
        super().keep_pace(returned / max(1.0, measured) if measured else matches_per_second, seconds, least, most)

    def _measured_seconds(self) -> float:
        """Forget old results; return the seconds over which the remaining ones were measured."""
        now = time.monotonic()
        while self._returned and self._returned[0][0] < now - CONFIG.pace_window:
            self._returned.popleft()
        return min(CONFIG.pace_window, now - self._first_return) if self._first_return is not None else 0.0

    def paces(self) -> list[WorkerPace]:
        seconds = self._measured_seconds()
        counts = {worker.name: 0 for worker in self.workers.values()}
        for _, name, count in self._returned:
            counts[name] = counts.get(name, 0) + count
        return [WorkerPace(name, count / max(1.0, seconds)) for name, count in sorted(counts.items())]
