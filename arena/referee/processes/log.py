"""A bot's log: the tail of its output in memory, more of it in a file of limited size."""

from __future__ import annotations

import contextlib
from datetime import datetime
from pathlib import Path

from arena.referee.config import CONFIG
from arena.referee.launch import last_lines


class BotLog:
    """What a bot has printed. The file and its predecessor (`.old`) together never exceed `cap` bytes."""

    def __init__(self, path: Path | None, cap: int = CONFIG.log_cap) -> None:
        self.path = path
        self.cap = cap
        self.tail = b""
        self._size = 0
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._size = path.stat().st_size if path.exists() else 0

    def write(self, data: bytes) -> None:
        self.tail = (self.tail + data)[-CONFIG.log_tail :]
        if self.path:
            with contextlib.suppress(OSError):  # a full disk must not end the match
                self._append(self.path, data)

    def _append(self, path: Path, data: bytes) -> None:
        data = data[-self.cap // 2 :]
        if self._size + len(data) > self.cap // 2:
            with contextlib.suppress(FileNotFoundError):
                path.replace(path.with_suffix(".old"))
            self._size = 0
        with path.open("ab") as file:
            file.write(data)
        self._size += len(data)

    def note(self, what: str) -> None:
        """Write a remark of the arena's own; it is not part of the tail."""
        tail = self.tail
        new_line = "\n" if tail and not tail.endswith(b"\n") else ""
        line = f"{new_line}[arena] {datetime.now():%Y-%m-%d %H:%M:%S} {what}\n"
        self.write(line.encode(errors="backslashreplace"))
        self.tail = tail

    def last_lines(self) -> str:
        """Return the end of the output, indented for an error message."""
        return last_lines(self.tail.decode("utf-8", errors="replace"))
