"""`arena match`: play bots against each other, and print the scores and the reason of every forfeit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import islice
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TimeRemainingColumn

from arena.cli.console import harmless_lines, out, print_note, print_table, progress_bar, shown
from arena.cli.location import HomeLocation
from arena.cli.options import AsJson, GameCount, GameName, GameOptions, PlayOptions, ReplayFolder, Seed, grouped
from arena.events import Note
from arena.games.registry import find_game
from arena.requests import MatchRequest
from arena.tournament.series import BotScore, MatchProgress

Bots = Annotated[
    list[str],
    typer.Argument(metavar="BOT", help="A file, a folder with arena.toml, a .zip or .tar.gz, or a bundled bot."),
]
MAX_REASONS = 3
"""Reasons of forfeits that are printed for each bot."""


@grouped
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
    at_once: Annotated[int, typer.Option(min=1, max=1024, help="Games played at the same time.")] = 256,
    listen: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Where bots connect. Default: a Unix socket.")
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
        options=options.given,
        games=games,
        seed=seed,
        rotate=rotate,
        replays=None if replays is None else str(replays),
        at_once=at_once,
        listen=listen,
        **values,
    )
    columns = ("playing", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), "{task.fields[forfeits]}")
    with progress_bar(*columns) as progress:
        task = progress.add_task("playing", total=games, forfeits="")

        def show(event: Note | MatchProgress) -> None:
            if isinstance(event, Note):
                print_note(event)
            else:
                forfeits = f"{event.forfeits} forfeits" if event.forfeits else ""
                progress.update(task, completed=event.games, forfeits=forfeits)

        result = location.arena.run(request, show)
    if as_json:
        report = {
            "game": result.game,
            "options": dict(result.options),
            "seed": result.seed,
            "bots": result.to_dicts(),
            "sandbox": result.sandbox,
            "overhead_ms_per_game": result.overhead_ms / result.games,
            "games_while_overloaded": result.games_while_overloaded,
        }
        out.print_json(data=report)
        return
    variant = " ".join([find_game(game).title, *result.options.values()])
    out.print(f"[bold]{variant}[/], {len(bots)} seats, {games} games, seed {shown(repr(result.seed))}")
    _print_scores(result.rows)
    _print_forfeits(result.rows)
    if result.games_while_overloaded:
        out.print(
            f"[yellow]The machine was overloaded during {result.games_while_overloaded} games[/]: the wall-clock times "
            "are not meaningful. Bots are charged CPU time."
        )
    if replays:
        out.print(f"{games} replays are in {shown(replays)}; show one with [bold]arena replay show FILE[/].")


def _print_scores(scores: Sequence[BotScore]) -> None:
    """Print the scores, the best first."""
    rows = []
    for score in sorted(scores, key=lambda score: (-score.wins, score.places)):
        low, high = score.interval
        rows.append(
            (
                shown(score.bot),
                f"{score.wins:g}" if score.wins == round(score.wins) else f"{score.wins:.1f}",
                f"{score.wins / score.matches:.1%}",
                f"{100 * low:.1f} to {100 * high:.1f}",
                f"{score.places / score.matches:.2f}",
                f"{score.think_ms / score.decisions:.2f}" if score.decisions else "",
                f"{score.wall_ms / score.decisions:.2f}" if score.decisions else "",
                f"[bold red]{sum(score.faults.values())}[/]" if score.faults else "0",
            )
        )
    headings = ("wins", "rate", "95 %", "place", "ms/move", "wall", "forfeits")
    print_table(("bot", *headings), rows, numbers=headings)


def _print_forfeits(scores: Sequence[BotScore]) -> None:
    """Print why bots forfeited, the most frequent reasons first."""
    for score in scores:
        for reason, count in islice(score.reasons.items(), MAX_REASONS):
            out.print(f"[bold red]forfeit[/] {shown(score.bot)}, {count} times", end=" ")
            out.print(harmless_lines(reason), markup=False, soft_wrap=True)
        if len(score.reasons) > MAX_REASONS:
            out.print(f"  … and {len(score.reasons) - MAX_REASONS} other reasons.")
    if any(score.reasons for score in scores):
        out.print("Show the output of a bot with [bold]arena log NAME[/].")
