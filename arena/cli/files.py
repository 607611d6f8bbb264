"""Output files: written completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from arena.errors import HostFault, refusal


@contextmanager
def writing(path: Path) -> Iterator[TextIO]:
    """Open a file for writing. It replaces an older one only when it is complete."""
    target = path.resolve()
    if target.exists() and not target.is_file():  # a device or a pipe cannot be replaced
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
        raise HostFault(refusal(error, path)) from error
