"""Does a bot start, play every game it claims, keep the rules and the time? A list of verdicts.

Real games under a referee of their own, against random bots, in every bracket that the bot claims.
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
from arena.referee.series import pairings, play_series
from arena.replay import Decision, verify
from arena.submissions.submission import bundled_submission

MEMORY_TO_MENTION = 512 * 1024 * 1024
SLOW = 0.5
"""A bot that uses more than this part of its time for a move is called slow."""
TIME_TO_END = 5.0
"""Seconds that a bot has to end by itself; more than it gets in a tournament, because the machine may be busy."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One line of the list."""

    good: bool
    what: str
    detail: str = ""
    necessary: bool = True
    """Whether a bot that fails here cannot take part; otherwise its author should look at it."""


@dataclass(frozen=True, slots=True)
class Introduction:
    """What a bot has said of itself."""

    games: tuple[str, ...]
    language: str


class Conformance:
    """A conformance run. Ask for the verdicts; what the bot said of itself is known afterwards."""

    def __init__(self, program: Launch, games: int, limits: Limits, settings: Settings) -> None:
        self.program = program
        self.games = games
        """How many are played in each bracket."""
        self.limits = limits
        self.settings = settings
        self.introduction: Introduction | None = None

    async def verdicts(self, doing: Callable[[str], None] = lambda _: None) -> AsyncGenerator[Verdict, None]:
        """One verdict after the other; `doing` is told what is under way."""
        program, limits = self.program, self.limits
        sparring = bundled_submission("random").launch
        async with Referee(limits, self.settings) as referee:
            started = time.monotonic()
            try:
                process = await referee.pool.start(program)
            except HostFault:
                raise
            except ArenaError as error:
                yield Verdict(False, "says hello", str(error))
                return
            self.introduction = Introduction(tuple(process.games), process.hello.language)
            yield Verdict(True, "says hello", f"after {time.monotonic() - started:.2f} s, {_introduction(process)}")
            outcomes: list[Outcome] = []
            memory = 0
            for bracket, seats in _brackets(process) if self.games else ():
                where = f"{bracket.game} {' '.join(value for _, value in bracket.options)}, {seats} seats"
                doing(f"playing {where}")
                played = [outcome async for outcome in _play(referee, bracket, seats, program, sparring, self.games)]
                memory = max(memory, process.child.memory() if not process.dead else 0)
                outcomes += played
                yield _bracket_verdict(where, program, played)
            for verdict in _summary(program, outcomes, limits, memory):
                yield verdict
            started = time.monotonic()
            await process.stop(TIME_TO_END)
            yield Verdict(
                process.child.exited_by_itself,
                "ends when its stream ends",
                f"after {time.monotonic() - started:.2f} s ({process.child.exit_status})",
                necessary=False,
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
    referee: Referee, bracket: Bracket, seats: int, program: Launch, sparring: Launch, games: int
) -> AsyncIterator[Outcome]:
    programs = [program] + [sparring] * (seats - 1)
    labels = [program.label] + [f"random #{seat}" for seat in range(1, seats)]
    series = pairings(bracket.game, dict(bracket.options), labels, games, "check")
    async for _, outcome in play_series(referee, series, programs, at_once=16):
        verify(outcome.replay)
        yield outcome


def _bracket_verdict(where: str, program: Launch, outcomes: list[Outcome]) -> Verdict:
    own = program.label
    faults = [fault for outcome in outcomes for fault in outcome.faults if outcome.plan.bots[fault.seat] == own]
    if faults:
        first = faults[0]
        detail = f"lost {len(faults)} of {len(outcomes)} games by a fault, {first.fault.value}: {first.detail}"
        return Verdict(False, f"plays {where}", detail)
    wins = sum(
        1 / len(outcome.result.winners)
        for outcome in outcomes
        for seat in outcome.result.winners
        if outcome.plan.bots[seat] == program.label
    )
    return Verdict(True, f"plays {where}", f"{len(outcomes)} games, won {wins / len(outcomes):.0%} against random")


def _summary(program: Launch, outcomes: list[Outcome], limits: Limits, memory: int) -> Iterator[Verdict]:
    times = [
        entry.ms
        for outcome in outcomes
        for entry in outcome.replay.entries
        if isinstance(entry, Decision) and not entry.by_house and outcome.plan.bots[entry.seat] == program.label
    ]
    if times:
        slowest = max(times)
        allowed = None if limits.turn is None else 1000 * limits.turn
        detail = f"{sum(times) / len(times):.2f} ms a move, {slowest:.1f} ms at most"
        yield Verdict(allowed is None or slowest < SLOW * allowed, "answers in good time", detail, necessary=False)
    yield Verdict(memory < MEMORY_TO_MENTION, "needs little memory", f"{memory / 2**20:.0f} MiB", necessary=False)
