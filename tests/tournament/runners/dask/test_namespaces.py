"""The small part of `make cluster-test`: hosts in network namespaces, a bad line that is then cut."""

from __future__ import annotations

import os

import pytest

from tests.support.waiting import until
from tests.tournament.runners.dask import namespaces

pytestmark = pytest.mark.slow


@pytest.mark.skipif(
    os.geteuid() != 0,
    reason="network namespaces need root, as .ci/run has; test_cluster.py kills the same processes without them",
)
def test_a_worker_behind_a_bad_line_that_is_cut_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP", "11s")  # instead of 30, and it takes no less
    with namespaces.trial(rounds=80) as trial:
        net = trial.machines.network
        assert net is not None
        net.worsen("a", seconds=0.02, loss=0.02)
        home = trial.home("cut")
        trial.machines.begin(home, *trial.event)
        until(lambda: trial.machines.plays("a"), "worker a plays")
        trial.machines.freeze("a")  # or its part of the tournament might be over before
        net.cut("a")
        trial.machines.thaw("a")
        trial.end(home)
        net.restore("a")  # or a worker that is stopped would wait for the scheduler
