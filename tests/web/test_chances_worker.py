"""The process that computes win chances: restarted when it is killed, and limited."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import psutil
import pytest

from arena.errors import NotFound
from arena.games.registry import find_game
from arena.replay import dumps, simulate_game
from arena.web import chances_worker
from arena.web.chances_worker import ChancesWorker
from arena.web.config import CONFIG
from arena.web.errors import ServerBusy
from arena.web.viewer.chances import chances_of

GAME = simulate_game(find_game("mantis"), {}, 2, "1", "1-mantis-1-1").replay
TEXT = dumps(GAME)


def test_chances_survive_the_death_of_their_process() -> None:
    async def run() -> None:
        asked = ChancesWorker()
        try:
            first = await asked.chances(TEXT, None)
            assert first == chances_of(GAME)
            assert asked._process
            (process,) = asked._process._processes.values()
            assert process.pid
            psutil.Process(process.pid).kill()
            assert await asked.chances(TEXT, 1) == chances_of(GAME, 1)
            with pytest.raises(NotFound, match="no seat `2`"):
                await asked.chances(TEXT, 2)
        finally:
            asked.close()

    asyncio.run(run())


def test_the_number_of_waiting_curves_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chances_worker, "CONFIG", replace(CONFIG, max_waiting_curves=1))

    async def run() -> None:
        asked = ChancesWorker()
        try:
            both = asyncio.gather(asked.chances(TEXT, None), asked.chances(TEXT, None))
            await asyncio.sleep(0)
            with pytest.raises(ServerBusy):
                await asked.chances(TEXT, 0)
            one, same = await both
            assert one == same
        finally:
            asked.close()

    asyncio.run(run())
