"""Check whether a bot starts, plays every game it claims, follows the rules and answers in time.

It plays real games against random bots, with a referee of its own, in every bracket that it claims.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from arena import interrupts
from arena.errors import ArenaError, HostFault
from arena.events import Activity, Note
from arena.games.brackets import Bracket
from arena.games.registry import find_game
from arena.referee import Launch, Limits, Outcome, Referee, Settings
from arena.referee.processes.process import BotProcess
from arena.referee.series import plan_series, play_series
from arena.replay import Decision, verify
from arena.requests import CheckRequest
from arena.store.home import Home
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
class CheckReport:
    """The results of all checks of a bot, in order."""

    results: tuple[CheckResult, ...]

    @property
    def passed(self) -> bool:
        return all(result.passed for result in self.results)


Notify = Callable[[Activity | Note | CheckResult], None]
Played = tuple[int, Outcome]
"""The bot's seat in a match, and the outcome."""


def run_check(home: Home, request: CheckRequest, notify: Notify) -> CheckReport:
    """Find, build and check a bot: the use case behind `Arena.check`."""
    settings = Settings(logs=home.writable_logs(notify), sandbox=request.choose_sandbox(notify))
    results: list[CheckResult] = []

    def add(event: Activity | Note | CheckResult) -> None:
        notify(event)
        if isinstance(event, CheckResult):
            results.append(event)

    try:
        submission = find_submission(request.bot)
        add(Activity("building" if submission.manifest.build else "starting"))
        build(submission)
    except ArenaError as error:
        add(CheckResult(False, "can be started", f"{error} {error.hint or ''}".strip()))
    else:
        add(CheckResult(True, "can be started", " ".join(submission.launch.command)))
        interrupts.run(check_bot(submission.launch, request.games, request.limits, settings, add))
    return CheckReport(tuple(results))


async def check_bot(
    launch: Launch, games: int, limits: Limits, settings: Settings, notify: Notify
) -> BotProcess | None:
    """Check a bot that is built, with this number of games per bracket. `notify` may raise to end the check.

    Return its process, which has ended; None if it did not say hello.
    """
    opponent = bundled_submission("random").launch
    async with Referee(limits, settings) as referee:
        started = time.monotonic()
        try:
            process = await referee.pool.start(launch)
        except HostFault:
            raise
        except ArenaError as error:
            notify(CheckResult(False, "says hello", str(error)))
            return None
        notify(CheckResult(True, "says hello", f"after {time.monotonic() - started:.2f} s, {_introduction(process)}"))
        all_played: list[Played] = []
        memory = 0
        for bracket, seats in _brackets(process) if games else ():
            where = f"{bracket.game} {' '.join(value for _, value in bracket.options)}, {seats} seats"
            notify(Activity(f"playing {where}"))
            labels = [launch.label, *(f"random #{seat}" for seat in range(1, seats))]
            series = plan_series(bracket.game, dict(bracket.options), labels, games, "check")
            played: list[Played] = []
            async for match, outcome in play_series(referee, series, [launch, *[opponent] * (seats - 1)], at_once=16):
                verify(outcome.replay)
                played.append((match.entrants.index(0), outcome))
            memory = max(memory, process.child.memory() if not process.dead else 0)
            all_played += played
            notify(_bracket_result(where, played))
        for result in _summary(all_played, limits, memory):
            notify(result)
        started = time.monotonic()
        await process.stop(CONFIG.check_stop)
        detail = f"after {time.monotonic() - started:.2f} s ({process.child.exit_status})"
        notify(CheckResult(process.child.exited_by_itself, "ends when its stream ends", detail, required=False))
        return process


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


def _bracket_result(where: str, played: list[Played]) -> CheckResult:
    faults = [fault for seat, outcome in played for fault in outcome.faults if fault.seat == seat]
    if faults:
        detail = f"lost {len(faults)} of {len(played)} games by a fault, {faults[0].fault.value}: {faults[0].detail}"
        return CheckResult(False, f"plays {where}", detail)
    winners = [outcome.result.winners for seat, outcome in played if seat in outcome.result.winners]
    share = sum(1 / len(each) for each in winners) / len(played)
    return CheckResult(True, f"plays {where}", f"{len(played)} games, won {share:.0%} against random")


def _summary(played: list[Played], limits: Limits, memory: int) -> Iterator[CheckResult]:
    times = [
        entry.ms
        for seat, outcome in played
        for entry in outcome.replay.entries
        if isinstance(entry, Decision) and not entry.by_house and entry.seat == seat
    ]
    if times:
        in_time = limits.turn is None or max(times) < CONFIG.check_slow * 1000 * limits.turn
        detail = f"{sum(times) / len(times):.2f} ms a move, {max(times):.1f} ms at most"
        yield CheckResult(in_time, "answers in good time", detail, required=False)
    yield CheckResult(memory < CONFIG.check_memory, "needs little memory", f"{memory / 2**20:.0f} MiB", required=False)
