"""`arena check`: does a bot start, play every game it claims, and keep the rules and the time limits?"""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from arena.cli.console import err, harmless, harmless_lines, out, print_note
from arena.cli.groups import grouped
from arena.cli.location import HomeLocation
from arena.cli.sandboxes import CheckOptions
from arena.events import Activity, Note
from arena.requests import CheckRequest
from arena.submissions.check import CheckResult

EXIT_FAILED = 1


@grouped
def check(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="A file, a folder, an archive, or a bundled bot.")],
    limits: CheckOptions,
    location: HomeLocation,
    games: Annotated[int, typer.Option(min=1, help="Games in each bracket.")] = 20,
) -> None:
    """Check a bot: start it, play full games in every bracket it claims, and verify rules and time limits.

    Example: arena check ./my_bot
    """
    with err.status("starting") as status:

        def show(event: Activity | Note | CheckResult) -> None:
            if isinstance(event, Note):
                print_note(event)
            elif isinstance(event, Activity):
                status.update(harmless(event.text))
            else:
                out.print(result_line(event), soft_wrap=True)

        report = location.arena.run(CheckRequest(bot=bot, games=games, **limits.values()), show)
    failed = sum(not result.passed for result in report.results)
    if failed:
        out.print(f"[bold red]{failed} of {len(report.results)} checks failed.[/]", highlight=False)
        raise typer.Exit(EXIT_FAILED)
    out.print(f"[green]All {len(report.results)} checks passed.[/]", highlight=False)


def result_line(result: CheckResult) -> Text:
    """Return the result of a check as a line to print."""
    mark = Text("pass  ", style="green") if result.passed else Text("FAIL  ", style="bold red")
    return Text.assemble(mark, harmless(result.what), f": {harmless_lines(result.detail)}" if result.detail else "")
