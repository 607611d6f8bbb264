"""Options that several commands share."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import wraps
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from arena.errors import choices
from arena.games.registry import GAMES

GameName = Annotated[str, typer.Argument(metavar="GAME", help=f"{choices(GAMES)}.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
GameOptions = dict[str, str]
"""The game options that the user gave, by name (see `with_game_options`)."""
ReplayFolder = Annotated[
    Path | None, typer.Option(metavar="DIR", file_okay=False, help="Write one replay file for each game to DIR.")
]
LONGEST_FILE_NAME = 120
LONGEST_TEXT = 200
LONGEST_TIME = 24 * 60 * 60.0


def _seed(text: str | None) -> str | None:
    """A seed is written into replays, so it must be text."""
    if text is not None and not text.isprintable():
        raise typer.BadParameter("a seed is any text of printable characters.")
    return text


def printable(text: str) -> str:
    """A name or a note stands in tables."""
    if not text.isprintable() or len(text) > LONGEST_TEXT:
        raise typer.BadParameter(f"write at most {LONGEST_TEXT} printable characters.")
    return text


GameCount = Annotated[int, typer.Option(min=1, max=10_000_000, help="How many games to play.")]
Seed = Annotated[
    str | None,
    typer.Option(callback=_seed, help="Any text; the same seed, the same cards. Default: a new one each time."),
]
Home = Annotated[
    Path, typer.Option(envvar="ARENA_HOME", metavar="DIR", file_okay=False, help="Where the arena keeps its things.")
]
StoreUrl = Annotated[
    str | None,
    typer.Option(
        "--store",
        envvar="ARENA_STORE",
        metavar="URL",
        help="Keep the record in PostgreSQL: postgresql://USER@HOST/DATABASE. Default: in the home.",
        show_default=False,
    ),
]
DEFAULT_HOME = Path(".arena")
TimeLimit = Annotated[str, typer.Option(metavar="TIME", help="For instance 500ms, 2s, 1m, or none.")]


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
    """The seconds that a time like `500ms`, `2s` or `1m` stands for; None for `none`."""
    if text == "none":
        return None
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m)", text)
    if match is None or not float(match[1]):
        raise typer.BadParameter(f"{text!r} is not a time: write 500ms, 2s, 1m or none.")
    duration = float(match[1]) * {"ms": 0.001, "s": 1.0, "m": 60.0}[match[2]]
    if duration > LONGEST_TIME:
        raise typer.BadParameter(f"{text!r} is more than a day: write none if there is to be no limit.")
    return duration


def logs(home: Path) -> Path:
    """Where the bots' logs are."""
    return home.resolve() / "logs"


def file_name(text: str) -> str:
    """A name for a file, a different one for each text: what a file name must not have is written as %2F."""
    name = quote(text, safe="")
    if len(name) <= LONGEST_FILE_NAME:
        return name
    return f"{name[:LONGEST_FILE_NAME]}-{sha256(text.encode()).hexdigest()[:12]}"
