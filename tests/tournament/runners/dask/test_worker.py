"""A Dask worker plays for one tournament at a time, and lets none wait for ever."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar

import pytest

from arena.referee import Limits, Settings
from arena.tournament.runners.dask import worker
from arena.tournament.runners.dask.cache import BotCache
from arena.tournament.runners.dask.worker import BatchPlayer, MatchBatch, PlayedBatch
from arena.tournament.runners.worker import WorkerSetup

CORES = 2
BATCHES = 12


class Watched:
    """A runner that plays nothing and notes which runs are played at the same time."""

    playing: ClassVar[list[str]] = []
    open: ClassVar[set[int]] = set()
    most_open = 0
    lock = threading.Lock()

    def __init__(self, run: str, setup: WorkerSetup, cores: int) -> None:
        del setup
        assert cores == CORES
        self.run = run
        self.is_ending = False

    def start(self) -> None:
        self.open.add(id(self))
        Watched.most_open = max(Watched.most_open, len(self.open))

    def play_batch(self, batch: MatchBatch, _: BotCache) -> PlayedBatch:
        assert batch.run == self.run
        with self.lock:
            self.playing.append(self.run)
            assert set(self.playing) == {self.run}, "another tournament is played at the same time"
        threading.Event().wait(0.01)
        with self.lock:
            self.playing.remove(self.run)
        return PlayedBatch()

    def end(self, wait: bool) -> None:
        assert wait
        assert not self.playing, "its batches are still played"
        self.open.remove(id(self))


def test_a_worker_plays_for_one_tournament_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "BatchRunner", Watched)
    player = BatchPlayer(BotCache(tmp_path))
    setup = WorkerSetup({}, Limits(), Settings(), None)
    batches = [MatchBatch(run, setup, {}, []) for _ in range(BATCHES) for run in ("one", "two", "three")]
    with ThreadPoolExecutor(len(batches)) as threads:  # more than Dask would start at once
        played = list(threads.map(lambda batch: player.play(batch, CORES), batches))
    assert len(played) == len(batches)
    assert not any(each.reports or each.lacking for each in played)
    assert Watched.most_open == 1
