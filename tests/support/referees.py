"""Matches under a real referee."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import psutil
import uvloop

from arena import replay
from arena.referee import Launch, Limits, MatchPlan, Outcome, Referee, Settings
from arena.submissions.submission import find_launch
from tests.support.waiting import until

T = TypeVar("T")
PATIENCE = 60.0
"""Seconds after which something that must happen has not."""
LIMITS = Limits(start=PATIENCE, turn=PATIENCE)
RANDOM = find_launch("random")


def run(job: Callable[[Referee], Awaitable[T]], limits: Limits = LIMITS, settings: Settings | None = None) -> T:
    """Runs the job with a referee, and sees to it that nothing is left over."""
    # Those that earlier tests left may end at any moment: what counts is what is new.
    processes, descriptors = set(psutil.Process().children()), psutil.Process().num_fds()
    folders: list[Path] = []

    async def with_referee() -> T:
        async with Referee(limits, settings) as referee:
            folders.append(referee.folder)
            return await job(referee)

    result = uvloop.run(with_referee())
    assert set(psutil.Process().children()) <= processes
    assert not folders[0].exists()
    # grpc keeps a few descriptors for itself, and closes others when it comes to it; what would show here is one for
    # each bot or match
    until(lambda: psutil.Process().num_fds() <= descriptors + 20)
    return result


async def play(
    referee: Referee, *programs: Launch, game: str = "mantis", number: int = 1, options: dict[str, str] | None = None
) -> Outcome:
    labels = tuple(program.label for program in programs)
    return await referee.play(MatchPlan(f"m{number}", game, options or {}, f"seed {number}", labels), programs)


def check_outcome(outcome: Outcome) -> None:
    """The replay verifies and says what the outcome says."""
    read_back = replay.loads(replay.dumps(outcome.replay).encode())
    assert replay.verify(read_back) == outcome.result
    assert read_back.forfeited == tuple(fault.seat for fault in outcome.faults)


def alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
