"""The conductor's side without a cluster: whatever comes back, however often, each match is taken once."""

from __future__ import annotations

import time

import pytest

from arena.errors import HostFault
from arena.records import MatchRecord
from arena.referee import Limits, MatchPlan, Settings
from arena.tournament.planner import PlannedMatch
from arena.tournament.runners.dask.link import Link
from arena.tournament.runners.dask.runner import DaskRunner, Lost, Message, Out, Returned
from arena.tournament.runners.dask.worker import Played
from arena.tournament.runners.local import MOST_RERUNS
from arena.tournament.runners.worker import Spoiled, WorkerSetup

JOBS = [
    PlannedMatch(0, number, MatchPlan(f"1-mantis-1-{number}", "mantis", {}, "seed", ("x", "y")), (1, 2))
    for number in (1, 2)
]


def record(job: PlannedMatch) -> MatchRecord:
    return MatchRecord(job.block, job.rotation, job.plan.id, "seed", "over", (), b"", "")


def returned(number: int, *reports: MatchRecord | Spoiled) -> Returned:
    return Returned(number, Played("a", "tcp://a:1", reports))


class LocalRunner(DaskRunner):
    """A pool that has handed out both matches as batch 0, and once more as batch 1."""

    def __init__(self) -> None:
        super().__init__(Link("tcp://head:8786"), WorkerSetup({}, Limits(), Settings(), None), 32, {}, lambda _: b"")
        self.play(JOBS)
        self._forming.clear()
        for number in (0, 1):
            self._out[number] = Out({job.plan.id: job for job in JOBS}, f"batch {number}", time.monotonic())

    def take(self, *messages: Message) -> list[str]:
        """The names of the matches that are reported after these messages."""
        for message in messages:
            self._messages.put(message)
        return [report.name for report in self.reports(0)]

    @property
    def to_hand_out(self) -> list[PlannedMatch]:
        return list(self._forming)


FIRST, SECOND = (job.plan.id for job in JOBS)


def test_what_comes_twice_counts_once() -> None:
    pool = LocalRunner()
    both = [record(job) for job in JOBS]
    assert pool.take(returned(0, both[0])) == [FIRST]
    assert pool.take(returned(1, *both), returned(0, *both), returned(7, *both)) == [SECOND]
    assert not pool.to_hand_out


def test_a_batch_that_is_lost_is_handed_out_again_unless_it_is_elsewhere_too() -> None:
    pool = LocalRunner()
    assert pool.take(returned(2, record(JOBS[0])), Lost(0, "the scheduler was lost")) == [FIRST]
    assert not pool.to_hand_out, "batch 1 is still out"
    assert pool.take(Lost(1, "the scheduler was lost")) == []
    assert pool.to_hand_out == [JOBS[1]], "what was reported is not played again"


def test_a_match_that_was_spoiled_is_not_played_again_where_another_has_played_it() -> None:
    pool = LocalRunner()
    assert pool.take(returned(0, record(JOBS[0]), record(JOBS[1]))) == [FIRST, SECOND]
    assert pool.take(returned(1, Spoiled(JOBS[0], "no memory"), Spoiled(JOBS[1], "no memory"))) == []
    assert pool.spoiled == 0


def test_a_match_that_kills_worker_after_worker_ends_the_tournament() -> None:
    pool = LocalRunner()
    last = JOBS[0]._replace(reruns=MOST_RERUNS)
    with pytest.raises(HostFault, match=rf"match {FIRST} was spoiled by the host .* worker a: out of memory"):
        pool.take(returned(0, Spoiled(last, "out of memory")))
