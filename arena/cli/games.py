"""`arena games` and `arena rules`: the games and their rules."""

from __future__ import annotations

import json
from importlib import resources

from rich import box
from rich.markdown import Markdown
from rich.table import Table

from arena.cli.console import out
from arena.cli.options import AsJson, GameName
from arena.games.base import AnyGame, Json
from arena.games.registry import GAMES, find_game

WIDTH_TO_READ = 100

WIDTH_TO_READ = 100


def list_games(as_json: AsJson = False) -> None:
    """List the games, their options and their numbers of seats.

    Example: arena games
    """
    if as_json:
        out.print_json(json.dumps([_as_json(game) for game in GAMES.values()]))
        return
    table = Table(box=box.SIMPLE_HEAD, title="Games", title_justify="left", title_style="bold")
    for heading in ("game", "option", "seats", "what it is"):
        table.add_column(heading)
    for game in GAMES.values():
        table.add_row(f"[bold]{game.name}[/]", "", "", game.summary)
        for option in game.options:
            for value in option.values:
                allowed = game.seat_range(**{option.name: value.name})
                seats = f"{allowed[0]} to {allowed[-1]}"
                default = " [dim](default)[/]" if value.name == option.default else ""
                table.add_row("", f"--{option.name} {value.name}", seats, value.meaning + default)
    out.print(table)
    out.print("Read the rules with [bold]arena rules mantis[/], play at random with [bold]arena simulate mantis[/].")


def _as_json(game: AnyGame) -> Json:
    return {
        "name": game.name,
        "title": game.title,
        "summary": game.summary,
        "options": [
            {
                "name": option.name,
                "default": option.default,
                "values": [
                    {
                        "name": value.name,
                        "meaning": value.meaning,
                        "seats": list(game.seat_range(**{option.name: value.name})),
                    }
                    for value in option.values
                ],
            }
            for option in game.options
        ],
    }


def show_rules(game: GameName) -> None:
    """Show the rules of a game.

    Example: arena rules mantis
    """
    name = find_game(game).name
    text = resources.files(f"arena.games.{name}").joinpath("RULES.md").read_text(encoding="utf-8")
    out.print(Markdown(text), width=min(out.width, WIDTH_TO_READ))
