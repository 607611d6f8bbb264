"""Reads the files of other bots, wherever they may be, and their logs."""

from __future__ import annotations

from pathlib import Path

from tests.hostile.programs.attacker import Tally, aim, play


def attack(tally: Tally) -> None:
    for path in (Path(aim("BOT")), Path(aim("BOTS")) / "random" / "bot.py", Path(aim("LOGS"))):
        tally.attempt(f"read {path}", lambda path=path: (path.is_dir() and list(path.iterdir())) or path.read_bytes())  # type: ignore[misc]


play(attack)
