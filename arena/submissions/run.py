"""Submit and check bots: the use cases behind `Arena.submit` and `Arena.check`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from arena import interrupts
from arena.events import Activity, Note
from arena.referee import Settings
from arena.requests import CheckRequest, SubmitRequest
from arena.store.home import Home
from arena.store.store import Store
from arena.submissions.check import CheckResult, check_bot
from arena.submissions.submit import SubmissionRequest, submit

Notify = Callable[[Activity | Note | CheckResult], None]


@dataclass(frozen=True, slots=True)
class SubmitResult:
    """A bot version after its submission."""

    bot: str
    version: str
    games: tuple[str, ...]
    is_new: bool
    """False: a version with the same files exists, and nothing has changed."""
    failed: tuple[CheckResult, ...] = ()
    """Checks that the bot failed without being refused for it."""

    @property
    def label(self) -> str:
        return f"{self.bot} {self.version}"


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The results of all checks of a bot, in order."""

    results: tuple[CheckResult, ...]

    @property
    def passed(self) -> bool:
        return all(result.passed for result in self.results)


def submit_bot(home: Home, request: SubmitRequest, notify: Notify) -> SubmitResult:
    """Copy, build, check and register a bot."""
    submission = SubmissionRequest(
        request.path,
        request.name,
        request.version,
        request.notes,
        request.limits,
        request.choose_sandbox(notify),
        request.build_network,
    )
    failed: list[CheckResult] = []

    def add(result: CheckResult) -> None:
        notify(result)
        if not result.passed:
            failed.append(result)

    with Store.open(home.database) as store:
        done = submit(home, store, submission, on_step=lambda what: notify(Activity(what)), on_result=add)
    version = done.version
    return SubmitResult(version.bot, version.version, tuple(version.games), done.is_new, tuple(failed))


def run_check(home: Home, request: CheckRequest, notify: Notify) -> CheckReport:
    """Start a bot and play games with it in every bracket that it claims to play."""
    settings = Settings(logs=home.writable_logs(notify), sandbox=request.choose_sandbox(notify))
    results: list[CheckResult] = []

    async def check() -> None:
        steps = check_bot(request.bot, request.games, request.limits, settings, lambda what: notify(Activity(what)))
        async for result in steps:
            notify(result)
            results.append(result)

    interrupts.run(check())
    return CheckReport(tuple(results))
