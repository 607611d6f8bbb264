"""Plays in the name of another bot, with a token that it finds or guesses."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from tests.hostile.programs.attacker import Tally, play
from tests.hostile.programs.raw import welcomed


def found() -> set[str]:
    """Yield the tokens of other bots that can be found."""
    texts = []
    for path in (*Path("/proc").glob("[0-9]*/environ"), *Path("/run/arena").glob("*"), *Path("/dev/fd").glob("*")):
        try:
            if path.name == "environ" or path.is_file():
                texts.append(path.read_bytes())
        except OSError:
            continue
    words = {word for text in texts for word in text.replace(b"\n", b"\0").split(b"\0")}
    tokens = {word.partition(b"ARENA_TOKEN=")[2].decode(errors="replace") for word in words}
    return tokens - {"", os.environ["ARENA_TOKEN"]}


def attack(tally: Tally) -> None:
    own = os.environ["ARENA_TOKEN"]
    guesses = {"", "0" * 32, own[:-1], own.upper(), f"{own}\0", *(secrets.token_hex(16) for _ in range(20))}
    for number, token in enumerate([*found(), *guesses - {own}]):
        tally.attempt(f"was welcomed with token {number}", lambda token=token: welcomed(token))  # type: ignore[misc]


play(attack)
