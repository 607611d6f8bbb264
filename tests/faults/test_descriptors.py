"""The referee runs out of open files: that is a HostFault, no bot loses by it, and nothing hangs."""

from __future__ import annotations

import asyncio
import resource
import sqlite3
import subprocess
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import uvloop

from arena.errors import HostFault
from arena.referee import Limits, MatchPlan, Outcome, Referee
from arena.requests import SubmitRequest
from arena.sandbox import Sandbox
from arena.store.home import Home
from arena.store.store import Store
from arena.submissions.submission import find_launch
from arena.submissions.submit import submit
from tests.support.cli import ARENA, ROOT, said
from tests.support.scene import PATIENCE, SLOW_MACHINE, stubborn
from tests.support.tournaments import on_record, play

pytestmark = pytest.mark.slow

LIMITS = Limits(start=60.0, turn=60.0)


def limited(files: int, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run `arena` with this limit of open files."""
    command = f"ulimit -n {files}; exec {' '.join([*ARENA, *map(str, arguments)])}"
    return subprocess.run(
        ("sh", "-c", command), capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE, check=False
    )


@pytest.mark.parametrize("files", [11, 17, 22, 34])
def test_a_match_for_which_there_are_too_few_files_ends_in_a_sentence(files: int, tmp_path: Path) -> None:
    """Wherever they run out: in the event loop, in the server, with the first bot or with the last one."""
    bots = ("random", "random", "greedy", "greedy", "counter", "counter")
    done = limited(files, "match", "mantis", *bots, "--games", "6", *SLOW_MACHINE, "--home", tmp_path)
    assert done.returncode == 2, done
    assert done.stdout == ""
    error, *hint = said(done)
    assert "open files" in error
    assert "ulimit -n" in " ".join([error, *hint])
    assert len(hint) in (0, 2), done.stderr


def test_a_tournament_of_more_bots_than_files_allow_costs_no_bot_a_match(tmp_path: Path) -> None:
    home = Home(tmp_path)
    names = [f"bot{number}" for number in range(6)]
    with Store.open(home.database) as store:
        for name in names:
            submit(home, store, SubmitRequest(path="random", name=name, time_to_start=60.0), Sandbox(), thorough=False)
    event = (*names, "--seats", "2", "--rounds", "1", "--bracket", "mantis", "--seed", "1", *SLOW_MACHINE)
    done = limited(44, "tournament", *event, "--jobs", "1", "--home", tmp_path)
    assert done.returncode == 2, done
    assert "Traceback" not in done.stderr
    assert "Too many open files" in done.stderr
    assert "Resume with: arena tournament --resume 1" in done.stderr
    assert forfeits(tmp_path) == 0
    assert on_record(tmp_path) < 30  # how many could be played hangs on how many bots were started at once
    play(tmp_path, "--resume")
    assert on_record(tmp_path) == 30
    assert forfeits(tmp_path) == 0


def forfeits(home: Path) -> int:
    with closing(sqlite3.connect(f"file:{home / 'arena.db'}?mode=ro", uri=True)) as connection:
        return int(connection.execute("SELECT count(*) FROM seats WHERE fault IS NOT NULL").fetchone()[0])


def test_a_bot_that_cannot_be_let_in_has_not_lost(tag: str) -> None:
    """The files run out when it has been started and before it comes."""
    late, random = stubborn("comes-late", tag), find_launch("random")

    async def play_without_files(referee: Referee, match: asyncio.Task[Outcome]) -> None:
        while len(referee.pool.processes) < 2:
            await asyncio.sleep(0.01)
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        # None at all: others may be closed at any moment, and would make room for more.
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
        try:
            with pytest.raises(HostFault, match="comes-late was not started: Too many open files"):
                await match
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    async def job() -> Outcome:
        async with Referee(LIMITS) as referee:
            await referee.pool.start(random)  # it is here when the files run out
            plan = MatchPlan("m", "mantis", {}, "seed", (late.label, random.label))
            referee.limits = replace(LIMITS, start=6.0)
            first = asyncio.create_task(referee.play(plan, (late, random)))
            await play_without_files(referee, first)
            referee.limits = LIMITS
            return await referee.play(plan, (random, random))

    assert uvloop.run(job()).faults == ()
