"""A worker's side of a cluster: for each core that it offers a process with a referee, which plays batch after batch.

Several batches are played at a table at once, so that it is not empty while the last matches of one end. A core belongs
to one tournament at a time: batches of another wait, or their bots' clocks would run while others use the core.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing import Pipe
from typing import Any, NamedTuple

from distributed import get_worker

from arena import supervisor
from arena.errors import ArenaError
from arena.referee import Launch
from arena.tournament.planner import PlannedMatch
from arena.tournament.runners.dask.cache import BotCache, BotNotCached, CachedBot
from arena.tournament.runners.dask.link import CORE
from arena.tournament.runners.local import PATIENCE
from arena.tournament.runners.worker import Report, Spoiled, WorkerFailed, WorkerSetup

AT_A_TABLE = 2
"""How many batches are played on a core at once."""


class MatchBatch(NamedTuple):
    """Matches that a worker is to play."""

    run: str
    """Tells tournaments apart, and their sittings."""
    setup: WorkerSetup
    """Without programs: these are where the worker has the bots."""
    bots: Mapping[int, CachedBot]
    """By the id of the version."""
    jobs: Sequence[PlannedMatch]


class Played(NamedTuple):
    """What came of a batch."""

    worker: str
    address: str
    reports: Sequence[Report] = ()
    lacking: tuple[str, ...] = ()
    """The contents that have to be sent before it can be played."""
    trouble: str = ""


def play_batch(packed: bytes) -> bytes:
    """The task that a Dask worker is given. Bytes, so that nobody in between looks into it."""
    worker = get_worker()
    batch: MatchBatch = pickle.loads(packed)  # noqa: S301, whoever may hand out tasks may run what they like
    played = crew(worker).play(batch)
    return pickle.dumps(played._replace(worker=str(worker.name), address=worker.address))


def receive_bot(content: str, packed: bytes) -> None:
    """A bot arrives."""
    BotCache.of_user().receive(content, packed)


def end_run(run: str) -> None:
    """A tournament is over, or left."""
    if _crew is not None:
        _crew.end(run)


_crew: Crew | None = None
_only_one = threading.Lock()


def crew(worker: Any) -> Crew:
    """That of this process."""
    global _crew
    with _only_one:
        if _crew is None:
            _crew = Crew(max(1, int(worker.state.total_resources.get(CORE, 1))), BotCache.of_user())
        return _crew


@dataclass(slots=True, eq=False)
class Waiting:
    """A batch that is being played."""

    left: dict[str, PlannedMatch]
    """By the name of the match."""
    reports: list[Report] = field(default_factory=list)
    done: threading.Event = field(default_factory=threading.Event)

    def take(self, name: str, report: Report) -> None:
        if self.left.pop(name, None) is not None:
            self.reports.append(report)
        if not self.left:
            self.done.set()


class Table:
    """A process that plays, seen from the worker."""

    def __init__(self, setup: WorkerSetup) -> None:
        self.connection, theirs = Pipe()
        self._sending = threading.Lock()
        self._state = threading.Lock()
        self._batches: list[Waiting] = []
        self._sent: set[int] = set()
        """The versions whose programs it knows."""
        self.last_words = ""
        self.is_over = False
        try:
            # Nothing is said about the death of the parent: the pipe says it, and the bots are ended in order.
            self.process = subprocess.Popen(  # noqa: S603, our own
                (sys.executable, "-m", "arena.tournament.runners.dask.table", str(theirs.fileno())),
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        finally:
            theirs.close()
        self._send(setup)
        threading.Thread(target=self._listen, daemon=True).start()

    def _send(self, *messages: object) -> None:
        with suppress(OSError):  # it has died, and the listener will say so
            for message in messages:
                self.connection.send(message)

    def play(self, jobs: Sequence[PlannedMatch], programs: Mapping[int, Launch]) -> Sequence[Report]:
        """Plays the matches, and waits for the last of them."""
        waiting = Waiting({job.plan.id: job for job in jobs})
        with self._state:
            # The same match may be in two batches, when one of them was thought lost: it is played once for both.
            under_way = {name for batch in self._batches for name in batch.left}
            self._batches.append(waiting)
            is_over = self.is_over
        if is_over:
            self._give_up()
        with self._sending:
            new = {version: program for version, program in programs.items() if version not in self._sent}
            self._sent.update(new)
            self._send(*([new] if new else []), [job for job in jobs if job.plan.id not in under_way])
        waiting.done.wait()
        with self._state:
            self._batches.remove(waiting)
        return waiting.reports

    def _listen(self) -> None:
        while True:
            try:
                reports: list[Report] = self.connection.recv()
            except (EOFError, OSError):
                break
            with self._state:
                for report in reports:
                    self._take(report)
        with self._state:
            self.is_over = True
        self.process.wait()
        with self._sending:
            self.connection.close()
        self._give_up()

    def _take(self, report: Report) -> None:
        if isinstance(report, WorkerFailed):
            self.last_words = report.why
            return
        name = report.job.plan.id if isinstance(report, Spoiled) else report.name
        for batch in self._batches:
            batch.take(name, report)

    def _give_up(self) -> None:
        why = self.last_words or f"the process that plays ended with exit code {self.process.poll()}"
        with self._state:
            for batch in self._batches:
                for name, job in list(batch.left.items()):
                    batch.take(name, Spoiled(job, why))

    def close(self) -> None:
        """Lets the process end its bots and itself."""
        with self._sending:
            self._send(None)
        supervisor.end(self.process, grace=PATIENCE, terminate=False)


@dataclass(slots=True, eq=False)
class Place:
    """A core that the worker offers."""

    core: int | None
    """None: the system knows better which one."""
    run: str = ""
    table: Table | None = None
    batches: int = 0


class Crew:
    """All tables of a worker."""

    def __init__(self, cores: int, cache: BotCache) -> None:
        ours = sorted(os.sched_getaffinity(0))
        self.cache = cache
        self.places = [Place(ours[number] if cores == len(ours) else None) for number in range(cores)]
        self._changed = threading.Condition()

    def play(self, batch: MatchBatch) -> Played:
        programs, lacking, trouble = {}, [], ""
        try:
            for version, bot in batch.bots.items():
                try:
                    programs[version] = self.cache.launch(batch.run, bot, batch.setup.settings.sandbox)
                except BotNotCached as error:
                    lacking.append(error.content)
                    trouble = error.why or trouble
            if lacking:
                return Played("", "", lacking=tuple(lacking), trouble=trouble)
            with self._place_for(batch) as table:
                return Played("", "", table.play(batch.jobs, programs))
        except (ArenaError, OSError) as error:
            return Played("", "", [Spoiled(job, str(error)) for job in batch.jobs])

    @contextmanager
    def _place_for(self, batch: MatchBatch) -> Iterator[Table]:
        with self._changed:
            while (place := self._free(batch.run)) is None:
                self._changed.wait()
            place.batches += 1
            try:
                if place.table is not None and (place.run != batch.run or place.table.is_over):
                    place.table.close()
                    place.table = None
                if place.table is None:
                    logs = self.cache.folder / "logs"
                    settings = replace(batch.setup.settings, logs=logs)
                    place.run, place.table = batch.run, Table(replace(batch.setup, settings=settings, core=place.core))
            except BaseException:
                place.batches -= 1
                raise
            table = place.table
        try:
            yield table
        finally:
            with self._changed:
                place.batches -= 1
                self._changed.notify_all()

    def _free(self, run: str) -> Place | None:
        """Where a batch of this tournament may be played now: where the fewest are, and nobody else's."""
        possible = [place for place in self.places if not place.batches or place.run == run]
        possible = [place for place in possible if place.batches < AT_A_TABLE]
        return min(possible, key=lambda place: (place.batches, place.run != run), default=None)

    def end(self, run: str) -> None:
        """Ends what plays for this tournament; batches that are under way come back unplayed."""
        self.cache.forget(run)
        for place in self.places:
            if place.run == run and place.table is not None:
                threading.Thread(target=place.table.close, daemon=True).start()

    def leave(self) -> None:
        """Ends all tables, and waits until they have ended their bots."""
        for table in [place.table for place in self.places if place.table is not None]:
            table.close()


def leave() -> None:
    """This worker has lost its scheduler, or ends."""
    if _crew is not None:
        _crew.leave()
