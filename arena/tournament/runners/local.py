"""The runner on this machine: one worker process for each job, replaced when one dies."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from multiprocessing import Pipe
from typing import Self

from arena import supervisor
from arena.errors import HostFault
from arena.records import MatchRecord
from arena.referee import Launch
from arena.tournament.config import CONFIG
from arena.tournament.planner import PlannedMatch
from arena.tournament.runners.base import Runner
from arena.tournament.runners.worker import Report, Spoiled, WorkerFailed, WorkerSetup


class WorkerProcess:
    """A worker, seen from the runner."""

    def __init__(self, setup: WorkerSetup) -> None:
        self.matches: dict[tuple[int, int], PlannedMatch] = {}
        """Matches that are not reported yet, by block and rotation."""
        self.unsent: list[PlannedMatch] = []
        """Those of them that the worker does not have yet."""
        self.connection, theirs = Pipe()
        try:
            # Not a child of multiprocessing: that would run the caller's script again, and a worker of Dask may have
            # none. A process group of its own, because Ctrl-C is for the conductor, but no session: the kernel gives
            # each session an equal share of a busy machine.
            self.process = subprocess.Popen(  # noqa: S603, our own
                (sys.executable, "-P", "-m", "arena.tournament.runners", str(theirs.fileno())),
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                process_group=0,
            )
        except BaseException:
            self.connection.close()
            raise
        finally:
            theirs.close()
        self.send(setup)

    def send(self, message: WorkerSetup | Mapping[int, Launch] | Sequence[PlannedMatch] | None) -> None:
        """Send a message; None ends the worker. Whether it has died is noticed where its reports are read."""
        with suppress(OSError):
            self.connection.send(message)

    def send_matches(self) -> None:
        """Send the matches that are not sent yet."""
        matches, self.unsent = self.unsent, []
        for start in range(0, len(matches), CONFIG.matches_per_message):
            self.send(matches[start : start + CONFIG.matches_per_message])

    def wait(self) -> None:
        """Wait for the end of the process, and kill it if that takes too long: it has bots to end."""
        supervisor.end(self.process, grace=CONFIG.stop_timeout, terminate=False)
        self.connection.close()


class LocalRunner(Runner):
    """Plays matches in worker processes."""

    def __init__(self, setup: WorkerSetup, jobs: int, at_once: int) -> None:
        super().__init__(jobs, at_once)
        self.setup = setup
        self.cores = sorted(os.sched_getaffinity(0))
        self.deaths = 0
        self._last_failure = ""
        self._workers: list[WorkerProcess] = []
        self._reports: queue.SimpleQueue[tuple[WorkerProcess, list[Report] | None] | None] = queue.SimpleQueue()

    def __enter__(self) -> Self:
        try:
            for number in range(self.size):
                self._workers.append(self._start(number))
        except BaseException:
            self.close()
            raise
        return self

    def close(self) -> None:
        for worker in self._workers:
            worker.send(None)
        for worker in self._workers:
            worker.wait()

    def _start(self, number: int) -> WorkerProcess:
        # With more workers than cores, or fewer, the kernel places them better.
        core = self.cores[number] if self.size == len(self.cores) else None
        try:
            worker = WorkerProcess(replace(self.setup, core=core))
        except OSError as error:
            raise HostFault(f"Cannot start a worker: {error.strerror}.") from error
        # A thread for each worker, so that neither side ever waits for the other to read from the pipe.
        threading.Thread(target=self._listen, args=(worker,), daemon=True).start()
        return worker

    def _listen(self, worker: WorkerProcess) -> None:
        while True:
            try:
                self._reports.put((worker, worker.connection.recv()))
            except Exception:  # noqa: BLE001, the pipe is closed, or what comes through it makes no sense
                self._reports.put((worker, None))
                return

    @property
    def has_room(self) -> bool:
        return any(len(worker.matches) < self.at_once for worker in self._workers)

    def play(self, matches: Sequence[PlannedMatch]) -> None:
        """Give the matches to the least busy worker: those of a block share their bots."""
        worker = min(self._workers, key=lambda each: len(each.matches))
        worker.matches.update({(match.block, match.rotation): match for match in matches})
        worker.unsent += matches

    def send_matches(self) -> None:
        """Send what was given to the workers: one message for many blocks."""
        for worker in self._workers:
            worker.send_matches()

    def reports(self, timeout: float) -> Iterator[MatchRecord]:
        self._play_reruns()
        self.send_matches()
        try:
            received = self._reports.get(timeout=timeout)
        except queue.Empty:
            return
        while received is not None:
            yield from self._take(*received)
            if self._reports.empty():
                return
            received = self._reports.get()

    def _take(self, worker: WorkerProcess, reports: list[Report] | None) -> Iterator[MatchRecord]:
        """Return the matches among the reports of a worker; None: it has died."""
        if reports is None:
            self._replace(worker)
        for report in reports or ():
            if isinstance(report, WorkerFailed):
                self._last_failure = report.reason
            elif isinstance(report, Spoiled):
                worker.matches.pop((report.match.block, report.match.rotation), None)
                self._note_spoiled(report.match, report.reason)
            elif worker.matches.pop((report.block, report.rotation), None):
                self.deaths = 0
                yield report

    def _replace(self, dead: WorkerProcess) -> None:
        """Start another worker in place of one that has died, and play its matches again."""
        dead.wait()
        reason = self._last_failure or f"a worker has ended ({supervisor.exit_status(dead.process.returncode)})"
        self._last_failure = ""
        self.deaths += 1
        if self.deaths > CONFIG.max_worker_deaths:
            raise HostFault(f"The workers of the tournament die on this machine: {reason}.")
        number = self._workers.index(dead)
        self._workers[number] = self._start(number)
        for match in dead.matches.values():
            self._note_spoiled(match, reason)
