"""Submits an uploaded bot in a process of its own, so that its build and check do not slow down the server.

On SIGTERM, or when its standard input is closed because the server is gone, the process ends and changes nothing.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from pathlib import Path

from anyio import CapacityLimiter, to_thread

from arena import interrupts, supervisor
from arena.errors import ArenaError, BadSubmission, refusal
from arena.sandbox import Mode, Tier, choose
from arena.server.config import CONFIG, ServerConfig
from arena.server.worker_process import read_messages, run_job, send_job, start_worker, when_input_closes
from arena.store.home import Home
from arena.store.store import Store
from arena.submissions.check import CheckResult
from arena.submissions.config import SubmissionConfig
from arena.submissions.submit import SubmissionRequest, submit
from arena.v1 import desk_pb2 as pb

READERS = CapacityLimiter(64)
"""Threads that wait for these processes, apart from the threads of the rest of the server."""


@dataclass(frozen=True, slots=True)
class SubmissionJob:
    """An uploaded bot to submit."""

    home: str
    store: str | None
    archive: str
    content_hash: str
    name: str
    version: str | None
    notes: str
    sandbox: str
    """The mode of the sandbox."""
    most_bytes: int
    most_files: int


async def run_submission(job: SubmissionJob, config: ServerConfig) -> AsyncGenerator[pb.SubmitResponse, None]:
    """Submit a bot in a new process and yield its messages. Closing the generator ends the process."""
    process = start_worker("arena.server.submission_worker")
    try:
        send_job(process, job)  # less than a pipe holds
        messages = read_messages(process, pb.SubmitResponse)

        def read() -> pb.SubmitResponse | None:
            return next(messages, None)

        while (message := await to_thread.run_sync(read, abandon_on_cancel=True, limiter=READERS)) is not None:
            yield message
    finally:
        await asyncio.shield(asyncio.to_thread(_end, process, config.submission_shutdown))


def _end(process: subprocess.Popen[bytes], timeout: float) -> None:
    supervisor.end(process, grace=timeout)
    for pipe in (process.stdin, process.stdout):
        if pipe:
            pipe.close()


# In the process


def run(job: SubmissionJob, write: Callable[[pb.SubmitResponse], None]) -> None:
    interrupts.install()
    when_input_closes(lambda: os.kill(os.getpid(), signal.SIGTERM))
    report_submission(job, write)


def report_submission(job: SubmissionJob, write: Callable[[pb.SubmitResponse], None]) -> None:
    """Submit a bot and write a message for each step, each failed check and the result."""
    longest = CONFIG.max_submission_text

    def on_result(result: CheckResult) -> None:
        if not result.passed and not result.required:
            check = pb.FailedCheck(what=result.what, detail=result.detail[-longest:])
            write(pb.SubmitResponse(failed_check=check))

    try:
        request = _request(job)
        home = Home(Path(job.home), job.store)
        with Store.open(home.database) as store:
            result = submit(
                home, store, request, on_step=lambda step: write(pb.SubmitResponse(doing=step)), on_result=on_result
            )
    except (ArenaError, OSError) as error:
        why = refusal(error) if isinstance(error, OSError) else "\n".join(filter(None, (str(error), error.hint)))
        write(pb.SubmitResponse(refused=_without_paths(why, job)[-longest:]))
        return
    version = result.version
    submitted = pb.SubmittedBot(name=version.bot, version=version.version, games=version.games, is_new=result.is_new)
    write(pb.SubmitResponse(submitted=submitted))


def _request(job: SubmissionJob) -> SubmissionRequest:
    sandbox, _ = choose(Mode(job.sandbox))
    if sandbox.tier is Tier.NONE and job.sandbox != Mode.NONE:
        raise BadSubmission(
            "This server has no sandbox, so it accepts no bots.",
            hint="Its organiser can run `arena doctor`, which shows what is missing.",
        )
    return SubmissionRequest(
        job.archive,
        job.name,
        job.version,
        job.notes,
        sandbox=sandbox,
        shown_as=job.name,
        content_hash=job.content_hash,
        size_limits=SubmissionConfig(most_bytes=job.most_bytes, most_files=job.most_files),
    )


def _without_paths(text: str, job: SubmissionJob) -> str:
    """Return a message with paths in the bot's folder instead of paths of the server."""
    below = re.escape(str(Path(job.home) / "bots")) + r"/[^/\s]+/(unpacked/[^/\s`]+|files)"
    return re.sub(below, job.name, text).replace(job.home, "…")


if __name__ == "__main__":
    from arena.server.submission_worker import run as run_here  # the name under which the job was pickled

    run_job(run_here)
