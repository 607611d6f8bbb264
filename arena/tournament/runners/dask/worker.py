"""The worker's side of a cluster: batches of matches are played by a local runner with the cores that it offers.

A Dask worker plays for one tournament at a time: batches of another wait, because the clocks of their bots would run
while other bots use the core.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import NamedTuple

from distributed import get_worker

from arena.errors import ArenaError
from arena.referee import Launch
from arena.store.bots import BotVersion
from arena.tournament.planner import PlannedMatch
from arena.tournament.runners.dask.cache import BotCache, BotNotCached
from arena.tournament.runners.dask.link import CORE
from arena.tournament.runners.local import LocalRunner
from arena.tournament.runners.worker import Report, Spoiled, WorkerSetup

RUN_ENDED = "the tournament has ended on this worker"


class MatchBatch(NamedTuple):
    """Matches that a worker is to play."""

    run: str
    """Identifies a tournament, and each resumption of it."""
    setup: WorkerSetup
    """Without launches: these depend on where the worker keeps the bots."""
    bots: Mapping[int, BotVersion]
    """By the id of the bot version."""
    matches: Sequence[PlannedMatch]


class PlayedBatch(NamedTuple):
    """The result of a batch."""

    reports: Sequence[Report] = ()
    lacking: Mapping[str, str] = {}
    """Content hashes of bots that must be sent before the batch can be played, each with the reason, if it is known."""
    worker: str = ""
    address: str = ""


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


class BatchRunner(LocalRunner):
    """The local runner of one tournament. Spoiled matches are reported: another worker may play them better."""

    def __init__(self, run: str, setup: WorkerSetup, cores: int) -> None:
        super().__init__(setup, cores, at_once=0)
        self.run = run
        self.is_ending = False
        self._open: dict[str, tuple[PlannedMatch, Future[Report]]] = {}
        """Matches in progress, by name."""
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._deliver, daemon=True)

    def start(self) -> None:
        self.__enter__()
        self._thread.start()

    def play_batch(self, batch: MatchBatch, cache: BotCache) -> PlayedBatch:
        """Play the matches of a batch and wait for the last of them, unless bots are lacking."""
        launches: dict[int, Launch] = {}
        lacking: dict[str, str] = {}
        for version in batch.bots.keys() - self.setup.launches.keys():
            try:
                launches[version] = cache.launch(batch.bots[version], self.setup.settings.sandbox)
            except BotNotCached as error:
                lacking[error.content] = error.why
        if lacking:
            return PlayedBatch(lacking=lacking)
        with self._lock:
            if self.is_ending:
                return PlayedBatch([Spoiled(match, RUN_ENDED) for match in batch.matches])
            if launches:
                self.setup = replace(self.setup, launches={**self.setup.launches, **launches})
                for worker in self._workers:
                    worker.send(launches)
            # The same match may be in two batches, if one of them was believed lost: it is played once for both.
            new = [match for match in batch.matches if match.plan.id not in self._open]
            self._open.update({match.plan.id: (match, Future()) for match in new})
            reports = [self._open[match.plan.id][1] for match in batch.matches]
            self.play(new)
            self.send_matches()
        return PlayedBatch([report.result() for report in reports])

    def end(self, wait: bool) -> None:
        """End the workers; matches in progress come back spoiled."""
        self._reports.put(None)
        if wait:
            self._thread.join()

    def _deliver(self) -> None:
        """Give reports to the batches that wait for them, until the run ends."""
        reason = RUN_ENDED
        try:
            while (received := self._reports.get()) is not None:
                with self._lock:
                    for record in self._take(*received):
                        self._report(record.name, record)
        except Exception as error:  # noqa: BLE001, the batches must not wait for ever
            reason = str(error)
        with self._lock:
            self.is_ending = True
            for match, _ in list(self._open.values()):
                self._note_spoiled(match, reason)
        self.close()

    def _note_spoiled(self, match: PlannedMatch, reason: str) -> None:
        self._report(match.plan.id, Spoiled(match, reason))

    def _report(self, name: str, report: Report) -> None:
        if name in self._open:
            self._open.pop(name)[1].set_result(report)


class BatchPlayer:
    """Plays the batches of this process, for one tournament at a time."""

    def __init__(self, cache: BotCache) -> None:
        self.cache = cache
        self._runner: BatchRunner | None = None
        self._playing = 0
        self._next = threading.Lock()
        """Held by the batch that is next, also while it waits for the end of another tournament's batches."""
        self._changed = threading.Condition()

    def play(self, batch: MatchBatch, cores: int) -> PlayedBatch:
        try:
            runner = self._enter(batch, cores)
            try:
                return runner.play_batch(batch, self.cache)
            finally:
                with self._changed:
                    self._playing -= 1
                    self._changed.notify_all()
        except (ArenaError, OSError) as error:
            return PlayedBatch([Spoiled(match, str(error)) for match in batch.matches])

    def _enter(self, batch: MatchBatch, cores: int) -> BatchRunner:
        """Wait until a batch of this tournament may be played, and return its runner."""
        with self._next, self._changed:
            self._changed.wait_for(lambda: not self._playing or self._current(batch.run))
            runner = self._current(batch.run)
            if runner is None:
                self.close()
                self._runner = None
                settings = replace(batch.setup.settings, logs=self.cache.folder / "logs")
                runner = BatchRunner(batch.run, replace(batch.setup, settings=settings), cores)
                runner.start()
                self._runner = runner
            self._playing += 1
            return runner

    def _current(self, run: str) -> BatchRunner | None:
        runner = self._runner
        return runner if runner is not None and runner.run == run and not runner.is_ending else None

    def end(self, run: str) -> None:
        """End what is played for a tournament, without waiting for it."""
        if (runner := self._current(run)) is not None:
            runner.end(wait=False)

    def close(self) -> None:
        """End everything and wait until all bots have ended."""
        if self._runner is not None:
            self._runner.end(wait=True)


_player = BatchPlayer(BotCache.of_user())
