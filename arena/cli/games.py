"""`arena games`, `arena rules` and `arena simulate`: the games, their rules, and random self-play."""

from __future__ import annotations

from collections import Counter
from importlib import resources
from statistics import fmean
from typing import Annotated

import typer

from arena.cli.console import out, print_table, progress_bar, shown
from arena.cli.options import AsJson, GameCount, GameName, GameOptions, ReplayFolder, Seed, grouped
from arena.games.base import AnyGame, Ending, Json
from arena.games.registry import GAMES, find_game, package_of, profile_of

WIDTH_TO_READ = 100


def list_games(as_json: AsJson = False) -> None:
    """List the games, their options and their numbers of seats.

    Example: arena games
    """
    if as_json:
        out.print_json(data=[_as_json(game) for game in GAMES.values()])
        return
    rows = []
    for game in GAMES.values():
        rows.append((f"[bold]{game.name}[/]", "", "", game.summary))
        for option, values in game.options.items():
            for value, meaning in values.items():
                allowed = game.seat_range(**{option: value})
                seats = f"{allowed[0]} to {allowed[-1]}"
                default = " [dim](default)[/]" if value == next(iter(values)) else ""
                rows.append(("", f"--{option} {value}", seats, meaning + default))
    print_table(("game", "option", "seats", "what it is"), rows)
    out.print("Read the rules with [bold]arena rules mantis[/], play at random with [bold]arena simulate mantis[/].")


def _as_json(game: AnyGame) -> Json:
    return {
        "name": game.name,
        "title": game.title,
        "summary": game.summary,
        "options": [
            {
                "name": option,
                "default": next(iter(values)),
                "values": [
                    {"name": value, "meaning": meaning, "seats": list(game.seat_range(**{option: value}))}
                    for value, meaning in values.items()
                ],
            }
            for option, values in game.options.items()
        ],
    }


def show_rules(game: GameName) -> None:
    """Show the rules of a game.

    Example: arena rules mantis
    """
    from rich.markdown import Markdown

    text = resources.files(package_of(game)).joinpath("RULES.md").read_text(encoding="utf-8")
    out.print(Markdown(text), width=min(out.width, WIDTH_TO_READ))


@grouped
def simulate(
    game: GameName,
    options: GameOptions,
    seats: Annotated[int | None, typer.Option(help="Number of seats. Default: the game's usual number.")] = None,
    games: GameCount = 1000,
    seed: Seed = "1",
    replays: ReplayFolder = None,
    as_json: AsJson = False,
) -> None:
    """Play random games and print who won, how long they were and how they ended.

    Example: arena simulate mantis --edition icons --seats 4 --games 1000 --seed 7 --replays replays
    """
    from rich.progress import BarColumn, MofNCompleteColumn, TimeRemainingColumn

    from arena import replay

    seed = seed or ""
    rules = find_game(game)
    chosen = rules.complete(options.given)
    seats = profile_of(game).seats if seats is None else seats
    rules.check_seats(seats, **chosen)
    wins, places, lengths = [0.0] * seats, [0] * seats, []
    endings: Counter[Ending] = Counter()
    with progress_bar("playing", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()) as progress:
        for number in progress.track(range(1, games + 1), update_period=0.2):
            match = "-".join([rules.name, *chosen.values(), f"{seats}-{seed}-{number:0{len(str(games))}}"])
            played = replay.simulate_game(rules, chosen, seats, f"{seed}/{number}", match)
            for seat in played.result.winners:
                wins[seat] += 1 / len(played.result.winners)  # a win that n seats share counts 1/n for each of them
            for seat, placement in enumerate(played.result.placements):
                places[seat] += placement
            lengths.append(len(played.replay.entries))
            endings[played.result.ending] += 1
            if replays:
                replay.write(played.replay, replays)
    if as_json:
        report = {
            "game": rules.name,
            "options": chosen,
            "seed": seed,
            "games": games,
            "seats": [
                {"seat": seat, "win_share": wins[seat] / games, "mean_placement": places[seat] / games}
                for seat in range(seats)
            ],
            "decisions": {"least": min(lengths), "mean": fmean(lengths), "most": max(lengths)},
            "endings": {ending.name.lower(): count for ending, count in endings.items()},
        }
        out.print_json(data=report)
        return
    variant = " ".join([rules.title, *chosen.values()])
    out.print(f"[bold]{variant}[/], {seats} seats, {games} random games, seed {shown(repr(seed))}")
    rows = [
        (str(seat), f"{wins[seat] / games:.1%}", "█" * round(40 * wins[seat] / games), f"{places[seat] / games:.2f}")
        for seat in range(seats)
    ]
    print_table(("seat", "wins", "", "mean place"), rows, numbers=("seat", "wins", "mean place"))
    ends = [(str(ending.value), str(count), f"{count / games:.1%}") for ending, count in endings.most_common()]
    print_table(("how the games ended", "games", "share"), ends, numbers=("games", "share"))
    out.print(f"Decisions in a game: {min(lengths)} at least, {fmean(lengths):.1f} on average, {max(lengths)} at most.")
    if replays:
        out.print(f"{games} replays are in {shown(replays)}; look at one with [bold]arena replay show FILE[/].")
