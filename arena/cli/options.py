"""Options that several commands share, one by one and in groups.

A group is a dataclass whose fields are options; a command gets it as one parameter.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass, make_dataclass, replace
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.console import print_note
from arena.errors import UserError, choices
from arena.games.registry import GAMES

if TYPE_CHECKING:
    from arena.sandbox import Allowance, Sandbox

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


run_option = partial(typer.Option, rich_help_panel="How bots are run")
GameName = Annotated[str, typer.Argument(metavar="GAME", help=f"{choices(GAMES)}.")]
BotPath = Annotated[str, typer.Argument(metavar="BOT", help="A file, a folder, an archive, or a bundled bot.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
ReplayFolder = Annotated[
    Path | None, typer.Option(metavar="DIR", file_okay=False, help="Write one replay file for each game to DIR.")
]
GameCount = Annotated[int, typer.Option(min=1, max=10_000_000, help="Number of games.")]
Seed = Annotated[
    str | None,
    typer.Option(callback=_seed, help="Any text. The same seed gives the same cards. Default: a random one."),
]
Jobs = Annotated[int | None, typer.Option(min=1, max=256, help="Worker processes. Default: one for each core.")]
TimeLimit = Annotated[str, run_option(metavar="TIME", help="A time such as 500ms, 2s or 1m, or none.")]
SandboxMode = Annotated[
    str,
    run_option(
        "--sandbox",
        envvar="ARENA_SANDBOX",
        help="auto: the best this machine has; strict: the strong tier or an error; none: for bots you trust.",
    ),
]
ResourceLimits = Annotated[
    list[str] | None,
    run_option(
        "--limit",
        metavar="NAME=VALUE",
        help="What each bot may use: memory=512MiB, processes=128, cpus=1, files=256, disk=64MiB, log=1MiB; may "
        "be given several times.",
    ),
]


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Replace each parameter of a command that is annotated with a dataclass by one option for each of its fields."""
    parameters = inspect.signature(command, eval_str=True).parameters
    groups = {
        name: inspect.signature(each.annotation, eval_str=True).parameters
        for name, each in parameters.items()
        if isinstance(each.annotation, type) and is_dataclass(each.annotation)
    }

    @wraps(command)
    def parsed(**values: Any) -> None:
        for name, options in groups.items():
            values[name] = parameters[name].annotation(**{option: values.pop(option) for option in options})
        command(**values)

    options = [
        option.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, each in parameters.items()
        for option in (groups[name].values() if name in groups else [each])
    ]
    parsed.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    return parsed


def _game_options() -> list[tuple[str, object, None]]:
    """Return a field for each option of the registered games."""
    helps: dict[str, list[str]] = {}
    for game in GAMES.values():
        for option, values in game.options.items():
            text = f"{game.title}: {choices(values)}. Default: {next(iter(values))}."
            helps.setdefault(option, []).append(text)
    return [(name, Annotated[str | None, typer.Option(help=" ".join(each))], None) for name, each in helps.items()]


class GameOptions(make_dataclass("_GameOptions", _game_options())):  # type: ignore[misc]
    """The options of the registered games."""

    @property
    def given(self) -> dict[str, str]:
        return {name: value for name, value in vars(self).items() if value is not None}


NO_LIMIT = 1e9
"""Seconds, where None stands for a default."""


@dataclass(frozen=True)
class CheckOptions:
    """Options of commands that start a bot to check it."""

    time_per_move: TimeLimit = "1s"
    time_to_start: TimeLimit = "10s"
    sandbox: SandboxMode = "auto"
    limit: ResourceLimits = None

    def values(self) -> dict[str, Any]:
        """Return fields of `BotRunOptions`."""
        return {
            "time_per_move": seconds(self.time_per_move),
            "time_to_start": seconds(self.time_to_start) or 60.0,
            "sandbox": self.sandbox,
            "allowance": allowance(self.limit or ()),
        }


@dataclass(frozen=True)
class PlayOptions(CheckOptions):
    """Options of commands that play matches."""

    time_per_match: TimeLimit = "none"
    wait_per_match: Annotated[
        str | None,
        run_option(
            metavar="TIME",
            help="How long a bot may keep a match waiting in all, besides five times the CPU time that it uses. "
            "Default: ten times --time-per-move.",
        ),
    ] = None
    ponder: Annotated[
        str | None,
        run_option(
            metavar="on|off",
            help="Whether bots may use the CPU while others think. Default: off if time is limited and there are more "
            "bots than cores.",
        ),
    ] = None

    def values(self) -> dict[str, Any]:
        if self.ponder not in (None, "on", "off"):
            raise UserError(f"Invalid `--ponder {self.ponder}`: expected on or off.")
        ponder = None if self.ponder is None else self.ponder == "on"
        wait = None if self.wait_per_match is None else seconds(self.wait_per_match) or NO_LIMIT
        return {
            **super().values(),
            "time_per_match": seconds(self.time_per_match),
            "wait_per_match": wait,
            "ponder": ponder,
        }


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


UNITS = {"": 1, "k": 2**10, "kib": 2**10, "kb": 10**3, "m": 2**20, "mib": 2**20, "mb": 10**6}
UNITS |= {"g": 2**30, "gib": 2**30, "gb": 10**9}
SIZES = ("memory", "disk", "log")
LEAST = {"memory": 16 * 2**20, "processes": 8, "cpus": 0.1, "files": 32, "disk": 2**16, "log": 2**12}
MOST = 2**50


def allowance(limits: Sequence[str]) -> Allowance:
    """Return the resources that the `--limit` options name."""
    from arena.sandbox import Allowance

    allowed = Allowance()
    known = [field.name for field in fields(Allowance)]
    for limit in limits:
        name, separator, text = limit.partition("=")
        if name not in known or not separator:
            raise UserError(f"Invalid `--limit {limit}`: expected NAME=VALUE, where NAME is {choices(known)}.")
        values: dict[str, Any] = {name: _value(name, text)}
        allowed = replace(allowed, **values)
    return allowed


def _value(name: str, text: str) -> float:
    from arena.sandbox import bytes_shown

    example = "256MiB" if name in SIZES else "1.5" if name == "cpus" else "64"
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?([A-Za-z]*)", text)
    unit = UNITS.get(match[2].lower()) if match and (name in SIZES or not match[2]) else None
    if match is None or unit is None:
        raise UserError(f"Invalid `--limit {name}={text}`: expected a value such as {name}={example}.")
    value = float(match[1]) * unit
    if not LEAST[name] <= value <= MOST:
        least = bytes_shown(int(LEAST[name])) if name in SIZES else f"{LEAST[name]:g}"
        raise UserError(f"Invalid `--limit {name}={text}`: expected at least {least}.")
    return value if name == "cpus" else int(value)


def sandbox_for(mode: str, limits: Sequence[str] | None = None) -> Sandbox:
    """Return the sandbox to use, and print which one it is."""
    from arena.requests import BotRunOptions

    return BotRunOptions(sandbox=mode, allowance=allowance(limits or ())).choose_sandbox(print_note)
