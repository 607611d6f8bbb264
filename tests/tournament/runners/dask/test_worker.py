"""Who plays on which core of a worker: one tournament at a time, and no more batches than a table has room for."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar

import pytest

from arena.referee import Launch, Limits, Settings
from arena.tournament.planner import PlannedMatch
from arena.tournament.runners.dask import worker
from arena.tournament.runners.dask.cache import BotCache
from arena.tournament.runners.dask.worker import AT_A_TABLE, Crew, MatchBatch
from arena.tournament.runners.worker import Report, WorkerSetup

CORES = 2
BATCHES = 12


class Watched:
    """A table at which nothing is played, but somebody looks who sits there."""

    busy: ClassVar[Counter[int]] = Counter()
    """Batches by table."""
    tables: ClassVar[set[int]] = set()
    """Those that have not been closed."""
    most_at_a_table = 0
    most_tables = 0
    lock = threading.Lock()

    def __init__(self, setup: WorkerSetup) -> None:
        del setup
        self.is_over = False
        with self.lock:
            self.tables.add(id(self))
            Watched.most_tables = max(Watched.most_tables, len(self.tables))

    def play(self, jobs: Sequence[PlannedMatch], programs: Mapping[int, Launch]) -> Sequence[Report]:
        del jobs, programs
        with self.lock:
            self.busy[id(self)] += 1
            Watched.most_at_a_table = max(Watched.most_at_a_table, self.busy[id(self)])
        threading.Event().wait(0.01)
        with self.lock:
            self.busy[id(self)] -= 1
        return []

    def close(self) -> None:
        with self.lock:
            assert not self.busy[id(self)], "somebody still plays there"
            self.tables.remove(id(self))


def test_a_core_belongs_to_one_tournament_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table belongs to the tournament that it was made for, so two at a core would be two tables."""
    monkeypatch.setattr(worker, "Table", Watched)
    ours = Crew(CORES, BotCache(tmp_path))
    setup = WorkerSetup({}, Limits(), Settings(), None)
    batches = [MatchBatch(run, setup, {}, []) for _ in range(BATCHES) for run in ("one", "two", "three")]
    with ThreadPoolExecutor(len(batches)) as threads:  # more than Dask would let in at once
        played = list(threads.map(ours.play, batches))
    assert len(played) == len(batches)
    assert not any(each.trouble or each.lacking for each in played)
    assert Watched.most_at_a_table <= AT_A_TABLE
    assert Watched.most_tables <= CORES
