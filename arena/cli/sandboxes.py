"""Where bots run: the options for it, and what people are told about it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Annotated, Any

import typer

from arena.cli.console import print_note
from arena.errors import ArenaError, UserError, choices
from arena.referee import Limits
from arena.requests import BotRunOptions
from arena.sandbox import Allowance, Sandbox, bytes_shown

SandboxMode = Annotated[
    str,
    typer.Option(
        "--sandbox",
        envvar="ARENA_SANDBOX",
        help="auto: the best this machine has; strict: the strong tier or nothing; none: for bots you trust.",
    ),
]
LimitOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--limit",
        metavar="NAME=VALUE",
        help="What each bot may use: memory=512MiB, processes=128, cpus=1, files=256, disk=64MiB, log=1MiB; may be "
        "given several times.",
        show_default=False,
    ),
]
PonderOption = Annotated[
    str | None,
    typer.Option(
        "--ponder",
        metavar="on|off",
        help="Whether bots may use the processor while others think. Default: off where time is limited and there "
        "are more bots than cores.",
        show_default=False,
    ),
]

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
    """What the --limit options say."""
    allowed = Allowance()
    known = [field.name for field in fields(Allowance)]
    for limit in limits:
        name, separator, text = limit.partition("=")
        if name not in known or not separator:
            raise ArenaError(f"--limit {limit}: write NAME=VALUE, with one of {choices(known)} for NAME.")
        values: dict[str, Any] = {name: _value(name, text)}
        allowed = replace(allowed, **values)
    return allowed


def _value(name: str, text: str) -> float:
    example = "256MiB" if name in SIZES else "1.5" if name == "cpus" else "64"
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?([A-Za-z]*)", text)
    unit = UNITS.get(match[2].lower()) if match and (name in SIZES or not match[2]) else None
    if match is None or unit is None:
        raise ArenaError(f"--limit {name}={text}: {text!r} is not a value for it; write for instance {name}={example}.")
    value = float(match[1]) * unit
    if not LEAST[name] <= value <= MOST:
        least = bytes_shown(int(LEAST[name])) if name in SIZES else f"{LEAST[name]:g}"
        raise ArenaError(f"--limit {name}={text}: no bot can play with that; write at least {least}.")
    return value if name == "cpus" else int(value)


def options_for(sandbox: str, limits: Sequence[str] | None = None) -> BotRunOptions:
    """Return the options of a command that only runs bots."""
    return BotRunOptions(sandbox=sandbox, allowance=allowance(limits or ()))


def sandbox_for(mode: str, limits: Sequence[str] | None = None) -> Sandbox:
    """Return the sandbox to use, and print which one it is."""
    return options_for(mode, limits).choose_sandbox(print_note)


def ponder_option(option: str | None) -> bool | None:
    """Return what `--ponder` says. None: it was not given."""
    if option not in (None, "on", "off"):
        raise UserError(f"Invalid `--ponder {option}`: expected on or off.")
    return None if option is None else option == "on"


def may_ponder(option: str | None, limits: Limits, bots: int, cores: int | None = None) -> bool:
    """Return whether bots may think while others do."""
    times = BotRunOptions(time_per_move=limits.turn, time_per_match=limits.match, ponder=ponder_option(option))
    return times.may_ponder(bots, cores)
