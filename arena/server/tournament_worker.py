"""The process that plays a tournament for the server: `python -m arena.server.tournament_worker`.

It calls `Arena` as the command line does and sends the events as `RunTournamentResponse`. It stops in order when its
standard input closes, because the server closes it or has ended.
"""

from __future__ import annotations

import os
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass

from arena.api import Arena
from arena.client.messages import to_message
from arena.errors import ArenaError, refusal
from arena.events import Note
from arena.requests import ResumeRequest, TournamentRequest
from arena.server.worker_process import run_job, when_input_closes
from arena.tournament.outcome import TournamentEvent, TournamentProgress, TournamentStarted
from arena.v1 import desk_pb2 as pb


@dataclass(frozen=True, slots=True)
class TournamentJob:
    """What the process has to do."""

    home: str
    store: str | None
    folder: str
    """An empty working directory, so that no bot's name is taken for a path."""
    request: TournamentRequest | ResumeRequest
    forecast: bool = False
    """Whether to return the forecast only."""


class _Worker:
    """Runs one job."""

    def __init__(self, job: TournamentJob, write: Callable[[pb.RunTournamentResponse], None]) -> None:
        self.job = job
        self._write = write
        self._stopping = threading.Event()

    def stop(self) -> None:
        self._stopping.set()

    def run(self) -> None:
        """Carry out the job and send its result, or the error."""
        job = self.job
        arena = Arena(job.home, store=job.store)
        try:
            if job.forecast:
                assert isinstance(job.request, TournamentRequest)
                forecast = arena.run_forecast(job.request, self._report)
                self._send(pb.RunTournamentResponse(forecast=to_message(forecast, pb.TournamentForecast())))
            else:
                result = arena.run(job.request, self._report, self._stopping.is_set)
                self._send(pb.RunTournamentResponse(result=to_message(result, pb.TournamentResult())))
        except ArenaError as error:
            self._fail(str(error), error.hint or "")
        except OSError as error:
            self._fail(refusal(error))
        except (SystemExit, KeyboardInterrupt):
            self._fail("The tournament was interrupted. All matches played so far are stored.")
        except Exception:  # noqa: BLE001, the client gets a sentence and the server's log the traceback
            traceback.print_exc()
            self._fail("The tournament failed unexpectedly; the server's log has the details.")

    def _fail(self, message: str, hint: str = "") -> None:
        # Where the home is on the server's disk is not for clients.
        error = pb.TournamentError(message=message.replace(self.job.home, "…"), hint=hint.replace(self.job.home, "…"))
        self._send(pb.RunTournamentResponse(error=error))

    def _report(self, event: TournamentEvent) -> None:
        if isinstance(event, Note):
            self._send(pb.RunTournamentResponse(note=to_message(event, pb.Note())))
        elif isinstance(event, TournamentStarted):
            self._send(pb.RunTournamentResponse(started=to_message(event, pb.TournamentStarted())))
        elif isinstance(event, TournamentProgress):
            self._send(pb.RunTournamentResponse(progress=to_message(event, pb.TournamentProgress())))
        else:
            self._send(pb.RunTournamentResponse(activity=to_message(event, pb.Activity())))

    def _send(self, response: pb.RunTournamentResponse) -> None:
        try:
            self._write(response)
        except BrokenPipeError:  # the server has ended
            self.stop()


def run(job: TournamentJob, write: Callable[[pb.RunTournamentResponse], None]) -> None:
    os.chdir(job.folder)
    worker = _Worker(job, write)
    when_input_closes(worker.stop)
    worker.run()


if __name__ == "__main__":
    from arena.server.tournament_worker import run as run_here  # the name under which the job was pickled

    run_job(run_here)
