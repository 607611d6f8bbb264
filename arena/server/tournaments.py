"""Tournaments that organisers run on the server, each in a worker process.

There is one at a time. It continues when clients disconnect. It is stopped in order, and can be resumed, when an
organiser asks for that or the server ends.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import grpc
from anyio import to_thread

from arena.api import Arena
from arena.client.messages import from_message
from arena.errors import BadTournament, NotFound
from arena.requests import ForecastRequest, ResumeRequest, TournamentRequest
from arena.server.auth import RequestRefused
from arena.server.worker_process import WorkerProcess
from arena.submissions.submission import bundled_names
from arena.v1 import desk_pb2 as pb

RANGES = {
    "jobs": (1, 256),
    "at_once": (1, 1024),
    "seats": (2, 2**16),
    **dict.fromkeys(("rounds", "deals", "matches"), (1, 2**32)),
    **dict.fromkeys(("seconds", "time_per_move", "time_per_match", "wait_per_match", "time_to_start"), (1e-9, 1e9)),
}
"""The numbers that a request may have: those that the command line accepts."""


class Tournaments:
    """Starts worker processes and remembers the latest one."""

    def __init__(self, arena: Arena, folder: Path, sandbox: str) -> None:
        """`folder`: an empty working directory for workers. `sandbox`: the sandbox mode for bots."""
        self.arena = arena
        self.folder = folder
        self.sandbox = sandbox
        self._current: WorkerProcess | None = None
        self._forecast: WorkerProcess | None = None

    @property
    def is_running(self) -> bool:
        return self._current is not None and not self._current.is_over

    async def run(self, message: pb.RunTournamentRequest) -> WorkerProcess:
        """Carry out a request. Raise if it is invalid, or if another tournament is running."""
        action = message.WhichOneof("action")
        if action == "follow":
            if self._current is None:
                raise NotFound("No tournament was started since the server runs.")
            return self._current
        if action is None:
            raise BadTournament("The request has no action.")
        request: TournamentRequest | ResumeRequest
        if action == "resume":
            request = from_message(message.resume, ResumeRequest)
        else:
            request = replace(from_message(getattr(message, action), TournamentRequest), sandbox=self.sandbox)
            await to_thread.run_sync(self._check_bots, request)
        _check(request)
        if isinstance(request, TournamentRequest) and action == "forecast":
            if self._forecast and not self._forecast.is_over:
                why = "Another forecast is being made. Retry in a moment."
                raise RequestRefused(why, grpc.StatusCode.FAILED_PRECONDITION)
            self._forecast = WorkerProcess(self.arena.home, self.folder, ForecastRequest(request))
            return self._forecast
        if self.is_running:
            raise RequestRefused(
                "Another tournament is running.",
                grpc.StatusCode.FAILED_PRECONDITION,
                hint="Follow it with `--follow`, or stop it with `--stop`.",
            )
        self._current = WorkerProcess(self.arena.home, self.folder, request)
        return self._current

    async def stop(self, timeout: float) -> None:
        """Stop a running tournament in order; kill it after the timeout."""
        if self._current and not self._current.is_over:
            await self._current.stop(timeout)

    def _check_bots(self, request: TournamentRequest) -> None:
        """Raise `NotFound` unless every bot is bundled or submitted: paths of the server are not for clients."""
        with self.arena.open_store() as store:
            for name in request.bots:
                if name not in bundled_names():
                    store.bots.find(name, also=bundled_names())


def _check(request: TournamentRequest | ResumeRequest) -> None:
    """Raise `BadTournament` for values that the command line would refuse."""
    for name, (least, most) in RANGES.items():
        value = getattr(request, name, None)
        if value is not None and not least <= value <= most:
            raise BadTournament(f"Invalid {name} `{value}`: expected {least:g} to {most:g}.")
    if isinstance(request, TournamentRequest) and (not request.name.isprintable() or len(request.name) > 200):
        raise BadTournament("The tournament's name must have at most 200 printable characters.")
