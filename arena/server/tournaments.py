"""Tournaments that organisers run on the server, each in a worker process (tournament_worker.py).

There is one at a time. It continues when clients disconnect. It is stopped in order, and can be resumed, when an
organiser asks for that or the server ends.
"""

from __future__ import annotations

import asyncio
import subprocess
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import grpc
from anyio import to_thread

from arena import supervisor
from arena.client.messages import from_message
from arena.errors import BadTournament, NotFound
from arena.requests import ResumeRequest, TournamentRequest
from arena.server.auth import RequestRefused
from arena.server.config import ServerConfig
from arena.server.tournament_worker import TournamentJob
from arena.server.worker_process import read_messages, send_job, start_worker
from arena.store.home import Home
from arena.store.store import Store
from arena.submissions.submission import bundled_names
from arena.v1 import desk_pb2 as pb

_FINAL = ("result", "forecast", "error")
_STATES = ("activity", "progress")
"""Events of which only the latest matters."""


class Tournaments:
    """Starts worker processes and remembers the latest one."""

    def __init__(self, home: Home, folder: Path, sandbox: str, config: ServerConfig) -> None:
        """`folder`: an empty working directory for workers. `sandbox`: the sandbox mode for bots."""
        self.home = home
        self.folder = folder
        self.sandbox = sandbox
        self.config = config
        self._current: TournamentProcess | None = None
        self._forecast: TournamentProcess | None = None

    @property
    def is_running(self) -> bool:
        return self._current is not None and not self._current.is_over

    async def run(self, store: Store, request: pb.RunTournamentRequest) -> TournamentProcess:
        """Carry out a request. Raise if it is invalid, or if another tournament is running."""
        action = request.WhichOneof("action")
        if action == "follow":
            if self._current is None:
                raise NotFound("No tournament was started since the server runs.")
            return self._current
        if action == "resume":
            job = self._job(from_message(request.resume, ResumeRequest))
        elif action == "start" or action == "forecast":
            options = request.start if action == "start" else request.forecast
            wanted = replace(from_message(options, TournamentRequest), sandbox=self.sandbox)
            await to_thread.run_sync(_check_bots, store, wanted)
            job = self._job(wanted, forecast=action == "forecast")
        else:
            raise BadTournament("The request has no action.")
        _check_numbers(job.request)
        if job.forecast:
            if self._forecast and not self._forecast.is_over:
                why = "Another forecast is being made. Retry in a moment."
                raise RequestRefused(why, grpc.StatusCode.FAILED_PRECONDITION)
            self._forecast = self._start(job)
            return self._forecast
        if self.is_running:
            why = "Another tournament is running. Follow it with `--follow`, or stop it with `--stop`."
            raise RequestRefused(why, grpc.StatusCode.FAILED_PRECONDITION)
        self._current = self._start(job)
        return self._current

    def _job(self, request: TournamentRequest | ResumeRequest, *, forecast: bool = False) -> TournamentJob:
        return TournamentJob(
            str(self.home.path.resolve()), self.home.store, str(self.folder), request, forecast=forecast
        )

    def _start(self, job: TournamentJob) -> TournamentProcess:
        self.folder.mkdir(parents=True, exist_ok=True)
        process = start_worker("arena.server.tournament_worker")
        return TournamentProcess(process, job, asyncio.get_running_loop())

    async def stop(self, timeout: float | None = None) -> None:
        """Stop a running tournament in order; kill it after the timeout."""
        if self._current and not self._current.is_over:
            await self._current.stop(self.config.tournament_shutdown if timeout is None else timeout)


class TournamentProcess:
    """A worker process and its events."""

    def __init__(self, process: subprocess.Popen[bytes], job: TournamentJob, loop: asyncio.AbstractEventLoop) -> None:
        self._process = process
        self._loop = loop
        self._kept: list[pb.RunTournamentResponse] = []
        """All notes, the start, and the final event."""
        self._states: dict[str, pb.RunTournamentResponse] = {}
        """The latest event of each kind in _STATES."""
        self._changed = asyncio.Event()
        """Set and replaced with every event."""
        self.is_over = False
        threading.Thread(target=self._read, args=(job,), daemon=True).start()

    async def follow(self) -> AsyncIterator[pb.RunTournamentResponse]:
        """Iterate over the events so far and to come. A slow client misses intermediate states."""
        place = 0
        seen: dict[str, pb.RunTournamentResponse] = {}
        while True:
            changed = self._changed
            for kept in self._kept[place:]:
                place += 1
                yield kept
            if self.is_over:
                return
            for kind, state in list(self._states.items()):
                if seen.get(kind) is not state:
                    seen[kind] = state
                    yield state
            if self._changed is changed:
                await changed.wait()

    async def stop(self, timeout: float) -> None:
        """Let the worker stop in order; kill it after the timeout."""
        await asyncio.to_thread(self._end, timeout)

    # In threads

    def _end(self, timeout: float) -> None:
        assert self._process.stdin, "a pipe"
        with suppress(OSError):
            self._process.stdin.close()  # the worker's signal to stop
        supervisor.end(self._process, grace=timeout, terminate=False)

    def _read(self, job: TournamentJob) -> None:
        process, final = self._process, False
        with suppress(OSError):  # it has ended, which is found out below
            send_job(process, job)
        for event in read_messages(process, pb.RunTournamentResponse):
            final = final or event.WhichOneof("event") in _FINAL
            self._tell(event)
        code = process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                if pipe:
                    pipe.close()
        if not final:
            why = f"The tournament's process ended unexpectedly ({supervisor.exit_status(code)})."
            self._tell(pb.RunTournamentResponse(error=pb.TournamentError(message=why)))

    def _tell(self, event: pb.RunTournamentResponse) -> None:
        with suppress(RuntimeError):  # the server's loop has ended
            self._loop.call_soon_threadsafe(self._add, event)

    def _add(self, event: pb.RunTournamentResponse) -> None:
        kind = event.WhichOneof("event")
        if kind in _STATES:
            self._states[kind] = event
        else:
            self._kept.append(event)
        self.is_over = self.is_over or kind in _FINAL
        self._changed.set()
        self._changed = asyncio.Event()


def _check_bots(store: Store, request: TournamentRequest) -> None:
    """Raise `NotFound` unless every bot is bundled or submitted: paths of the server are not for clients."""
    for name in request.bots:
        if name not in bundled_names():
            store.bots.find(name, also=bundled_names())


def _check_numbers(request: TournamentRequest | ResumeRequest) -> None:
    """Raise `BadTournament` for numbers that the command line would refuse."""
    _check("jobs", request.jobs, 1, 256)
    _check("at_once", request.at_once, 1, 1024)
    if isinstance(request, TournamentRequest):
        _check("seats", request.seats, 2, 2**16)
        for name in ("rounds", "deals", "matches"):
            _check(name, getattr(request, name), 1, 2**32)
        for name in ("seconds", "time_per_move", "time_per_match", "time_to_start"):
            _check(name, getattr(request, name), 1e-9, 1e9)
        if not request.name.isprintable() or len(request.name) > 200:
            raise BadTournament("The tournament's name must have at most 200 printable characters.")


def _check(name: str, value: float | None, least: float, most: float) -> None:
    if value is not None and not least <= value <= most:
        raise BadTournament(f"Invalid {name} `{value}`: expected {least:g} to {most:g}.")
