"""The clocks: what is charged, what the wall is for, and bots that use the processor while others think."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena.protocol.clock import Moment, Spent
from arena.referee import Launch, Limits, MatchPlan, Outcome, Referee, Settings
from arena.referee.config import CONFIG
from arena.referee.host_load import HostLoad
from arena.referee.match import Match
from arena.sandbox import Sandbox, Tier, probe
from arena.submissions.submission import find_launch

TIERS = [tier for tier in Tier if probe(tier).works]
PLAN = MatchPlan("clocks", "mantis", {}, "clocks", ("a", "b"))
BURNER = """
import sys, threading
from arena.bot import Bot

class Burner(Bot):
    matches_at_once = 1

    def mantis(self, turn):
        return turn.legal[0]

def burn():
    while True:
        pass

threading.Thread(target=burn, daemon=True).start()
Burner().run()
"""
SLEEPER = """
import time
from arena.bot import Bot

class Sleeper(Bot):
    matches_at_once = 1

    def mantis(self, turn):
        time.sleep(0.3)
        return turn.legal[0]

Sleeper().run()
"""


def overtime(limits: Limits, *turns: Spent) -> str | None:
    """Why the last of these turns is over time."""
    match = Match(PLAN, limits)
    for spent in turns[:-1]:
        match.charge(0, spent)
    return match.overtime(0, turns[-1])


def test_a_bot_that_waits_in_every_turn_exceeds_the_limit_for_waiting() -> None:
    turn = Spent(4_000.0, 1.0)
    assert overtime(Limits(turn=1.0), turn, turn) is None
    assert overtime(Limits(turn=1.0), turn, turn, turn) == (
        "Waiting limit exceeded: kept the match waiting for 12.0 s, limit 10 s besides 5 times its CPU time "
        "(seat 0, decision 1)."
    )
    assert overtime(Limits(turn=1.0, wait=20.0), turn, turn, turn) is None
    assert overtime(Limits(turn=None), *[turn] * 100) is None


def test_a_bot_that_computes_is_given_the_wall_time_that_a_busy_machine_takes() -> None:
    turn = Spent(4_000.0, 900.0)
    assert overtime(Limits(turn=1.0), *[turn] * 100) is None
    assert overtime(Limits(turn=1.0), *[Spent(900.0)] * 100) is None, "without CPU time, waiting is thinking"


def test_an_answer_after_too_much_waiting_is_a_timeout() -> None:
    match = Match(PLAN, Limits(turn=1.0, wait=5.0))
    codes = (1, 1)
    for code in codes:
        seat = match.state.to_move
        assert seat is not None
        fault = match.answer(seat, code, Spent(5_100.0, 1.0))
        assert fault is not None
        assert fault.detail.startswith("Waiting limit exceeded")


def test_what_counts_is_the_processors_time() -> None:
    limits = Limits(turn=0.5)
    assert overtime(limits, Spent(wall=3000, cpu=200)) is None
    assert overtime(limits, Spent(wall=600, cpu=502)) == (
        "Time limit exceeded: used 0.50 s of CPU time, limit 0.5 s (seat 0, decision 1)."
    )


def test_the_wall_is_a_backstop() -> None:
    limits = Limits(turn=0.5)
    assert overtime(limits, Spent(wall=3499, cpu=0)) is None
    assert overtime(limits, Spent(wall=3501, cpu=0)) == (
        "Time limit exceeded: waited 3.5 s, limit 0.5 s of CPU time (seat 0, decision 1)."
    )


def test_where_the_processors_time_is_not_known_the_wall_counts() -> None:
    assert overtime(Limits(turn=0.5), Spent(wall=600)) == (
        "Time limit exceeded: used 0.60 s, limit 0.5 s (seat 0, decision 1)."
    )


def test_the_time_for_a_match() -> None:
    limits = Limits(turn=None, match=1.0)
    assert overtime(limits, Spent(1000, 600), Spent(900, 300)) is None
    assert overtime(limits, Spent(1000, 600), Spent(900, 410)) == (
        "Match time limit exceeded: used 1.01 s of CPU time, limit 1 s (seat 0, decision 1)."
    )
    assert overtime(limits, Spent(5500, 1), Spent(501, 1)) == (
        "Match time limit exceeded: waited 6.0 s, limit 1 s of CPU time (seat 0, decision 1)."
    )


def test_moments_are_subtracted_clock_by_clock() -> None:
    assert Moment(12.0, 250.0).since(Moment(10.0, 50.0)) == Spent(2000.0, 200.0)
    assert Moment(12.0).since(Moment(10.0, 50.0)) == Spent(2000.0, None)
    assert Spent(90.0, 30.0).divided(3) == Spent(30.0, 10.0)


def bot(folder: Path, source: str, name: str) -> Launch:
    file = folder / f"{name}.py"
    file.write_text(source, encoding="utf-8")
    return Launch(name, "", folder, (sys.executable, str(file)), file=file)


async def play(settings: Settings, limits: Limits, *programs: Launch) -> tuple[Outcome, str]:
    async with Referee(limits, settings) as referee:
        plan = MatchPlan("clocks", "mantis", {}, "clocks", tuple(program.label for program in programs))
        outcome = await referee.play(plan, programs)
        states = "frozen" if any(process.cell.frozen for process in referee.pool.processes.values()) else "free"
    return outcome, states


@pytest.mark.parametrize("tier", TIERS)
def test_a_bot_that_sleeps_is_not_charged(tier: Tier, tmp_path: Path) -> None:
    """Its turns take longer than allowed by the clock, but it uses nothing."""
    sleeper = bot(tmp_path, SLEEPER, "sleeper")
    limits = Limits(start=120.0, turn=0.25, wait=60.0)
    outcome, _ = asyncio.run(play(Settings(sandbox=Sandbox(tier)), limits, sleeper, find_launch("random")))
    assert outcome.faults == ()
    seat = outcome.plan.bots.index("sleeper")
    assert outcome.wall_ms[seat] >= 300 * outcome.decisions[seat]
    assert outcome.think_ms[seat] == outcome.cpu_ms[seat]
    assert outcome.think_ms[seat] < 250 * outcome.decisions[seat]
    assert outcome.overhead_ms >= 0


@pytest.mark.parametrize("tier", TIERS)
def test_a_bot_that_uses_the_processor_while_others_think_is_frozen(tier: Tier, tmp_path: Path) -> None:
    burner, sleeper = bot(tmp_path, BURNER, "burner"), bot(tmp_path, SLEEPER, "sleeper")
    settings = Settings(sandbox=Sandbox(tier), ponder=False, logs=tmp_path / "logs")
    limits = Limits(start=120.0, turn=60.0)
    outcome, _ = asyncio.run(play(settings, limits, burner, sleeper))
    assert outcome.faults == ()
    assert "it uses the CPU while others think" in (tmp_path / "logs" / "burner.log").read_text()
    assert "it uses the CPU" not in (tmp_path / "logs" / "sleeper.log").read_text()


def test_a_bot_may_ponder_where_it_is_allowed(tmp_path: Path) -> None:
    burner, sleeper = bot(tmp_path, BURNER, "burner"), bot(tmp_path, SLEEPER, "sleeper")
    settings = Settings(ponder=True, logs=tmp_path / "logs")
    outcome, states = asyncio.run(play(settings, Limits(start=120.0, turn=60.0), burner, sleeper))
    assert (outcome.faults, states) == ((), "free")
    assert "it uses the CPU" not in (tmp_path / "logs" / "burner.log").read_text()


# The machine


def test_a_referee_that_comes_late_has_an_overloaded_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("arena.referee.host_load.time.monotonic", lambda: now)
    monkeypatch.setattr("arena.referee.host_load.CONFIG", replace(CONFIG, load_interval=1e9))
    host = HostLoad()
    now += 0.02
    host.sample(0.02)
    assert not host.overloaded_since(0.0)
    now += 0.03 + CONFIG.stall
    host.sample(0.02)
    assert host.overloaded_since(100.0)
    assert not host.overloaded_since(now + 1)


@pytest.mark.parametrize(
    ("running", "stolen", "crowded"), [(1, 0, False), (1000, 0, True), (1, 500, True), (1, 10, False)]
)
def test_what_the_kernel_says_about_a_crowd(running: int, stolen: int, crowded: bool) -> None:
    host = HostLoad()
    host._is_crowded("cpu  100 0 100 800 0 0 0 0 0 0\nprocs_running 1\n")
    assert host._is_crowded(f"cpu  200 0 200 1600 0 0 0 {stolen} 0 0\nprocs_running {running}\n") is crowded
