"""Those who play the matches of a tournament: what a conductor knows of them, and the processes on this machine.

There is a process for each job, started again where one dies.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from types import ModuleType, TracebackType
from typing import NamedTuple, Self

from arena import interrupts, supervisor
from arena.errors import HostFault
from arena.records import MatchRecord
from arena.tournament.planner import PlannedMatch
from arena.tournament.runners.worker import Report, Spoiled, WorkerFailed, WorkerSetup, work

spawn = multiprocessing.get_context("spawn")  # a fork would take along locks and threads that are in use
MOST_DEATHS = 3
"""After so many deaths of workers without a single match in between the host is not fit to go on."""
MOST_RERUNS = 5
"""A match that the host has spoiled that often is given up, and the rest with it, until the host is mended."""
RERUN_AFTER = 1.0
"""Seconds to wait before a match that was spoiled by the host is tried again."""
PATIENCE = 10.0
"""Seconds that a worker has to end its bots and itself."""


@dataclass(slots=True, eq=False)
class Hand:
    """A worker, seen from here."""

    process: SpawnProcess
    connection: Connection
    jobs: dict[tuple[int, int], PlannedMatch] = field(default_factory=dict)
    """What it has not reported yet, by block and rotation."""


class Pace(NamedTuple):
    """How fast a worker on another machine plays."""

    worker: str
    matches_per_second: float


class Runner(ABC):
    """Plays matches, whoever does it. What the host has spoiled is played again."""

    def __init__(self, size: int, at_once: int) -> None:
        self.size = size
        """How many cores play."""
        self.at_once = at_once
        """How many matches are played on each of them at the same time."""
        self.spoiled = 0
        """So many matches were spoiled by the host, and are played again."""
        self.last_trouble = ""
        self.notice = ""
        """What else the user should know."""
        self.left: int | None = None
        """So many matches have not been reported, at the most, where that is known."""
        self._again: list[tuple[float, PlannedMatch]] = []

    @abstractmethod
    def __enter__(self) -> Self: ...

    @abstractmethod
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    @property
    @abstractmethod
    def has_room(self) -> bool:
        """Whether more matches are welcome."""

    @abstractmethod
    def play(self, jobs: Sequence[PlannedMatch]) -> None:
        """Takes the matches of a block, or those that are played again."""

    @abstractmethod
    def reports(self, timeout: float) -> Iterator[MatchRecord]:
        """What has been played, each match once; waits for a while where nothing has."""

    def keep_pace(self, matches_per_second: float, least: float, most: float) -> None:
        """Lets as many matches be under way as end in a second, within limits for each core."""
        self.at_once = round(min(most, max(least, matches_per_second / self.size)))

    def paces(self) -> list[Pace]:
        """How fast each worker plays, where they are on other machines."""
        return []

    def _note_spoiled(self, job: PlannedMatch, why: str) -> None:
        self.spoiled += 1
        self.last_trouble = why
        if job.reruns >= MOST_RERUNS:
            raise HostFault(f"match {job.plan.id} was spoiled by the host {MOST_RERUNS + 1} times: {why}")
        self._again.append((time.monotonic() + RERUN_AFTER, job._replace(reruns=job.reruns + 1)))

    def _play_again(self) -> None:
        """Hands out once more what the host has spoiled, when it has had time to recover."""
        now = time.monotonic()
        due = [job for when, job in self._again if when <= now]
        if due:
            self._again = [(when, job) for when, job in self._again if when > now]
            self.play(due)


class LocalRunner(Runner):
    """Plays matches in several processes."""

    def __init__(self, setup: WorkerSetup, jobs: int, at_once: int) -> None:
        super().__init__(jobs, at_once)
        self.setup = setup
        self.cores = sorted(os.sched_getaffinity(0))
        self.deaths = 0
        self.last_words = ""
        """What a worker has said before it died."""
        self._hands: list[Hand] = []
        self._reports: queue.SimpleQueue[tuple[Hand, list[Report] | None]] = queue.SimpleQueue()

    def __enter__(self) -> Self:
        try:
            for place in range(self.size):
                self._hands.append(self._start(place))
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends the workers: by their own means, because they have bots to end, and by force where that fails."""
        for hand in self._hands:
            try:
                hand.connection.send(None)
            except OSError:
                continue  # it is dead already
        for hand in self._hands:
            supervisor.end(hand.process, grace=PATIENCE, terminate=False)
            hand.connection.close()

    def _start(self, place: int) -> Hand:
        try:
            return self._start_process(place)
        except OSError as error:
            raise HostFault(f"a worker cannot be started: {error.strerror}.") from error

    def _start_process(self, place: int) -> Hand:
        ours, theirs = spawn.Pipe()
        # With more workers than cores, or fewer, the system knows better where to put them.
        core = self.cores[place] if self.size == len(self.cores) else None
        process = spawn.Process(
            target=work, args=(theirs, replace(self.setup, core=core)), name=f"arena worker {place}"
        )
        with interrupts.sigint_ignored(), _hidden_main():
            process.start()
        theirs.close()
        hand = Hand(process, ours)
        # A thread for each worker, so that neither side ever waits for the other to make room in the pipe.
        threading.Thread(target=self._listen, args=(hand,), daemon=True).start()
        return hand

    def _listen(self, hand: Hand) -> None:
        while True:
            try:
                self._reports.put((hand, hand.connection.recv()))
            except (EOFError, OSError):
                self._reports.put((hand, None))
                return

    @property
    def has_room(self) -> bool:
        return any(len(hand.jobs) < self.at_once for hand in self._hands)

    def play(self, jobs: Sequence[PlannedMatch]) -> None:
        """Hands the matches to the worker with the least to do: those of a block share their bots and go together."""
        hand = min(self._hands, key=lambda hand: len(hand.jobs))
        hand.jobs.update({(job.block, job.rotation): job for job in jobs})
        with suppress(OSError):  # it has died, and the listener will say so; its jobs are handed out again
            hand.connection.send(list(jobs))

    def reports(self, timeout: float) -> Iterator[MatchRecord]:
        self._play_again()
        try:
            hand, reports = self._reports.get(timeout=timeout)
        except queue.Empty:
            return
        while True:
            if reports is None:
                self._replace(hand)
            for report in reports or ():
                if isinstance(report, WorkerFailed):
                    self.last_words = report.why
                elif isinstance(report, Spoiled):
                    hand.jobs.pop((report.job.block, report.job.rotation), None)
                    self._note_spoiled(report.job, report.why)
                elif hand.jobs.pop((report.block, report.rotation), None):
                    self.deaths = 0
                    yield report
            if self._reports.empty():
                return
            hand, reports = self._reports.get()

    def _replace(self, dead: Hand) -> None:
        """A worker has died, which is no bot's fault: another takes its place, and its matches are played again."""
        dead.process.join()
        dead.connection.close()
        why, self.last_words = self.last_words or f"a worker ended with exit code {dead.process.exitcode}", ""
        self.deaths += 1
        if self.deaths > MOST_DEATHS:
            raise HostFault(f"the workers of the tournament die on this machine: {why}.")
        place = self._hands.index(dead)
        self._hands[place] = self._start(place)
        for job in dead.jobs.values():
            self._note_spoiled(job, why)


@contextmanager
def _hidden_main() -> Iterator[None]:
    """Keep multiprocessing from running the caller's script again in the child: it may be without a main guard."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
