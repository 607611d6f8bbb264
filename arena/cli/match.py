"""`arena match`: play bots against each other, and print the scores and the reason of every forfeit."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Annotated

import typer
from rich import box
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from arena.cli.console import err, harmless_lines, out, print_note, shown
from arena.cli.groups import grouped
from arena.cli.location import HomeLocation
from arena.cli.options import AsJson, GameCount, GameName, GameOptions, ReplayFolder, Seed, with_game_options
from arena.cli.sandboxes import PlayOptions
from arena.events import Note
from arena.games.registry import find_game
from arena.requests import MatchRequest
from arena.tournament.series import BotScore, MatchProgress, MatchResult

Bots = Annotated[
    list[str],
    typer.Argument(
        metavar="BOT",
        help="A file, a folder with arena.toml, a .zip or .tar.gz, or a bundled bot.",
    ),
]
COLUMNS = (
    TextColumn("playing"),
    BarColumn(),
    MofNCompleteColumn(),
    TimeRemainingColumn(),
    TextColumn("{task.fields[forfeits]}"),
)


@grouped
@with_game_options
def match(
    game: GameName,
    bots: Bots,
    play: PlayOptions,
    location: HomeLocation,
    options: GameOptions,
    games: GameCount = 100,
    seed: Seed = None,
    rotate: Annotated[bool, typer.Option(help="Play each deal once for every rotation of the seats.")] = True,
    replays: ReplayFolder = None,
    at_once: Annotated[int, typer.Option(min=1, max=1024, help="Games played at the same time.")] = 64,
    listen: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help="Where bots connect. Default: a Unix socket.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play games between bots and print their results. Every bot runs in its own process.

    Example: arena match mantis random ./my_bot.py --games 200 --time-per-move 1s --replays replays
    """
    values = play.values()
    if play.time_to_start == "none":
        values["time_to_start"] = math.inf
    request = MatchRequest(
        game=game,
        bots=tuple(bots),
        options=options,
        games=games,
        seed=seed,
        rotate=rotate,
        replays=None if replays is None else str(replays),
        at_once=at_once,
        listen=listen,
        **values,
    )
    with Progress(*COLUMNS, console=err, transient=True, disable=not err.is_terminal) as progress:
        task = progress.add_task("playing", total=games, forfeits="")

        def show(event: Note | MatchProgress) -> None:
            if isinstance(event, Note):
                print_note(event)
            else:
                forfeits = f"{event.forfeits} forfeits" if event.forfeits else ""
                progress.update(task, completed=event.games, forfeits=forfeits)

        result = location.arena.run(request, show)
    if as_json:
        out.print_json(json.dumps(_as_json(result)))
        return
    variant = " ".join([find_game(game).title, *result.options.values()])
    seats = len(result.scores)
    out.print(f"[bold]{variant}[/], {seats} seats, {games} games, seed {shown(repr(result.seed))}", highlight=False)
    print_scores(result.scores)
    print_faults(result.scores)
    if result.games_while_overloaded:
        out.print(
            f"[yellow]The machine was overloaded during {result.games_while_overloaded} games[/]: the wall-clock times "
            "are not meaningful. Bots are charged CPU time.",
            highlight=False,
        )
    if replays:
        out.print(f"{games} replays are in {shown(str(replays))}; show one with [bold]arena replay show FILE[/].")


def print_scores(scores: Sequence[BotScore]) -> None:
    """Print the scores, the best first."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("bot")
    for heading in ("wins", "rate", "95 %", "place", "ms/move", "wall", "forfeits"):
        table.add_column(heading, justify="right", no_wrap=True)
    for score in sorted(scores, key=lambda score: (-score.wins, score.places)):
        low, high = score.interval
        table.add_row(
            shown(score.bot),
            f"{score.wins:g}" if score.wins == round(score.wins) else f"{score.wins:.1f}",
            f"{score.wins / score.matches:.1%}",
            f"{100 * low:.1f} to {100 * high:.1f}",
            f"{score.places / score.matches:.2f}",
            f"{score.think_ms / score.decisions:.2f}" if score.decisions else "",
            f"{score.wall_ms / score.decisions:.2f}" if score.decisions else "",
            f"[bold red]{score.faults.total()}[/]" if score.faults else "0",
        )
    out.print(table)


def print_faults(scores: Sequence[BotScore], most: int = 3) -> None:
    """Print why bots forfeited, the most frequent reasons first."""
    for score in scores:
        for reason, count in score.reasons.most_common(most):
            out.print(f"[bold red]forfeit[/] {shown(score.bot)}, {count} times", end=" ", highlight=False)
            out.print(harmless_lines(reason), markup=False, highlight=False, soft_wrap=True)
        if len(score.reasons) > most:
            out.print(f"  … and {len(score.reasons) - most} other reasons.", highlight=False)
    if any(score.reasons for score in scores):
        out.print("Show the output of a bot with [bold]arena log NAME[/].")


def _as_json(result: MatchResult) -> dict[str, object]:
    return {
        "game": result.game,
        "options": dict(result.options),
        "seed": result.seed,
        "bots": result.to_dicts(),
        "sandbox": result.sandbox,
        "overhead_ms_per_game": result.overhead_ms / result.games,
        "games_while_overloaded": result.games_while_overloaded,
    }
