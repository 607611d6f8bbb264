"""One fault costs one match: a bot that raises, dies or hangs in some matches plays its others to the end."""

from __future__ import annotations

import asyncio
import sys
import zlib
from pathlib import Path

import pytest

from arena.games.registry import find_game
from arena.referee import Launch, Limits, Outcome, Referee, Settings
from arena.replay import FaultKind
from tests.support.referees import PATIENCE, RANDOM, check_outcome, play, run

FAULTY = """
import os, signal, time, zlib
from arena.bot import Bot

class Faulty(Bot):
    def mantis(self, turn):
        # Which match it is can be told from the cards that were dealt; the fault comes in the third turn or later.
        number = zlib.crc32(repr(turn.view.dealt).encode()) % 20
        if number == 7 and len(turn.view.history) >= 4:
            {fault}
        return turn.legal[0]

Faulty().run()
"""
FAULTS = {
    "raises": 'raise ValueError("no idea")',
    "returns nonsense": "return 7",
    "dies": "os.kill(os.getpid(), signal.SIGSEGV)",
    "exits": "os._exit(3)",
    "hangs": "time.sleep(1000)",
}
MATCHES = 120
DEALS = [find_game("mantis").new(2, f"seed {number}").view(0).dealt for number in range(MATCHES)]
EXPECTED = {number for number, dealt in enumerate(DEALS) if zlib.crc32(repr(dealt).encode()) % 20 == 7}
"""The matches with the fault."""


def faulty(folder: Path, fault: str) -> Launch:
    file = folder / "faulty.py"
    file.write_text(FAULTY.format(fault=fault), encoding="utf-8")
    return Launch("faulty", "", folder, (sys.executable, str(file)))


async def play_all(referee: Referee, bot: Launch, at_once: int) -> list[Outcome]:
    room = asyncio.Semaphore(at_once)

    async def one(number: int) -> Outcome:
        async with room:
            return await play(referee, bot, RANDOM, number=number)

    return await asyncio.gather(*map(one, range(MATCHES)))


def forfeits(folder: Path, fault: str, at_once: int, limits: Limits) -> dict[int, tuple[FaultKind, str]]:
    """Play the matches. Return the faults, by the number of the match."""
    bot = faulty(folder, FAULTS[fault])
    outcomes = run(lambda referee: play_all(referee, bot, at_once), limits, Settings(logs=folder / "logs"))
    found = {}
    for number, outcome in enumerate(outcomes):
        check_outcome(outcome)
        for each in outcome.faults:
            assert each.seat == 0
            found[number] = each.fault, each.detail
    return found


@pytest.mark.parametrize("at_once", [1, 16, MATCHES])
@pytest.mark.parametrize("fault", ["raises", "returns nonsense", "dies", "exits"])
def test_a_fault_costs_its_own_match_however_many_are_played_at_once(fault: str, at_once: int, tmp_path: Path) -> None:
    found = forfeits(tmp_path, fault, at_once, Limits(start=PATIENCE, turn=PATIENCE))
    assert {kind for kind, _ in found.values()} == {FaultKind.CRASH}
    assert set(found) == EXPECTED
    log = (tmp_path / "logs" / "faulty.log").read_text(encoding="utf-8")
    if fault == "raises":
        assert {detail for _, detail in found.values()} == {"It raised ValueError: no idea (faulty.py:10)."}
        assert log.count("the bot raised an exception") == len(found)
        assert log.count("started, process") == 1, "an exception needs no new process"


def test_a_hang_costs_its_own_match(tmp_path: Path) -> None:
    found = forfeits(tmp_path, "hangs", MATCHES, Limits(start=PATIENCE, turn=0.2))
    assert {kind for kind, _ in found.values()} == {FaultKind.TIMEOUT}
    assert set(found) == EXPECTED


def test_a_bot_that_never_answers_is_given_up(tmp_path: Path) -> None:
    file = tmp_path / "faulty.py"
    file.write_text(
        "import os\nfrom arena.bot import Bot\nclass B(Bot):\n def mantis(self, turn): os._exit(4)\nB().run()\n",
        encoding="utf-8",
    )
    bot = Launch("faulty", "", tmp_path, (sys.executable, str(file)))
    outcomes = run(lambda referee: play_all(referee, bot, MATCHES), settings=Settings(logs=tmp_path / "logs"))
    details = [fault.detail for outcome in outcomes for fault in outcome.faults]
    assert len(details) == MATCHES
    assert any("This is failure 6 in a row, so it is not started again." in detail for detail in details)
    started = (tmp_path / "logs" / "faulty.log").read_text(encoding="utf-8").count("started, process")
    assert started < 20


ONE_AT_A_TIME = """
import os, threading
from pathlib import Path
from arena.bot import Bot

class B(Bot):
    matches_at_once = 1

    def mantis(self, turn):
        if not turn.view.history and not Path("ended").exists():
            Path("ended").touch()
            threading.Timer(0.2, os._exit, [5]).start()  # later, when it is idle or thinks about another turn
        return turn.legal[0]

B().run()
"""


def test_a_bot_that_plays_one_match_at_a_time_continues_it_alone(tmp_path: Path) -> None:
    """The match that waits for the bot must not take the new process from the one that continues."""
    file = tmp_path / "faulty.py"
    file.write_text(ONE_AT_A_TIME, encoding="utf-8")
    bot = Launch("faulty", "", tmp_path, (sys.executable, str(file)))
    outcomes = run(lambda referee: play_all(referee, bot, MATCHES))
    assert len(outcomes) == MATCHES
    assert sum(len(outcome.faults) for outcome in outcomes) <= 1
