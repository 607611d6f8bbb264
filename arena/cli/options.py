"""Options that several commands share."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.errors import UserError, choices
from arena.games.registry import GAMES

GameName = Annotated[str, typer.Argument(metavar="GAME", help=f"{choices(GAMES)}.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
GameOptions = dict[str, str]
"""The game options that the user gave, by name (see `with_game_options`)."""
ReplayFolder = Annotated[
    Path | None, typer.Option(metavar="DIR", file_okay=False, help="Write one replay file for each game to DIR.")
]
LONGEST_TEXT = 200
LONGEST_TIME = 24 * 60 * 60.0


def _seed(text: str | None) -> str | None:
    """Check a seed, which is written into replays."""
    if text is not None and not text.isprintable():
        raise typer.BadParameter("a seed must consist of printable characters.")
    return text


def printable(text: str) -> str:
    """Check a name or a note, which is printed in tables."""
    if not text.isprintable() or len(text) > LONGEST_TEXT:
        raise typer.BadParameter(f"expected at most {LONGEST_TEXT} printable characters.")
    return text


GameCount = Annotated[int, typer.Option(min=1, max=10_000_000, help="Number of games.")]
Seed = Annotated[
    str | None,
    typer.Option(callback=_seed, help="Any text. The same seed gives the same cards. Default: a random one."),
]
TimeLimit = Annotated[
    str,
    typer.Option(metavar="TIME", help="A time such as 500ms, 2s or 1m, or none.", rich_help_panel="How bots are run"),
]
Jobs = Annotated[
    int | None, typer.Option(min=1, max=256, help="Worker processes. Default: one for each core.", show_default=False)
]


def with_game_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command one option for each option of the registered games; it gets those given as its `options`."""
    helps: dict[str, str] = {}
    for game in GAMES.values():
        for option in game.options:
            values = choices(value.name for value in option.values)
            text = f"{game.title}: {values}. Default: {option.default}."
            helps[option.name] = f"{helps[option.name]} {text}" if option.name in helps else text

    @wraps(command)
    def with_options(**arguments: Any) -> None:
        values = {name: arguments.pop(name) for name in helps}
        command(options={name: value for name, value in values.items() if value is not None}, **arguments)

    signature = inspect.signature(command, eval_str=True)
    parameters: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        if parameter.name != "options":
            parameters.append(parameter)
            continue
        parameters += [
            parameter.replace(
                name=name,
                default=None,
                annotation=Annotated[str | None, typer.Option(help=text, show_default=False)],
            )
            for name, text in helps.items()
        ]
    with_options.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return with_options


def seconds(text: str) -> float | None:
    """Return the seconds of a time such as `500ms`, `2s` or `1m`; None for `none`."""
    if text == "none":
        return None
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m)", text)
    if match is None or not float(match[1]):
        raise UserError(f"Invalid time `{text}`: expected a time such as 500ms, 2s or 1m, or none.")
    duration = float(match[1]) * {"ms": 0.001, "s": 1.0, "m": 60.0}[match[2]]
    if duration > LONGEST_TIME:
        raise UserError(f"Invalid time `{text}`: expected at most one day, or none.")
    return duration
