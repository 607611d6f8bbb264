"""How bots are run: time limits, sandbox and resources, as options of several commands."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, TypedDict

import typer

from arena.cli.console import print_note
from arena.cli.options import TimeLimit, seconds
from arena.errors import UserError, choices
from arena.requests import BotRunOptions
from arena.sandbox import Allowance, Sandbox, bytes_shown

PANEL = "How bots are run"

SandboxMode = Annotated[
    str,
    typer.Option(
        "--sandbox",
        envvar="ARENA_SANDBOX",
        help="auto: the best this machine has; strict: the strong tier or an error; none: for bots you trust.",
        rich_help_panel=PANEL,
    ),
]

LimitOption = Annotated[
    list[str] | None,
    typer.Option(
        "--limit",
        metavar="NAME=VALUE",
        help="What each bot may use: memory=512MiB, processes=128, cpus=1, files=256, disk=64MiB, log=1MiB; may "
        "be given several times.",
        show_default=False,
        rich_help_panel=PANEL,
    ),
]


class BotRunValues(TypedDict, total=False):
    """Fields of `BotRunOptions`."""

    time_per_move: float | None
    time_per_match: float | None
    time_to_start: float
    ponder: bool | None
    sandbox: str
    allowance: Allowance


@dataclass(frozen=True)
class CheckOptions:
    """Options of commands that start a bot to check it."""

    time_per_move: TimeLimit = "1s"
    time_to_start: TimeLimit = "10s"
    sandbox: SandboxMode = "auto"
    limit: LimitOption = None

    def values(self) -> BotRunValues:
        """Return the fields for a request."""
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
    ponder: Annotated[
        str | None,
        typer.Option(
            "--ponder",
            metavar="on|off",
            help="Whether bots may use the CPU while others think. Default: off if time is limited and there are more "
            "bots than cores.",
            show_default=False,
            rich_help_panel=PANEL,
        ),
    ] = None

    def values(self) -> BotRunValues:
        if self.ponder not in (None, "on", "off"):
            raise UserError(f"Invalid `--ponder {self.ponder}`: expected on or off.")
        ponder = None if self.ponder is None else self.ponder == "on"
        return {**super().values(), "time_per_match": seconds(self.time_per_match), "ponder": ponder}


UNITS = {"": 1, "kib": 2**10, "mib": 2**20, "gib": 2**30, "kb": 10**3, "mb": 10**6, "gb": 10**9}
UNITS |= {"k": 2**10, "m": 2**20, "g": 2**30}
SIZES = ("memory", "disk", "log")
LEAST: Mapping[str, float] = {
    "memory": 16 * 2**20,
    "processes": 8,
    "cpus": 0.1,
    "files": 32,
    "disk": 2**16,
    "log": 2**12,
}
MOST = 2**50


def allowance(limits: Sequence[str]) -> Allowance:
    """Return the resources that the `--limit` options name."""
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
    return BotRunOptions(sandbox=mode, allowance=allowance(limits or ())).choose_sandbox(print_note)
