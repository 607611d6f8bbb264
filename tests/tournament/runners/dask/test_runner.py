"""The conductor's side without a cluster: whatever comes back, however often, each match is taken once."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from arena.errors import HostFault
from arena.records import MatchRecord
from arena.referee import Limits, MatchPlan, Settings
from arena.requests import ClusterAddress
from arena.submissions.install import Installations
from arena.tournament.config import CONFIG
from arena.tournament.planner import PlannedMatch
from arena.tournament.runners.dask.runner import DaskRunner, SubmittedBatch
from arena.tournament.runners.dask.worker import PlayedBatch
from arena.tournament.runners.worker import Spoiled, WorkerSetup

MATCHES = [
    PlannedMatch(0, number, MatchPlan(f"1-mantis-1-{number}", "mantis", {}, "seed", ("x", "y")), (1, 2))
    for number in (1, 2)
]


def record(match: PlannedMatch) -> MatchRecord:
    return MatchRecord(match.block, match.rotation, match.plan.id, "seed", "over", (), b"", "")


def returned(*reports: MatchRecord | Spoiled) -> PlayedBatch:
    return PlayedBatch(reports, worker="a", address="tcp://a:1")


def batch(number: int) -> SubmittedBatch:
    return SubmittedBatch(f"batch {number}", {match.plan.id: match for match in MATCHES}, time.monotonic())


class Submitted(DaskRunner):
    """A runner that has submitted both matches as batch 0, and once more as batch 1."""

    def __init__(self) -> None:
        super().__init__(
            ClusterAddress(address="tcp://head:8786"),
            WorkerSetup({}, Limits(), Settings(), None),
            32,
            {},
            Installations(Path()),
        )
        self.play(MATCHES)
        self._unsubmitted.clear()
        self._submitted = {each.key: each for each in (batch(0), batch(1))}

    def take(self, *messages: tuple[int, PlayedBatch | None]) -> list[str]:
        """The names of the matches that are reported after these batches have returned; None: they are lost."""
        for number, played in messages:
            self._returns.put((batch(number), played))
        return [report.name for report in self.reports(0)]

    @property
    def unsubmitted(self) -> list[PlannedMatch]:
        return list(self._unsubmitted)


FIRST, SECOND = (match.plan.id for match in MATCHES)


def test_what_comes_twice_counts_once() -> None:
    runner = Submitted()
    both = [record(match) for match in MATCHES]
    assert runner.take((0, returned(both[0]))) == [FIRST]
    assert runner.take((1, returned(*both)), (0, returned(*both)), (7, returned(*both))) == [SECOND]
    assert not runner.unsubmitted


def test_a_lost_batch_is_submitted_again_unless_another_has_its_matches() -> None:
    runner = Submitted()
    assert runner.take((2, returned(record(MATCHES[0]))), (0, None)) == [FIRST]
    assert not runner.unsubmitted, "batch 1 is still out"
    assert runner.take((1, None)) == []
    assert runner.unsubmitted == [MATCHES[1]], "what was reported is not played again"


def test_a_match_that_was_spoiled_is_not_played_again_where_another_has_played_it() -> None:
    runner = Submitted()
    assert runner.take((0, returned(record(MATCHES[0]), record(MATCHES[1])))) == [FIRST, SECOND]
    assert runner.take((1, batch(1).spoiled("no memory"))) == []
    assert runner.spoiled == 0


def test_a_match_that_kills_worker_after_worker_ends_the_tournament() -> None:
    runner = Submitted()
    last = MATCHES[0]._replace(reruns=CONFIG.max_reruns)
    with pytest.raises(HostFault, match=rf"Match `{FIRST}` was spoiled by the host .* worker a: out of memory"):
        runner.take((0, returned(Spoiled(last, "out of memory"))))
