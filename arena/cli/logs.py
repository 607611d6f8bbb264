"""`arena log`: what a bot has printed."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import unquote

import typer

from arena.cli.console import harmless, out
from arena.cli.options import DEFAULT_HOME, Home, logs
from arena.errors import ArenaError, unknown
from arena.referee.programs import log_stem


def show_log(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="The bot's name, with or without version.")],
    lines: Annotated[int, typer.Option("--lines", "-n", min=1, help="How many lines, from the end.")] = 100,
    home: Home = DEFAULT_HOME,
) -> None:
    """Show what a bot has printed in its matches, standard output and standard error.

    Example: arena log my_bot --lines 50
    """
    folder = logs(home)
    known = [unquote(path.stem) for path in sorted(folder.glob("*.log"), key=lambda path: path.stat().st_mtime)]
    found = [folder / f"{log_stem(label)}.log" for label in known if bot in (label, label.rpartition(" ")[0])]
    if not found:
        if not known:
            raise ArenaError(f"there is no log in {folder} yet: bots leave one when they play, try arena match.")
        raise ArenaError(unknown("bot", bot, known))
    text = b""
    for path in (found[-1].with_suffix(".old"), found[-1]):
        if path.exists():
            text += path.read_bytes()
    for line in text.decode("utf-8", errors="replace").splitlines()[-lines:]:
        out.print(harmless(line), markup=False, highlight=False, soft_wrap=True)
