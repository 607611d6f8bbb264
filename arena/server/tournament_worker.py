"""The process that plays a tournament for the server: `python -m arena.server.tournament_worker`.

It reads a pickled `TournamentJob` from standard input, calls `Arena` as the command line does, and writes its events to
standard output as frames: the length in four bytes, then a `RunTournamentResponse`. It stops in order when its standard
input closes, because the server closes it or has ended.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from arena.api import Arena
from arena.client.messages import to_message
from arena.errors import ArenaError, refusal
from arena.events import Note
from arena.requests import ResumeRequest, TournamentRequest
from arena.tournament.outcome import TournamentEvent, TournamentProgress, TournamentStarted
from arena.v1 import desk_pb2 as pb

_LENGTH_BYTES = 4


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


def read_frames(pipe: IO[bytes]) -> Iterator[pb.RunTournamentResponse]:
    """Iterate over the events in a pipe until it closes. An incomplete frame at the end is ignored."""
    while len(size := pipe.read(_LENGTH_BYTES)) == _LENGTH_BYTES:
        data = pipe.read(int.from_bytes(size))
        if len(data) < int.from_bytes(size):
            return
        yield pb.RunTournamentResponse.FromString(data)


class _Worker:
    """Runs one job."""

    def __init__(self, job: TournamentJob, output: IO[bytes]) -> None:
        self.job = job
        self._output = output
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
        data = response.SerializeToString()
        try:
            self._output.write(len(data).to_bytes(_LENGTH_BYTES) + data)
            self._output.flush()
        except BrokenPipeError:  # the server has ended
            self.stop()


def main() -> None:
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else prints must not get between the frames
    job: TournamentJob = pickle.load(sys.stdin.buffer)  # noqa: S301, written by our own server
    os.chdir(job.folder)
    worker = _Worker(job, output)

    def watch_server() -> None:
        sys.stdin.buffer.read()
        worker.stop()

    threading.Thread(target=watch_server, daemon=True).start()
    worker.run()
    output.close()
    sys.stderr.flush()
    os._exit(0)  # gRPC complains if it is taken apart at the end of the interpreter


if __name__ == "__main__":
    from arena.server.tournament_worker import main as run  # so that pickles find this module by its name

    run()
