"""Requests that the server carries out in processes of their own, so that they do not slow it down.

The process gets the request through a pipe, calls `Arena.run` as the command line does, and sends events back. The last
one is the result or a `RequestError`. When the server asks it to stop, or has ended, a tournament stops in order, and a
submission ends and changes nothing.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
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


# In the server


class WorkerProcess:
    """A process that carries out a request. Its events can be followed by several clients, also later."""

    def __init__(self, home: Home, folder: Path, request: Request[Any, Any]) -> None:
        """`folder`: an empty working directory, so that no bot's name is taken for a path."""
        folder.mkdir(parents=True, exist_ok=True)
        self._connection, theirs = Pipe()
        with theirs:
            self._process = _start(folder, theirs.fileno())
        self._loop = asyncio.get_running_loop()
        self._events: dict[object, tuple[int, Any]] = {}
        """Numbered in their order. Of an activity or the progress only the latest is kept."""
        self._count = 0
        self._changed = asyncio.Event()
        """Set and replaced with every event."""
        self.is_over = False
        job = Home(home.path.resolve(), home.store), request
        threading.Thread(target=self._read, args=(job,), daemon=True).start()

    async def events(self) -> AsyncIterator[Any]:
        """Iterate over the events so far and to come. A slow client misses intermediate states."""
        seen = 0
        while True:
            changed, is_over = self._changed, self.is_over
            for number, event in list(self._events.values()):
                if number > seen:
                    seen = number
                    yield event
            if is_over:
                return
            await changed.wait()

    async def stop(self, timeout: float) -> None:
        """Let the process stop in order; kill it after the timeout."""
        await asyncio.to_thread(self._end, timeout)

    # In threads

    def _end(self, timeout: float) -> None:
        with suppress(OSError):
            self._connection.send("stop")
        supervisor.end(self._process, grace=timeout, terminate=False)

    def _read(self, job: tuple[Home, Request[Any, Any]]) -> None:
        event = None
        with suppress(EOFError, OSError), self._connection:
            self._connection.send(job)
            while True:
                event = self._connection.recv()
                self._tell(event)
        code = self._process.wait()
        if not isinstance(event, FinalEvent):
            why = f"The server's process for this request ended unexpectedly ({supervisor.exit_status(code)})."
            self._tell(RequestError(why))

    def _tell(self, event: object) -> None:
        with suppress(RuntimeError):  # the server's loop has ended
            self._loop.call_soon_threadsafe(self._add, event)

    def _add(self, event: object) -> None:
        self._count += 1
        if isinstance(event, FinalEvent):
            self.is_over = True
            for state in (Activity, TournamentProgress):
                self._events.pop(state, None)
        key = type(event) if isinstance(event, Activity | TournamentProgress) else self._count
        self._events.pop(key, None)  # the new one is the last one
        self._events[key] = self._count, event
        self._changed.set()
        self._changed = asyncio.Event()


def _start(folder: Path, descriptor: int) -> subprocess.Popen[bytes]:
    """Start the process. A fork of the server itself would not do, because gRPC does not survive it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
    try:
        return subprocess.Popen(  # noqa: S603, our own
            (sys.executable, "-P", "-c", "from arena.server.worker_process import main; main()", str(descriptor)),
            env=environment | games_environment(),
            cwd=folder,
            pass_fds=(descriptor,),
            stdin=subprocess.DEVNULL,
            stdout=2,  # the server's log
            start_new_session=True,  # Ctrl-C is for the server, which ends its workers in order
        )
    except OSError as error:
        raise HostFault(f"The server cannot start a process: {refusal(error)} Retry later.") from error


# In the process


def main() -> None:
    """Carry out the request in the pipe; then end the process."""
    connection = Connection(int(sys.argv[1]))
    stopping = threading.Event()

    def send(event: object) -> None:
        try:
            connection.send(event)
        except OSError:  # the server has ended
            stopping.set()

    def wait_for_stop() -> None:
        with suppress(EOFError, OSError):  # the server has ended
            connection.recv()
        stopping.set()
        if isinstance(request, SubmitRequest):
            os.kill(os.getpid(), signal.SIGTERM)

    exit_code = 1
    try:
        interrupts.install()
        home, request = connection.recv()
        threading.Thread(target=wait_for_stop, daemon=True).start()
        send(carry_out(home, request, send, stopping.is_set))
        exit_code = 0
    except Exception:  # noqa: BLE001, a bug; the trace goes to the server's log
        traceback.print_exc()
    finally:
        interrupts.ignore_all()
        sys.stderr.flush()
        os._exit(exit_code)  # without the usual clean-up, in which gRPC complains


def carry_out(
    home: Home, request: Request[Any, Any], send: Callable[[object], None], stop: Callable[[], bool] = lambda: False
) -> object:
    """Carry out a request and return its result, or the error."""
    bot = request.name if isinstance(request, SubmitRequest) else None
    what, kept = "tournament", "All matches played so far are stored."
    if isinstance(request, SubmitRequest):
        what, kept = "submission", "Nothing has changed."
    try:
        return Arena(home.path, store=home.store).run(request, send, stop)
    except ArenaError as error:
        return RequestError(_public(str(error), home, bot), _public(error.hint or "", home, bot))
    except OSError as error:
        return RequestError(_public(refusal(error), home, bot))
    except (SystemExit, KeyboardInterrupt):
        return RequestError(f"The {what} was interrupted. {kept}")
    except Exception:  # noqa: BLE001, the client gets a sentence and the server's log the traceback
        traceback.print_exc()
        return RequestError(f"The {what} failed unexpectedly; the server's log has the details.")


def _public(text: str, home: Home, bot: str | None) -> str:
    """Return a message without paths of the server; those of a submitted bot's files begin with its name instead."""
    files = re.escape(str(home.bots)) + r"/[^/\s]+/(unpacked/[^/\s`]+|files)"
    text = re.sub(files, lambda _: bot or "…", text)
    return text.replace(str(home.path), "…")[-CONFIG.max_submission_text :]
