"""`arena check`: does a bot start, play every game it claims, keep the rules and the time? A list of verdicts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

import typer
from rich.text import Text

from arena.cli.console import err, harmless_lines, out
from arena.cli.logs import log_folder
from arena.cli.options import DEFAULT_HOME, Home, TimeLimit, seconds
from arena.cli.sandboxes import LimitOptions, SandboxMode, sandbox_for
from arena.errors import ArenaError
from arena.referee import Limits, Settings
from arena.referee.running import run_to_end
from arena.submissions.build import build
from arena.submissions.check import Conformance, Verdict
from arena.submissions.submission import find_submission

EXIT_FAILED = 1


def check(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="As for arena match.")],
    games: Annotated[int, typer.Option(min=1, help="How many games in each bracket.")] = 20,
    time_per_move: TimeLimit = "1s",
    time_to_start: TimeLimit = "10s",
    sandbox: SandboxMode = "auto",
    limit: LimitOptions = None,
    home: Home = DEFAULT_HOME,
) -> None:
    """Check a bot: it starts, says hello, plays full games in every bracket it claims, keeps the rules and the time.

    Example: arena check ./my_bot
    """
    limits = Limits(seconds(time_to_start) or 60.0, seconds(time_per_move))
    settings = Settings(logs=log_folder(home), sandbox=sandbox_for(sandbox, limit))
    verdicts = run_to_end(_check(bot, games, limits, settings))
    failed = sum(not verdict.good for verdict in verdicts)
    if failed:
        out.print(f"[bold red]{failed} of {len(verdicts)} checks failed.[/]", highlight=False)
        raise typer.Exit(EXIT_FAILED)
    out.print(f"[green]All {len(verdicts)} checks passed.[/]", highlight=False)


async def _check(bot: str, games: int, limits: Limits, settings: Settings) -> list[Verdict]:
    verdicts: list[Verdict] = []
    async for verdict in _verdicts(bot, games, limits, settings):
        out.print(verdict_line(verdict), soft_wrap=True)
        verdicts.append(verdict)
    return verdicts


async def _verdicts(bot: str, games: int, limits: Limits, settings: Settings) -> AsyncIterator[Verdict]:
    try:
        submission = find_submission(bot)
        with err.status("building") if submission.manifest.build else err.status("starting"):
            build(submission)
    except ArenaError as error:
        yield Verdict(False, "can be started", f"{error} {error.hint or ''}".strip())
        return
    yield Verdict(True, "can be started", " ".join(submission.launch.command))
    with err.status("starting") as status:
        async for verdict in Conformance(submission.launch, games, limits, settings).verdicts(status.update):
            yield verdict


def verdict_line(verdict: Verdict) -> Text:
    mark = Text("pass  ", style="green") if verdict.good else Text("FAIL  ", style="bold red")
    return Text.assemble(mark, verdict.what, f": {harmless_lines(verdict.detail)}" if verdict.detail else "")
