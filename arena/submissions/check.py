"""Check whether a bot starts, plays every game it claims, follows the rules and answers in time.

It plays real games against random bots, with a referee of its own, in every bracket that it claims.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from dataclasses import dataclass

from arena.errors import ArenaError, HostFault
from arena.games.brackets import Bracket
from arena.games.registry import find_game
from arena.referee import Launch, Limits, Outcome, Referee, Settings
from arena.referee.processes.process import BotProcess
from arena.referee.series import plan_series, play_series
from arena.replay import Decision, verify
from arena.submissions.build import build
from arena.submissions.config import CONFIG
from arena.submissions.submission import bundled_submission, find_submission


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check."""

    passed: bool
    what: str
    detail: str = ""
    required: bool = True
    """Whether a bot that fails this check cannot be submitted; otherwise the result is a warning for its author."""


@dataclass(frozen=True, slots=True)
class Introduction:
    """What a bot's hello says about it."""

    games: tuple[str, ...]
    language: str


async def check_bot(
    named: str, games: int, limits: Limits, settings: Settings, on_step: Callable[[str], None] = lambda _: None
) -> AsyncIterator[CheckResult]:
    """Find, build and check a bot. `games` is the number of games per bracket."""
    try:
        submission = find_submission(named)
        on_step("building" if submission.manifest.build else "starting")
        build(submission)
    except ArenaError as error:
        yield CheckResult(False, "can be started", f"{error} {error.hint or ''}".strip())
        return
    yield CheckResult(True, "can be started", " ".join(submission.launch.command))
    async for result in BotCheck(submission.launch, games, limits, settings).results(on_step):
        yield result


class BotCheck:
    """A check of a bot that is built. `introduction` is set once the bot has said hello."""

    def __init__(self, launch: Launch, games: int, limits: Limits, settings: Settings) -> None:
        self.launch = launch
        self.games = games
        self.limits = limits
        self.settings = settings
        self.introduction: Introduction | None = None

    async def results(self, on_step: Callable[[str], None]) -> AsyncGenerator[CheckResult, None]:
        """Yield the results one by one. Call `on_step` with each step."""
        launch, limits = self.launch, self.limits
        opponent = bundled_submission("random").launch
        async with Referee(limits, self.settings) as referee:
            started = time.monotonic()
            try:
                process = await referee.pool.start(launch)
            except HostFault:
                raise
            except ArenaError as error:
                yield CheckResult(False, "says hello", str(error))
                return
            self.introduction = Introduction(tuple(process.games), process.hello.language)
            yield CheckResult(True, "says hello", f"after {time.monotonic() - started:.2f} s, {_introduction(process)}")
            outcomes: list[Outcome] = []
            memory = 0
            for bracket, seats in _brackets(process) if self.games else ():
                where = f"{bracket.game} {' '.join(value for _, value in bracket.options)}, {seats} seats"
                on_step(f"playing {where}")
                played = [outcome async for outcome in _play(referee, bracket, seats, launch, opponent, self.games)]
                memory = max(memory, process.child.memory() if not process.dead else 0)
                outcomes += played
                yield _bracket_result(where, launch, played)
            for result in _summary(launch, outcomes, limits, memory):
                yield result
            started = time.monotonic()
            await process.stop(CONFIG.check_stop)
            yield CheckResult(
                process.child.exited_by_itself,
                "ends when its stream ends",
                f"after {time.monotonic() - started:.2f} s ({process.child.exit_status})",
                required=False,
            )


def _introduction(process: BotProcess) -> str:
    hello = process.hello
    at_once = f"{hello.matches_at_once} matches at once" if hello.matches_at_once else "any number of matches at once"
    return f"{hello.name} {hello.version} in {hello.language}, plays {' and '.join(process.games)}, {at_once}"


def _brackets(process: BotProcess) -> Iterator[tuple[Bracket, int]]:
    """Yield every bracket of every game that the bot plays, with the fewest seats and with up to six."""
    for name in process.games:
        for bracket in Bracket.all_of(find_game(name)):
            for seats in sorted({bracket.fewest, min(bracket.seat_range[-1], 6)}):
                yield bracket, seats


async def _play(
    referee: Referee, bracket: Bracket, seats: int, launch: Launch, opponent: Launch, games: int
) -> AsyncIterator[Outcome]:
    launches = [launch] + [opponent] * (seats - 1)
    labels = [launch.label] + [f"random #{seat}" for seat in range(1, seats)]
    series = plan_series(bracket.game, dict(bracket.options), labels, games, "check")
    async for _, outcome in play_series(referee, series, launches, at_once=16):
        verify(outcome.replay)
        yield outcome


def _bracket_result(where: str, launch: Launch, outcomes: list[Outcome]) -> CheckResult:
    own = launch.label
    faults = [fault for outcome in outcomes for fault in outcome.faults if outcome.plan.bots[fault.seat] == own]
    if faults:
        first = faults[0]
        detail = f"lost {len(faults)} of {len(outcomes)} games by a fault, {first.fault.value}: {first.detail}"
        return CheckResult(False, f"plays {where}", detail)
    wins = sum(
        1 / len(outcome.result.winners)
        for outcome in outcomes
        for seat in outcome.result.winners
        if outcome.plan.bots[seat] == launch.label
    )
    return CheckResult(True, f"plays {where}", f"{len(outcomes)} games, won {wins / len(outcomes):.0%} against random")


def _summary(launch: Launch, outcomes: list[Outcome], limits: Limits, memory: int) -> Iterator[CheckResult]:
    times = [
        entry.ms
        for outcome in outcomes
        for entry in outcome.replay.entries
        if isinstance(entry, Decision) and not entry.by_house and outcome.plan.bots[entry.seat] == launch.label
    ]
    if times:
        slowest = max(times)
        allowed = None if limits.turn is None else 1000 * limits.turn
        detail = f"{sum(times) / len(times):.2f} ms a move, {slowest:.1f} ms at most"
        yield CheckResult(
            allowed is None or slowest < CONFIG.check_slow * allowed, "answers in good time", detail, required=False
        )
    yield CheckResult(memory < CONFIG.check_memory, "needs little memory", f"{memory / 2**20:.0f} MiB", required=False)
