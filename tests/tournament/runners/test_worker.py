"""Worker processes on this machine."""

from __future__ import annotations

import os
import pickle
import struct
import time
from pathlib import Path

from arena.records import MatchRecord
from arena.referee import Limits, MatchPlan, Settings
from arena.tournament.planner import PlannedMatch
from arena.tournament.runners.local import WorkerProcess
from arena.tournament.runners.worker import Report, WorkerSetup
from tests.support.referees import PATIENCE, RANDOM


def planned(number: int) -> PlannedMatch:
    plan = MatchPlan(f"1-mantis-{number + 1}-1", "mantis", {}, f"seed {number}", ("a", "b"))
    return PlannedMatch(number, 0, plan, (1, 1))


def test_a_worker_waits_for_the_rest_of_a_message(tmp_path: Path) -> None:
    """Once it took the first part of a long message for the end of the tournament, and ended with exit code 0."""
    setup = WorkerSetup({1: RANDOM}, Limits(PATIENCE, PATIENCE), Settings(logs=tmp_path), core=None)
    matches = [planned(number) for number in range(20)]
    worker = WorkerProcess(setup)
    try:
        worker.send(matches[:1])
        found: list[Report] = worker.connection.recv()  # it is ready now
        message = pickle.dumps(matches[1:])
        for part in (struct.pack("!i", len(message)) + message[:100], message[100:]):
            os.write(worker.connection.fileno(), part)
            time.sleep(0.3)
        while len(found) < len(matches):
            found += worker.connection.recv()
        assert {report.block for report in found if isinstance(report, MatchRecord)} == set(range(20))
    finally:
        worker.send(None)
        worker.wait()
