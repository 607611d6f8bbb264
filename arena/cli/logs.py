"""`arena log`: the output of a bot."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import unquote

import typer

from arena.cli.console import harmless, out
from arena.cli.location import DEFAULT_HOME, HomeOption
from arena.errors import NotFound, unknown
from arena.referee.launch import log_stem


def show_log(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="The bot's name, with or without version.")],
    lines: Annotated[int, typer.Option("--lines", "-n", min=1, help="Number of lines, from the end.")] = 100,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Show the output of a bot in its matches: standard output and standard error.

    Example: arena log my_bot --lines 50
    """
    folder = home.resolve() / "logs"
    known = [unquote(path.stem) for path in sorted(folder.glob("*.log"), key=lambda path: path.stat().st_mtime)]
    found = [folder / f"{log_stem(label)}.log" for label in known if bot in (label, label.rpartition(" ")[0])]
    if not found:
        if not known:
            raise NotFound(f"No log in `{folder}` yet.", hint="Bots write one when they play: run `arena match`.")
        raise NotFound(unknown("bot", bot, known))
    text = b""
    for path in (found[-1].with_suffix(".old"), found[-1]):
        if path.exists():
            text += path.read_bytes()
    for line in text.decode("utf-8", errors="replace").splitlines()[-lines:]:
        out.print(harmless(line), markup=False, highlight=False, soft_wrap=True)
