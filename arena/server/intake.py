"""Takes in a bot that somebody has sent, in a process of its own: matches go on while it is built and tried out.

The process gets its job as a line of JSON on standard input, and tells how it goes in lines of JSON on standard output.
It ends in order, with nothing changed, when it is told to (SIGTERM), or when its standard input closes because the
server is gone.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import AsyncGenerator, Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from anyio import CapacityLimiter, to_thread

from arena import interrupts, supervisor
from arena.errors import ArenaError, BadSubmission, HostFault, refusal
from arena.sandbox import Mode, Tier, choose
from arena.store.home import Home
from arena.store.store import Store
from arena.submissions.check import CheckResult
from arena.submissions.submit import SubmissionRequest, submit

LONGEST = 4000
"""The characters that a text has that is told; the last ones count."""
ENDS_WITHIN = 20.0
"""Seconds that the process has to end in order."""
THREADS = CapacityLimiter(64)
"""For those who listen to such a process: none of the threads that others need."""
Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class IntakeJob:
    """A bot that has come."""

    home: str
    store: str | None
    files: str
    """The folder in which it has come, below the home."""
    program: str
    """The file there with which it is started; empty: its arena.toml says how."""
    name: str
    version: str | None
    notes: str
    sandbox: str
    """The mode of the sandbox that the organiser has chosen."""


async def take_in(job: IntakeJob) -> AsyncGenerator[Line, None]:
    """What there is to tell: lines with `doing` or `shortcoming`, the last one with `submitted` or `refused`.

    Whoever stops asking before that stops it.
    """
    process = _start()
    assert process.stdin, "it is a pipe"
    assert process.stdout, "it is a pipe"
    try:
        process.stdin.write(json.dumps(asdict(job)).encode() + b"\n")  # less than a pipe holds
        process.stdin.flush()
        while line := await to_thread.run_sync(process.stdout.readline, abandon_on_cancel=True, limiter=THREADS):
            yield json.loads(line)
    finally:
        # Whatever happens to us meanwhile, nobody is left behind.
        await asyncio.shield(asyncio.to_thread(_end, process))


def _start() -> subprocess.Popen[bytes]:
    """Takes a moment, for which the event loop can wait; it must not do it itself: gRPC does not survive a fork."""
    try:
        return subprocess.Popen(
            (sys.executable, "-m", "arena.server.intake"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the server, which lets it end
        )
    except OSError as error:
        raise HostFault(f"the server cannot look at bots at the moment: {refusal(error)} Hand it in later.") from error


def _end(process: subprocess.Popen[bytes]) -> None:
    supervisor.end(process, grace=ENDS_WITHIN)
    for pipe in (process.stdin, process.stdout):
        if pipe:
            pipe.close()


# In the process


def main() -> None:
    job = IntakeJob(**json.loads(sys.stdin.readline()))
    interrupts.install()
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    code = 1
    try:
        _tell_how_it_goes(job)
        code = 0
    except SystemExit:
        code = interrupts.EXIT_TERMINATED
    except Exception:  # noqa: BLE001, a mistake of ours, for the server's log
        traceback.print_exc()
    finally:
        interrupts.ignore_all()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)  # at once: all is done, and gRPC complains where it is taken apart late


def _tell_how_it_goes(job: IntakeJob) -> None:
    folder = Path(job.files)

    def tell(**line: Any) -> None:
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()

    def refuse(why: str) -> None:
        told = why.replace(f"{folder}/", "").replace(str(folder), job.name).replace(job.home, "…")
        tell(refused=told[-LONGEST:])

    try:
        _take_in(job, folder, tell)
    except ArenaError as error:
        refuse(str(error))
    except OSError as error:
        refuse(refusal(error))


def _take_in(job: IntakeJob, folder: Path, tell: Callable[..., None]) -> None:
    def judged(verdict: CheckResult) -> None:
        if not verdict.passed and not verdict.required:
            tell(shortcoming=[verdict.what, verdict.detail[-LONGEST:]])

    sandbox, _ = choose(Mode(job.sandbox))
    if sandbox.tier is Tier.NONE and job.sandbox != Mode.NONE:
        raise BadSubmission(
            "this server has no sandbox, so it takes in no bots from elsewhere: arena doctor tells its organiser "
            "what is missing."
        )
    submission = SubmissionRequest(
        str(folder / job.program), job.name, job.version, job.notes, sandbox=sandbox, shown_as=job.name
    )
    home = Home(Path(job.home), job.store)
    with Store.open(home.database) as store:
        taken = submit(home, store, submission, on_step=lambda what: tell(doing=what), on_result=judged)
    version = taken.version
    tell(submitted={"name": version.bot, "version": version.version, "games": version.games, "is_new": taken.is_new})


def _end_with_the_server() -> None:
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
