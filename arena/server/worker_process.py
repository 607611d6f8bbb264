"""Requests that the server carries out in processes of their own, so that they do not slow it down.

The process gets a pickled job on its standard input, calls `Arena.run` as the command line does, and writes pickled
events to its standard output. The last one is the result or a `RequestError`. When its standard input closes, because
the server closes it or has ended, a tournament stops in order, and a submission ends and changes nothing.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena import interrupts, supervisor
from arena.api import Arena
from arena.errors import ArenaError, HostFault, refusal
from arena.events import Activity
from arena.games.registry import environment as games_environment
from arena.requests import Request, SubmitRequest
from arena.server.config import CONFIG
from arena.store.home import Home
from arena.submissions.submit import SubmitResult
from arena.tournament.outcome import TournamentForecast, TournamentProgress, TournamentResult


@dataclass(frozen=True, slots=True)
class RequestError:
    """Why a request failed, as clients may read it."""

    message: str
    hint: str = ""


FinalEvent = TournamentResult | TournamentForecast | SubmitResult | RequestError


@dataclass(frozen=True, slots=True)
class WorkerJob:
    """What a worker process has to do."""

    home: str
    store: str | None
    folder: str
    """An empty working directory, so that no bot's name is taken for a path."""
    request: Request[Any, Any]


# In the server


class WorkerProcess:
    """A process that carries out a request. Its events can be followed by several clients, also later."""

    def __init__(self, home: Home, folder: Path, request: Request[Any, Any]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._process = _start()
        self._loop = asyncio.get_running_loop()
        self._kept: list[Any] = []
        """All events but those in `_states`."""
        self._states: dict[type, Any] = {}
        """The latest event of each type of which only the latest matters."""
        self._changed = asyncio.Event()
        """Set and replaced with every event."""
        self.is_over = False
        job = WorkerJob(str(home.path.resolve()), home.store, str(folder), request)
        threading.Thread(target=self._read, args=(job,), daemon=True).start()

    async def events(self) -> AsyncIterator[Any]:
        """Iterate over the events so far and to come. A slow client misses intermediate states."""
        place = 0
        seen: dict[type, Any] = {}
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
        """Let the process stop in order; kill it after the timeout."""
        await asyncio.to_thread(self._end, timeout)

    # In threads

    def _end(self, timeout: float) -> None:
        assert self._process.stdin, "a pipe"
        with suppress(OSError):
            self._process.stdin.close()  # the signal to stop
        supervisor.end(self._process, grace=timeout, terminate=False)

    def _read(self, job: WorkerJob) -> None:
        process, event = self._process, None
        assert process.stdin, "a pipe"
        assert process.stdout, "a pipe"
        with suppress(OSError, ValueError):  # it has ended, which is found out below, or is being stopped
            pickle.dump(job, process.stdin)
            process.stdin.flush()
        with suppress(EOFError, pickle.UnpicklingError):
            while True:
                event = pickle.load(process.stdout)  # noqa: S301, from our own process
                self._tell(event)
        code = process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                pipe.close()
        if not isinstance(event, FinalEvent):
            why = f"The server's process for this request ended unexpectedly ({supervisor.exit_status(code)})."
            self._tell(RequestError(why))

    def _tell(self, event: object) -> None:
        with suppress(RuntimeError):  # the server's loop has ended
            self._loop.call_soon_threadsafe(self._add, event)

    def _add(self, event: object) -> None:
        if isinstance(event, Activity | TournamentProgress):
            self._states[type(event)] = event
        else:
            self._kept.append(event)
        self.is_over = self.is_over or isinstance(event, FinalEvent)
        self._changed.set()
        self._changed = asyncio.Event()


def _start() -> subprocess.Popen[bytes]:
    """Start the process. A fork of the server itself would not do, because gRPC does not survive it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
    environment |= games_environment()
    try:
        return subprocess.Popen(
            (sys.executable, "-c", "from arena.server.worker_process import main; main()"),
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the server, which ends its workers in order
        )
    except OSError as error:
        raise HostFault(f"The server cannot start a process: {refusal(error)} Retry later.") from error


# In the process


def main() -> None:
    """Carry out the job on standard input; then end the process."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what else is printed must not get between the events
    stopping = threading.Event()

    def send(event: object) -> None:
        try:
            pickle.dump(event, output)
            output.flush()
        except BrokenPipeError:  # the server has ended
            stopping.set()

    def wait_for_end_of_input() -> None:
        sys.stdin.buffer.read()
        stopping.set()
        if isinstance(job.request, SubmitRequest):
            os.kill(os.getpid(), signal.SIGTERM)

    exit_code = 1
    try:
        interrupts.install()
        job = pickle.load(sys.stdin.buffer)  # noqa: S301, from our own server
        os.chdir(job.folder)
        threading.Thread(target=wait_for_end_of_input, daemon=True).start()
        send(carry_out(job, send, stopping.is_set))
        exit_code = 0
    except Exception:  # noqa: BLE001, a bug; the trace goes to the server's log
        traceback.print_exc()
    finally:
        interrupts.ignore_all()
        sys.stderr.flush()
        os._exit(exit_code)  # without the usual clean-up, in which gRPC complains


def carry_out(job: WorkerJob, send: Callable[[object], None], stop: Callable[[], bool] = lambda: False) -> object:
    """Carry out a job and return its result, or the error."""
    what = "submission" if isinstance(job.request, SubmitRequest) else "tournament"
    try:
        return Arena(job.home, store=job.store).run(job.request, send, stop)
    except ArenaError as error:
        return _public(str(error), error.hint or "", job)
    except OSError as error:
        return _public(refusal(error), "", job)
    except (SystemExit, KeyboardInterrupt):
        kept = "Nothing has changed." if what == "submission" else "All matches played so far are stored."
        return RequestError(f"The {what} was interrupted. {kept}")
    except Exception:  # noqa: BLE001, the client gets a sentence and the server's log the traceback
        traceback.print_exc()
        return RequestError(f"The {what} failed unexpectedly; the server's log has the details.")


def _public(message: str, hint: str, job: WorkerJob) -> RequestError:
    """Return an error without paths of the server; those of a submitted bot's files begin with its name instead."""
    bot = job.request.name if isinstance(job.request, SubmitRequest) else None
    files = re.escape(str(Path(job.home) / "bots")) + r"/[^/\s]+/(unpacked/[^/\s`]+|files)"

    def without_paths(text: str) -> str:
        text = re.sub(files, lambda _: bot or "…", text)
        return text.replace(job.home, "…")[-CONFIG.max_submission_text :]

    return RequestError(without_paths(message), without_paths(hint))
