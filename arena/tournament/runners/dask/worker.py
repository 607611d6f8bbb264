"""The worker's side of a cluster: batches of matches are played by a local runner with the cores that it offers.

A Dask worker plays for one tournament at a time: batches of another wait, because the clocks of their bots would run
while other bots use the core.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from distributed import get_worker

from arena.errors import ArenaError
from arena.referee import Launch
from arena.tournament.planner import PlannedMatch
from arena.tournament.runners.dask.cache import BotCache, BotNotCached, CachedBot
from arena.tournament.runners.dask.link import CORE
from arena.tournament.runners.local import LocalRunner
from arena.tournament.runners.worker import Report, Spoiled, WorkerSetup


class MatchBatch(NamedTuple):
    """Matches that a worker is to play."""

    run: str
    """Identifies a tournament, and each resumption of it."""
    setup: WorkerSetup
    """Without launches: these depend on where the worker keeps the bots."""
    bots: Mapping[int, CachedBot]
    """By the id of the bot version."""
    matches: Sequence[PlannedMatch]


class PlayedBatch(NamedTuple):
    """The result of a batch."""

    worker: str
    address: str
    reports: Sequence[Report] = ()
    lacking: tuple[str, ...] = ()
    """Content hashes of bots that must be sent before the batch can be played."""
    trouble: str = ""


# Tasks that the runner submits


def play_batch(packed: bytes) -> bytes:
    """Play a batch. The arguments are bytes, so that the scheduler does not unpickle them."""
    worker = get_worker()
    batch: MatchBatch = pickle.loads(packed)  # noqa: S301, a client of the cluster may run any code anyway
    cores = max(1, int(worker.state.total_resources.get(CORE, 1)))
    played = _player.play(batch, cores)
    return pickle.dumps(played._replace(worker=str(worker.name), address=worker.address))


def receive_bot(content: str, packed: bytes) -> None:
    """Store a bot that was sent."""
    _player.cache.receive(content, packed)


def end_run(run: str) -> None:
    """End what is played for a tournament."""
    _player.end(run)


def leave() -> None:
    """End everything that is played in this process, and wait for it."""
    _player.close()


@dataclass(slots=True, eq=False)
class OpenBatch:
    """A batch in progress."""

    left: dict[str, PlannedMatch]
    """Matches that are not reported yet, by name."""
    reports: list[Report] = field(default_factory=list)
    done: threading.Event = field(default_factory=threading.Event)

    def take(self, name: str, report: Report) -> None:
        if self.left.pop(name, None) is not None:
            self.reports.append(report)
        if not self.left:
            self.done.set()


class BatchRunner(LocalRunner):
    """The local runner of one tournament. Spoiled matches are reported: another worker may play them better."""

    def __init__(self, run: str, setup: WorkerSetup, cores: int) -> None:
        super().__init__(setup, cores, at_once=0)
        self.run = run
        self.is_ending = False
        self._batches: list[OpenBatch] = []
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._deliver, daemon=True)

    def start(self) -> None:
        self.__enter__()
        self._thread.start()

    def play_batch(self, matches: Sequence[PlannedMatch], launches: Mapping[int, Launch]) -> Sequence[Report]:
        """Play matches and wait for the last of them."""
        batch = OpenBatch({match.plan.id: match for match in matches})
        with self._lock:
            # The same match may be in two batches, if one of them was believed lost: it is played once for both.
            playing = {name for each in self._batches for name in each.left}
            self._batches.append(batch)
            if self.is_ending:
                self._spoil_all("the tournament has ended on this worker")
            else:
                self._send_new(launches)
                self.play([match for match in matches if match.plan.id not in playing])
        batch.done.wait()
        with self._lock:
            self._batches.remove(batch)
        return batch.reports

    def _send_new(self, launches: Mapping[int, Launch]) -> None:
        """Tell the workers about bots that they do not know yet."""
        known = self.setup.launches
        if new := {version: launch for version, launch in launches.items() if version not in known}:
            self.setup = replace(self.setup, launches={**known, **new})
            for worker in self._workers:
                worker.send(new)

    def end(self, wait: bool) -> None:
        """End the workers; batches in progress come back spoiled."""
        self._reports.put(None)
        if wait:
            self._thread.join()

    def _deliver(self) -> None:
        """Give reports to the batches that wait for them, until the run ends."""
        reason = "the tournament has ended on this worker"
        try:
            while (received := self._reports.get()) is not None:
                with self._lock:
                    for report in self._take(*received):
                        self._give(report.name, report)
        except Exception as error:  # noqa: BLE001, the batches must not wait for ever
            reason = str(error)
        with self._lock:
            self.is_ending = True
            self._spoil_all(reason)
        self.__exit__(None, None, None)

    def _note_spoiled(self, match: PlannedMatch, reason: str) -> None:
        self._give(match.plan.id, Spoiled(match, reason))

    def _give(self, name: str, report: Report) -> None:
        for batch in self._batches:
            batch.take(name, report)

    def _spoil_all(self, reason: str) -> None:
        for batch in self._batches:
            for name, match in list(batch.left.items()):
                batch.take(name, Spoiled(match, reason))


class BatchPlayer:
    """Plays the batches of this process, for one tournament at a time, in the order in which they come."""

    def __init__(self, cache: BotCache) -> None:
        self.cache = cache
        self._runner: BatchRunner | None = None
        self._playing = 0
        self._waiting: list[object] = []
        self._changed = threading.Condition()

    def play(self, batch: MatchBatch, cores: int) -> PlayedBatch:
        launches, lacking, trouble = {}, [], ""
        try:
            for version, bot in batch.bots.items():
                try:
                    launches[version] = self.cache.launch(batch.run, bot, batch.setup.settings.sandbox)
                except BotNotCached as error:
                    lacking.append(error.content)
                    trouble = error.why or trouble
            if lacking:
                return PlayedBatch("", "", lacking=tuple(lacking), trouble=trouble)
            settings = replace(batch.setup.settings, logs=self.cache.folder / "logs")
            runner = self._enter(batch.run, replace(batch.setup, settings=settings), cores)
            try:
                return PlayedBatch("", "", runner.play_batch(batch.matches, launches))
            finally:
                self._leave()
        except (ArenaError, OSError) as error:
            return PlayedBatch("", "", [Spoiled(match, str(error)) for match in batch.matches])

    def _enter(self, run: str, setup: WorkerSetup, cores: int) -> BatchRunner:
        """Wait until a batch of this tournament may be played, and return its runner."""
        ticket = object()
        with self._changed:
            self._waiting.append(ticket)
            try:
                while self._waiting[0] is not ticket or (self._playing and self._current(run) is None):
                    self._changed.wait()
                runner = self._current(run) or self._replace(BatchRunner(run, setup, cores))
                self._playing += 1
                return runner
            finally:
                self._waiting.remove(ticket)
                self._changed.notify_all()

    def _current(self, run: str) -> BatchRunner | None:
        runner = self._runner
        return runner if runner is not None and runner.run == run and not runner.is_ending else None

    def _replace(self, runner: BatchRunner) -> BatchRunner:
        if self._runner is not None:
            self._runner.end(wait=True)
        self._runner = None
        runner.start()
        self._runner = runner
        return runner

    def _leave(self) -> None:
        with self._changed:
            self._playing -= 1
            self._changed.notify_all()

    def end(self, run: str) -> None:
        """End what is played for a tournament, without waiting for it."""
        self.cache.forget(run)
        if (runner := self._current(run)) is not None:
            runner.end(wait=False)

    def close(self) -> None:
        """End everything and wait until all bots have ended."""
        if self._runner is not None:
            self._runner.end(wait=True)


_player = BatchPlayer(BotCache.of_user())
