"""`arena log`: what a bot has printed."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Annotated
from urllib.parse import unquote

import typer

from arena.cli.console import err, harmless, out
from arena.cli.options import DEFAULT_HOME, Home, logs
from arena.errors import ArenaError, refusal, unknown
from arena.referee.launch import log_stem

NOT_OURS_TO_WRITE = (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOSPC)


def log_folder(home: Path) -> Path | None:
    """Where the bots' logs go; None, and a word about it, where nothing can be written: that spoils no match."""
    folder = logs(home)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(folder))
    except OSError as error:
        if error.errno not in NOT_OURS_TO_WRITE:
            raise
        err.print(f"What the bots print is not kept: {harmless(refusal(error))}", markup=False, soft_wrap=True)
        return None
    return folder


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
