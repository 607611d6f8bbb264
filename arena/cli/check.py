"""`arena check`: check whether a bot starts, plays every game it claims, follows the rules and answers in time."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from arena import interrupts
from arena.cli.console import err, harmless_lines, out
from arena.cli.logs import log_folder
from arena.cli.options import DEFAULT_HOME, Home, TimeLimit, seconds
from arena.cli.sandboxes import LimitOptions, SandboxMode, sandbox_for
from arena.referee import Limits, Settings
from arena.submissions.check import CheckResult, check_bot

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
    results = interrupts.run(_check(bot, games, limits, settings))
    failed = sum(not result.passed for result in results)
    if failed:
        out.print(f"[bold red]{failed} of {len(results)} checks failed.[/]", highlight=False)
        raise typer.Exit(EXIT_FAILED)
    out.print(f"[green]All {len(results)} checks passed.[/]", highlight=False)


async def _check(bot: str, games: int, limits: Limits, settings: Settings) -> list[CheckResult]:
    results: list[CheckResult] = []
    with err.status("starting") as status:
        async for result in check_bot(bot, games, limits, settings, status.update):
            out.print(result_line(result), soft_wrap=True)
            results.append(result)
    return results


def result_line(result: CheckResult) -> Text:
    mark = Text("pass  ", style="green") if result.passed else Text("FAIL  ", style="bold red")
    return Text.assemble(mark, result.what, f": {harmless_lines(result.detail)}" if result.detail else "")
