"""Files that a command writes because the user asked for them: whole or not at all, whatever becomes of the disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from arena.errors import ArenaError, refusal


@contextmanager
def writing(path: Path) -> Iterator[TextIO]:
    """The file, to be written. It takes the place of an older one only when all of it is on the disk."""
    target = path.resolve()
    if target.exists() and not target.is_file():  # a device or a pipe, which nothing can take the place of
        unfinished = target
    else:
        unfinished = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        try:
            with unfinished.open("w", encoding="utf-8", errors="surrogateescape", newline="") as file:
                yield file
            unfinished.replace(target)
        finally:
            if unfinished != target:
                unfinished.unlink(missing_ok=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise ArenaError(refusal(error, path)) from error
