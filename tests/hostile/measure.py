"""Plays matches between attackers and honest bots, and measures the result of each attack.

What an attacker says of itself is one half. The other is seen from outside: what the test's own things have felt, how
the honest bots fared, how much the referee has grown, and what is left over when all is done.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import resource
import secrets
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import psutil
import uvloop

from arena import replay
from arena.referee import Launch, Limits, MatchPlan, Outcome, Referee, Settings
from arena.sandbox import Allowance, Sandbox, Tier
from arena.sandbox.cell import StrongCell
from arena.sandbox.config import MIB
from arena.submissions.submission import find_launch
from tests.hostile.attacks import Attack, Result
from tests.hostile.stage import Stage, staged

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(__file__).parent / "programs"
SIGN = "ATTACK: "
ALLOWANCE = Allowance(memory=96 * MIB, processes=64, cpus=1.0, files=256, disk=16 * MIB, log=256 * 1024)
LIMITS = Limits(start=90.0, turn=20.0)
HURRIED = Limits(start=90.0, turn=2.0)
PATIENCE = 60.0
"""Timeout in seconds."""
AT_ONCE = 4
USUAL_FILES = 1024
"""The usual limit of open files. The referee is attacked with this limit."""
GROWTH = 400 * MIB
"""The referee's memory must grow by less than this because of one bot."""
HONEST = find_launch("random")
SLOW = find_launch(str(PROGRAMS / "slow.py"))


@dataclass(slots=True)
class Evidence:
    """The evidence of one attack in one tier."""

    attack: Attack
    tier: Tier
    outcome: Outcome | None = None
    others: list[Outcome] = field(default_factory=list)
    """Matches between honest bots during the attack."""
    log: str = ""
    tallies: list[dict[str, list[str]]] = field(default_factory=list)
    """The attackers' own reports."""
    seen: list[str] = field(default_factory=list)
    """What was observed from outside and must not happen."""
    left: list[str] = field(default_factory=list)
    """What was left after the referee was closed."""
    trouble: str = ""
    """Why the match was not played, if it was not."""

    @property
    def did(self) -> list[str]:
        return [deed for tally in self.tallies for deed in tally["did"]] + self.seen + self.left

    @property
    def limited(self) -> list[str]:
        faults = [fault.detail for fault in self.outcome.faults] if self.outcome else []
        return [limit for tally in self.tallies for limit in tally["limited"]] + faults

    @property
    def result(self) -> Result:
        if self.did or self.trouble:  # an attack that prevents a match has succeeded
            return Result.NOT_BLOCKED
        return Result.CONTAINED if self.limited else Result.BLOCKED

    def wrong(self) -> str:
        """Return what differs from the expected result; empty if nothing does."""
        expected = self.attack.expected(self.tier)
        if self.trouble:
            return f"the match was not played: {self.trouble}"
        if self.result is not expected:
            return f"{self.result}, not {expected}: {self.did or self.limited}\n{self.log}"
        if expected is not Result.NOT_BLOCKED and self.left:
            return f"left over: {self.left}"
        return self._wrong_in_the_match() if self.outcome else ""

    def _wrong_in_the_match(self) -> str:
        assert self.outcome
        attack, last = self.attack, len(self.outcome.plan.bots) - 1
        for outcome in (self.outcome, *self.others):
            read_back = replay.loads(replay.dumps(outcome.replay).encode())
            if replay.verify(read_back) != outcome.result:
                return f"the replay of {outcome.plan.id} does not verify"
        for fault in (*(fault for other in self.others for fault in other.faults), *self.outcome.faults):
            if fault.seat == last or fault not in self.outcome.faults:
                return f"an honest bot has a fault: {fault}"
            if not attack.fault or not re.search(attack.fault, fault.detail):
                return f"its fault is not the one that it should be: {fault}"
        if self.tier in attack.forfeits and not self.outcome.faults:
            return "it has not forfeited"
        if not self.tallies and not self.outcome.faults:
            return f"it has not reported a result:\n{self.log}"
        return ""


def measure(tier: Tier, attacks: Sequence[Attack]) -> dict[str, Evidence]:
    """Run the attacks of this tier and return the evidence of each."""
    found: dict[str, Evidence] = {}
    runnable = [attack for attack in attacks if attack.expected(tier) is not Result.NOT_RUN]
    together = [attack for attack in runnable if not attack.hurried and not attack.newcomers]
    sessions = [together, *([attack] for attack in runnable if attack not in together)]
    for chosen in sessions:
        if chosen:
            found |= _Session(tier, HURRIED if chosen[0].hurried else LIMITS).run(chosen)
    return found


class _Session:
    """One referee and the attacks that are measured with it."""

    def __init__(self, tier: Tier, limits: Limits) -> None:
        self.tier = tier
        self.limits = limits
        self.mark = f"hostile-{secrets.token_hex(8)}"
        self.found: dict[str, Evidence] = {}

    def run(self, attacks: Sequence[Attack]) -> dict[str, Evidence]:
        before = psutil.Process().num_fds()
        with staged(self.tier) as (stage, logs):
            uvloop.run(self._with_referee(attacks, stage, logs))
            left_over = self._left_over()
        for attack in attacks:
            evidence = self.found[attack.name]
            evidence.seen += [f"touched: {name}" for name in attack.touches if name in stage.touched]
            evidence.left += [what for owner, what in left_over if owner in (attack.name, "")]
            if self.folder.exists():
                evidence.left.append(f"{self.folder} is still there")
            # gRPC keeps a few descriptors; a leak would be one per bot or match
            if psutil.Process().num_fds() > before + 20:
                evidence.left.append(f"{psutil.Process().num_fds() - before} open files")
        return self.found

    async def _with_referee(self, attacks: Sequence[Attack], stage: Stage, logs: Path) -> None:
        settings = Settings(sandbox=Sandbox(self.tier, ALLOWANCE), logs=logs)
        gate = asyncio.Semaphore(AT_ONCE)
        async with Referee(self.limits, settings) as referee:
            self.folder = referee.folder

            async def one(attack: Attack) -> None:
                async with gate:
                    await self._attack(referee, attack, stage, logs)

            await asyncio.gather(*(one(attack) for attack in attacks if not attack.alone))
            for attack in attacks:
                if attack.alone:
                    await one(attack)

    def _programs(self, attack: Attack, stage: Stage, folder: Path) -> list[Launch]:
        """Return the attackers. Their whole folder is bound, because they share a module."""
        mark = f"{self.mark}-{attack.name}-"
        env = {**stage.aims(folder), "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
        roles = [(attack.way, "first"), (attack.way, "second")] if attack.way else [()]
        return [
            Launch(
                name="-".join((attack.name, *role[1:])),
                version="",
                folder=PROGRAMS,
                command=(sys.executable, str(PROGRAMS / attack.file), mark, *role),
                env=env,
            )
            for role in roles
        ]

    async def _attack(self, referee: Referee, attack: Attack, stage: Stage, logs: Path) -> None:
        evidence = self.found[attack.name] = Evidence(attack, self.tier)
        programs = self._programs(attack, stage, referee.folder)
        honest = SLOW if attack.slowly else HONEST
        seats = [*programs, honest]
        plan = MatchPlan(attack.name, "mantis", {}, attack.name, tuple(program.label for program in seats))
        try:
            with _usual_limits(attack.newcomers):
                async with _growth(evidence, referee, programs):
                    match = asyncio.create_task(referee.play(plan, seats))
                    if attack.newcomers:
                        await asyncio.sleep(0)
                        evidence.others += await _newcomers(referee, match)
                    evidence.outcome = await match
                    await self._hear(referee, evidence, programs, logs)
        except Exception as error:  # noqa: BLE001, whatever it is, the attack has stopped a match
            evidence.trouble = f"{type(error).__name__}: {error}"
        if attack.name == "cpu-hog":
            evidence.seen += self._not_held_back(referee, programs[0], evidence)
        if not any("Referee._tick" in repr(task.get_coro()) for task in asyncio.all_tasks()):
            evidence.seen.append("the referee no longer checks its clocks")
        size = sum(file.stat().st_size for file in logs.glob(f"{attack.name}*"))
        if size > ALLOWANCE.log + 65536 + 4096 * len(programs):
            evidence.seen.append(f"its log has {size} bytes")

    async def _hear(self, referee: Referee, evidence: Evidence, programs: Sequence[Launch], logs: Path) -> None:
        """Wait until the attackers have reported a result or have ended."""
        deadline = time.monotonic() + PATIENCE
        for program in programs:
            while time.monotonic() < deadline:
                alive = [each for each in referee.pool.processes.values() if each.launch == program and not each.dead]
                ended = [each for each in referee.pool.processes.values() if each.launch == program]
                log = logs / program.log_name
                text = log.read_text(errors="replace") if log.exists() else ""
                lines = [line for line in text.splitlines() if line.startswith(SIGN)]
                if lines:
                    evidence.tallies.append(json.loads(lines[-1].removeprefix(SIGN)))
                    break
                if not alive and not any(not each.child.exited.is_set() for each in ended):
                    break
                await asyncio.sleep(0.05)
            evidence.log += text[-3000:]

    def _not_held_back(self, referee: Referee, program: Launch, evidence: Evidence) -> list[str]:
        """Return whether its CPU is not limited. How much it used says little on a busy machine."""
        cells = [each.cell for each in referee.pool.processes.values() if each.launch == program]
        folders = [folder for cell in cells if isinstance(cell, StrongCell) for folder in cell.group.folders]
        quotas = [folder / name for folder in folders for name in ("cpu.cfs_quota_us", "cpu.max")]
        if not [int(path.read_text().split()[0]) for path in quotas if path.exists()]:
            return ["nothing holds it back"]
        cores = float(evidence.limited[0].split()[0])
        return [f"it used {cores} cores"] if cores > 1.5 * ALLOWANCE.cpus else []

    def _left_over(self) -> list[tuple[str, str]]:
        """Return what is still there after a moment, with the attack that left it."""
        deadline = time.monotonic() + (2.0 if self.tier is Tier.NONE else 20.0)
        while (left := [*self._processes(), *_groups()]) and time.monotonic() < deadline:
            time.sleep(0.05)
        for process in psutil.process_iter(["cmdline"]):
            if any(self.mark in word for word in process.info["cmdline"] or ()):
                with contextlib.suppress(psutil.Error):
                    process.kill()
                    process.wait(5)
        return left

    def _processes(self) -> Iterator[tuple[str, str]]:
        for process in psutil.process_iter(["cmdline"]):
            for word in process.info["cmdline"] or ():
                if word.startswith(self.mark):
                    yield word.removeprefix(f"{self.mark}-").rstrip("-"), f"process {process.info['cmdline']} lives on"


def _groups() -> Iterator[tuple[str, str]]:
    """Return the control groups of all referees of this process."""
    for path in Path("/sys/fs/cgroup").glob(f"**/arena-{os.getpid()}-*"):
        yield "", f"{path} is still there"


async def _newcomers(referee: Referee, attack: asyncio.Task[Outcome]) -> list[Outcome]:
    """Play matches between bots that must be started during the attack."""
    outcomes = []
    for number in range(3):
        fresh = [replace(HONEST, version=f"{number}.{seat}") for seat in range(2)]
        plan = MatchPlan(f"fresh-{number}", "mantis", {}, "fresh", tuple(each.label for each in fresh))
        outcomes.append(await referee.play(plan, fresh))
        if attack.done():
            break
    return outcomes


@contextlib.contextmanager
def _usual_limits(wanted: bool) -> Iterator[None]:
    """Apply the usual limit of open files to the referee."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(USUAL_FILES, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@contextlib.asynccontextmanager
async def _growth(evidence: Evidence, referee: Referee, programs: Sequence[Launch]) -> AsyncIterator[None]:
    """Watch the memory of the referee and of the attackers."""
    before = peak = psutil.Process().memory_info().rss
    most = 0

    async def watch() -> None:
        nonlocal peak, most
        while evidence.attack.alone:
            peak = max(peak, psutil.Process().memory_info().rss)
            attackers = [each.child for each in referee.pool.processes.values() if each.launch in programs]
            most = max(most, *(process.memory() for process in attackers), 0)
            await asyncio.sleep(0.1)

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()
        if peak - before > GROWTH:
            evidence.seen.append(f"the referee grew by {(peak - before) // MIB} MiB")
        if most > ALLOWANCE.memory + GROWTH:
            evidence.seen.append(f"it held {most // MIB} MiB")
