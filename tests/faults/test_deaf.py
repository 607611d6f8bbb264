"""Bots that stop listening: they forfeit with a clear cause and are ended; all others play on."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass
from secrets import token_hex

import psutil
import pytest
import uvloop

from arena.referee import Launch, Limits, MatchPlan, Outcome, Referee
from arena.replay import FaultKind
from arena.submissions.submission import find_launch
from tests.faults.stubborn import MODES_THAT_DO_NOT_LISTEN
from tests.support.scene import PATIENCE, stubborn, tagged

pytestmark = pytest.mark.slow

TURN = 2.0
"""Seconds for a turn: a bot that listens needs a few milliseconds, however busy the machine is."""
AT_ONCE = 40
"""Matches that each of them plays at the same time."""
ROOM = 64 * 1024 * 1024
"""Bytes by which the referee may grow, with all that it has to say to bots that do not listen."""
RANDOM = find_launch("random")
SILENT = r"limit 2 s of CPU time|It exceeded its time limit and sent nothing for 1 s more\."
"""In the match in which it was late, and in all others that it plays."""
CAUSES = {
    "never-reads": SILENT,
    "no-window": r"It has not read its stream for 5 s\.",
    "freezes": SILENT,
    "one-answer": SILENT,
}


@dataclass(slots=True)
class Evening:
    """The outcomes of all of them playing at once."""

    outcomes: dict[str, list[Outcome]]
    left: list[psutil.Process]
    """Processes of theirs that were there when all matches were over, while the referee still worked."""
    growth: int


async def play_all(tag: str) -> Evening:
    async with Referee(Limits(start=60.0, turn=TURN)) as referee:
        await referee.pool.start(RANDOM)
        size = psutil.Process().memory_info().rss

        async def play(name: str, first: Launch) -> list[Outcome]:
            plans = [
                MatchPlan(f"{name}-{number}", "mantis", {}, f"seed {number}", (first.label, RANDOM.label))
                for number in range(AT_ONCE)
            ]
            return list(await asyncio.gather(*(referee.play(plan, (first, RANDOM)) for plan in plans)))

        modes = {mode: stubborn(mode, tag) for mode in MODES_THAT_DO_NOT_LISTEN}
        modes["honest"] = RANDOM
        found = await asyncio.gather(*(play(mode, program) for mode, program in modes.items()))
        growth = psutil.Process().memory_info().rss - size
        left = tagged(tag)
        deadline = asyncio.get_running_loop().time() + PATIENCE
        while left and asyncio.get_running_loop().time() < deadline:
            await asyncio.sleep(0.1)
            left = tagged(tag)
        return Evening(dict(zip(modes, found, strict=True)), left, growth)


@pytest.fixture(scope="module")
def evening() -> Iterator[Evening]:
    tag = f"tag-{token_hex(8)}"
    try:
        yield uvloop.run(play_all(tag))
    finally:
        for process in tagged(tag):
            process.kill()


@pytest.mark.parametrize("mode", MODES_THAT_DO_NOT_LISTEN)
def test_it_forfeits_and_is_told_apart_by_the_cause(mode: str, evening: Evening) -> None:
    outcomes = evening.outcomes[mode]
    assert len(outcomes) == AT_ONCE
    for outcome in outcomes:
        (fault,) = outcome.faults
        assert (fault.seat, fault.fault) == (0, FaultKind.TIMEOUT), fault
        assert re.search(CAUSES[mode], fault.detail), fault
        assert outcome.result.placements == (2, 1)


def test_the_others_play_on(evening: Evening) -> None:
    assert all(outcome.faults == () for outcome in evening.outcomes["honest"])


def test_they_are_ended_while_the_referee_works_on(evening: Evening) -> None:
    assert evening.left == []


def test_the_referee_does_not_grow_with_what_they_do_not_read(evening: Evening) -> None:
    assert evening.growth < ROOM
