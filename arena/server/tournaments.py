"""Tournaments that organisers hold from elsewhere: `arena tournament` in the server's home, in a process of its own.

There is one at a time. It goes on when whoever has begun it leaves; it is interrupted in order when an organiser says
so or the server stops, and then one can go on with it. Should the server be killed, it interrupts itself with the next
line that it cannot tell.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

import grpc
from anyio import to_thread

from arena import supervisor
from arena.errors import BadTournament, NotFound, choices, refusal
from arena.server.auth import RequestRefused
from arena.store.home import Home
from arena.store.store import Store
from arena.submissions.submission import bundled_names
from arena.v1 import desk_pb2 as pb

VALUES = (
    *("format", "bracket", "seats", "rounds", "deals", "newcomer", "matches", "time", "until-separated", "rate"),
    *("jobs", "at-once", "seed", "name", "time-per-move", "time-per-match", "time-to-start", "ponder"),
)
FLAGS = ("double", "dry-run")
"""What an organiser elsewhere may choose. Not where things are kept, and not in which sandbox bots run."""
FREE_WHEN_RESUMED = ("jobs", "at-once")
LONGEST_LINE = 10_000
MOST_LINES = 2000
"""So many lines are kept for who comes later."""
MOST_COLUMNS = 500
USUAL_COLUMNS = 80
ENDS_WITHIN = 30.0
"""Seconds that it has to end in order."""


class Hosting:
    """Holds tournaments."""

    def __init__(self, home: Home, folder: Path, sandbox: str) -> None:
        """`folder`: an empty one, so that no name of a bot is that of a file; `sandbox`: the mode in which bots run."""
        self.home = home
        self.folder = folder
        self.sandbox = sandbox
        self._held: Held | None = None
        self._hidden = f" --home {home.path.resolve()}"

    @property
    def is_holding(self) -> bool:
        return self._held is not None and self._held.code is None

    def followed(self) -> Held:
        """The one that is being held, or was last."""
        if self._held is None:
            raise NotFound("no tournament was begun from elsewhere since the server was started.")
        return self._held

    async def hold(self, store: Store, request: pb.HoldTournamentRequest) -> Held:
        """The tournament that is asked for. Raises where it cannot be held."""
        words = await to_thread.run_sync(_words, store, request)
        if self.is_holding:
            why = "A tournament is being held here: wait for its end, follow it (--follow) or stop it (--stop)."
            raise RequestRefused(why, grpc.StatusCode.FAILED_PRECONDITION)
        if request.holding != pb.HOLDING_RESUME:
            words = [f"--sandbox={self.sandbox}", *words]
        self._held = Held(self._start(words, request.columns), asyncio.get_running_loop(), self._hidden)
        return self._held

    def _start(self, words: Sequence[str], columns: int) -> subprocess.Popen[str]:
        self.folder.mkdir(parents=True, exist_ok=True)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
        environment |= {
            "COLUMNS": str(min(columns or USUAL_COLUMNS, MOST_COLUMNS)),
            "PYTHONUTF8": "1",
            "TERM": "dumb",
        }
        if self.home.store is not None:
            environment["ARENA_STORE"] = self.home.store  # not on the command line: there may be a password in it
        home = f"--home={self.home.path.resolve()}"
        try:
            return subprocess.Popen(  # noqa: S603, our own program
                (sys.executable, "-m", "arena", "tournament", home, *words),
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,  # Ctrl-C is for the server, which interrupts it
            )
        except (OSError, ValueError) as error:  # a NUL in a value, too
            why = refusal(error) if isinstance(error, OSError) else f"{error}."
            raise BadTournament(f"the tournament cannot be begun: {why}") from error

    async def stop(self, patience: float = ENDS_WITHIN) -> None:
        """Interrupts it in order, if one is being held; who does not end within so many seconds is ended."""
        if self._held and self._held.code is None:
            await self._held.stop(patience)


class Held:
    """A tournament that is being held, or was the last one."""

    def __init__(self, process: subprocess.Popen[str], loop: asyncio.AbstractEventLoop, hidden: str) -> None:
        """`hidden`: what is left out of what it tells, because it means nothing elsewhere."""
        self.process = process
        self.code: int | None = None
        self._loop = loop
        self._hidden = hidden
        self._lines: list[pb.HoldTournamentResponse] = []
        self._forgotten = 0
        """So many lines were told before those that are kept."""
        self._more = asyncio.Event()
        """Set when there is more; from then on there is a new one."""
        assert process.stdout, "it is a pipe"
        assert process.stderr, "it is a pipe"
        listeners = [
            threading.Thread(target=self._listen, args=(process.stdout, _printed), daemon=True),
            threading.Thread(target=self._listen, args=(process.stderr, _progress), daemon=True),
        ]
        for listener in listeners:
            listener.start()
        threading.Thread(target=self._wait, args=(listeners,), daemon=True).start()

    async def follow(self) -> AsyncIterator[pb.HoldTournamentResponse]:
        """Everything that it has told and tells, to its end."""
        place = 0
        while True:
            more = self._more
            news = self._lines[max(0, place - self._forgotten) :]
            place = self._forgotten + len(self._lines)
            for line in news:
                yield line
                if line.HasField("ended"):
                    return
            await more.wait()

    async def stop(self, patience: float) -> None:
        await asyncio.to_thread(supervisor.end, self.process, grace=patience)

    # In threads

    def _listen(self, pipe: IO[str], news: Callable[[str], pb.HoldTournamentResponse]) -> None:
        with pipe:
            for line in pipe:
                self._tell(news(line.rstrip("\n").replace(self._hidden, "")[:LONGEST_LINE]))

    def _wait(self, listeners: Sequence[threading.Thread]) -> None:
        for listener in listeners:
            listener.join()
        self._tell(pb.HoldTournamentResponse(ended=self.process.wait()))

    def _tell(self, line: pb.HoldTournamentResponse) -> None:
        with suppress(RuntimeError):  # nobody listens any more: the server has ended
            self._loop.call_soon_threadsafe(self._add, line)

    def _add(self, line: pb.HoldTournamentResponse) -> None:
        if line.HasField("ended"):
            self.code = line.ended
        self._lines.append(line)
        if len(self._lines) > MOST_LINES:
            del self._lines[0]
            self._forgotten += 1
        self._more.set()
        self._more = asyncio.Event()


def _printed(line: str) -> pb.HoldTournamentResponse:
    return pb.HoldTournamentResponse(printed=line)


def _progress(line: str) -> pb.HoldTournamentResponse:
    return pb.HoldTournamentResponse(progress=line)


def _words(store: Store, request: pb.HoldTournamentRequest) -> list[str]:
    """The command line. Raises where it would do what is not meant for people elsewhere."""
    resumes = request.holding == pb.HOLDING_RESUME
    words = ["--resume"] if resumes else []
    for option in request.options:
        allowed = FREE_WHEN_RESUMED if resumes else (*VALUES, *FLAGS)
        if option.name not in allowed:
            raise NotFound(f"--{option.name} is not for tournaments from elsewhere: there are {choices(allowed)}.")
        words.append(f"--{option.name}" if option.name in FLAGS else f"--{option.name}={option.value}")
    if not resumes:
        for name in request.bots:
            if name not in bundled_names():
                store.bots.find(name)
    return [*words, "--", *request.bots] if request.bots else words
