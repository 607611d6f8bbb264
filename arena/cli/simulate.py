"""`arena simulate`: random self-play and its statistics."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import fmean
from typing import Annotated

import typer
from rich import box
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from arena import replay
from arena.cli.console import err, out, shown
from arena.cli.options import AsJson, GameCount, GameName, GameOptions, ReplayFolder, Seed, with_game_options
from arena.games.base import AnyGame, Ending, Json, Result
from arena.games.registry import find_game, profile_of
from arena.replay.selfplay import simulate_game
from arena.replay.view import file_name


@dataclass(slots=True)
class Tally:
    """The results of many games."""

    seats: int
    lengths: list[int] = field(default_factory=list)
    win_shares: list[float] = field(default_factory=list)
    """Per seat; a win that n seats share counts 1/n for each of them."""
    placements: list[int] = field(default_factory=list)
    """Per seat, the sum of its placements."""
    endings: Counter[Ending] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.win_shares = [0.0] * self.seats
        self.placements = [0] * self.seats

    def add(self, result: Result, decisions: int) -> None:
        self.lengths.append(decisions)
        self.endings[result.ending] += 1
        for seat in result.winners:
            self.win_shares[seat] += 1 / len(result.winners)
        for seat, placement in enumerate(result.placements):
            self.placements[seat] += placement


@with_game_options
def simulate(
    game: GameName,
    options: GameOptions,
    seats: Annotated[
        int | None, typer.Option(help="Number of seats. Default: the game's usual number.", show_default=False)
    ] = None,
    games: GameCount = 1000,
    seed: Seed = "1",
    replays: ReplayFolder = None,
    as_json: AsJson = False,
) -> None:
    """Play random games and print who won, how long they were and how they ended.

    Example: arena simulate mantis --edition icons --seats 4 --games 1000 --seed 7 --replays replays
    """
    seed = seed or ""
    rules = find_game(game)
    options = rules.complete(options)
    seats = seats if seats is not None else profile_of(game).seats
    rules.check_seats(seats, **options)
    if replays:
        replays.mkdir(parents=True, exist_ok=True)
    variant = "-".join([rules.name, *options.values()])
    tally = Tally(seats)
    for number in _with_progress(range(1, games + 1)):
        match = f"{variant}-{seats}-{seed}-{number:0{len(str(games))}}"
        played = simulate_game(rules, options, seats, f"{seed}/{number}", match)
        tally.add(played.result, played.decisions)
        if replays:
            replay.write(played.replay, replays / f"{file_name(match)}.jsonl")
    if as_json:
        out.print_json(json.dumps(_as_json(tally, rules, options, seed)))
    else:
        _print_tables(tally, rules, options, seed)
        if replays:
            out.print(
                f"{games} replays are in {shown(str(replays))}; look at one with [bold]arena replay show FILE[/]."
            )


def _with_progress(numbers: range) -> Iterator[int]:
    """The numbers, with a progress bar on the terminal while they last."""
    columns = (TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        yield from progress.track(numbers, update_period=0.2)


def _as_json(tally: Tally, game: AnyGame, options: dict[str, str], seed: str) -> Json:
    games = len(tally.lengths)
    return {
        "game": game.name,
        "options": options,
        "seed": seed,
        "games": games,
        "seats": [
            {"seat": seat, "win_share": share / games, "mean_placement": placement / games}
            for seat, (share, placement) in enumerate(zip(tally.win_shares, tally.placements, strict=True))
        ],
        "decisions": {"least": min(tally.lengths), "mean": fmean(tally.lengths), "most": max(tally.lengths)},
        "endings": {ending.name.lower(): count for ending, count in tally.endings.items()},
    }


def _print_tables(tally: Tally, game: AnyGame, options: dict[str, str], seed: str) -> None:
    games = len(tally.lengths)
    variant = " ".join([game.title, *options.values()])
    out.print(f"[bold]{variant}[/], {tally.seats} seats, {games} random games, seed {shown(repr(seed))}")

    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("seat", justify="right")
    table.add_column("wins", justify="right")
    table.add_column("")
    table.add_column("mean place", justify="right")
    for seat, (share, placement) in enumerate(zip(tally.win_shares, tally.placements, strict=True)):
        table.add_row(str(seat), f"{share / games:.1%}", _bar(share / games), f"{placement / games:.2f}")
    out.print(table)

    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("how the games ended")
    table.add_column("games", justify="right")
    table.add_column("share", justify="right")
    for ending, count in tally.endings.most_common():
        table.add_row(str(ending.value), str(count), f"{count / games:.1%}")
    out.print(table)

    out.print(
        f"Decisions in a game: {min(tally.lengths)} at least, {fmean(tally.lengths):.1f} on average, "
        f"{max(tally.lengths)} at most.",
        highlight=False,
    )


def _bar(share: float) -> str:
    """A bar of the share, forty characters for all."""
    return "█" * round(40 * share)
