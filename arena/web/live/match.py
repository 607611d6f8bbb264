"""A running match, read from its live file (arena.tournament.live) line by line into a film.

The content of the file is not trusted: it is replayed under the rules, and any error ends the display of the match.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.errors import ReplayError
from arena.games.frames import Film, More
from arena.games.registry import profile_of
from arena.replay import read_header, read_line
from arena.tournament.live import LiveFolder
from arena.web.config import CONFIG
from arena.web.viewer.film import FilmMaker


@dataclass(slots=True, eq=False)
class LiveMatch:
    """A match that is shown while it is played."""

    name: str
    file: Path
    inode: int
    """0: the file was removed."""
    since: float
    """When its display began."""
    maker: FilmMaker | None = None
    is_broken: bool = False
    """The match does not continue: its file is gone or invalid."""
    was_featured: bool = False
    bytes_read: int = 0
    _first_step: int = 0
    """The step at which the display began."""
    _rest: bytes = b""
    _lines: int = 0
    _film_json: str = ""
    """Encoded after each read, because a thread extends the film while new browsers ask for it."""

    def read_more(self) -> More | None:
        """Read what was added to the file; None if nothing was. Raise OSError if the file cannot be read."""
        handle = os.open(self.file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            data = os.pread(handle, LiveFolder.max_bytes, self.bytes_read)
        finally:
            os.close(handle)
        return self.feed(data)

    def feed(self, data: bytes) -> More | None:
        """Take the next bytes of the file."""
        self.bytes_read += len(data)
        if self.bytes_read > LiveFolder.max_bytes:
            self.is_broken = True
            return None
        *lines, self._rest = (self._rest + data).split(b"\n")
        is_first_read = self.maker is None
        more: More | None = None
        for text in lines:
            try:
                added = self._feed_line(text)
            except ReplayError:
                self.is_broken = True
                break
            if added:
                more = joined(more, added) if more else added
        if self.maker is not None and (more or is_first_read):
            self._film_json = json.dumps(self.film, ensure_ascii=False)
        if is_first_read:
            self.restart(self.since)
        return more

    def _feed_line(self, text: bytes) -> More | None:
        self._lines += 1
        if self.maker is None:
            self.maker = FilmMaker(read_header(text))
            return None
        line = read_line(text, self._lines, len(self.film["seats"]), is_last=False)
        if isinstance(line, Mapping):
            return None  # the result follows from the moves
        added = self.maker.add(line)
        added.pop("seed", None)  # the live file does not contain it
        self.film.pop("seed", None)
        return added

    def restart(self, now: float) -> None:
        """Begin the display: at the first step of a finished match, near the end of a running one."""
        self.since = now
        self._first_step = 0 if self.is_over else max(0, self.steps - CONFIG.late_join_steps)

    @property
    def film(self) -> Film:
        assert self.maker is not None
        return self.maker.film

    @property
    def steps(self) -> int:
        return len(self.film["entries"]) if self.maker else 0

    @property
    def is_over(self) -> bool:
        return self.maker is not None and self.maker.over

    @property
    def is_running(self) -> bool:
        return self.maker is not None and not (self.maker.over or self.is_broken)

    def step_at(self, now: float) -> int:
        """Return the step that spectators see who have watched from the start."""
        return min(self.steps, self._first_step + int((now - self.since) / CONFIG.seconds_per_step))

    def is_through(self, now: float, linger: float) -> bool:
        """Return whether those spectators have seen the end for `linger` seconds."""
        if not self.is_over:
            return self.is_broken
        steps = self.steps - self._first_step + profile_of(self.film["game"]).scoring_steps
        return now - self.since > steps * CONFIG.seconds_per_step + linger

    def message(self, now: float) -> str | None:
        """Return the film so far as JSON, with the step at which to begin; None if there is no film yet."""
        if not self._film_json:
            return None
        return f'{{"at": {self.step_at(now)}, "film": {self._film_json}}}'


def joined(one: More, other: More) -> More:
    """Return two consecutive additions to a film as one."""
    both: More = {**one, **other, "start": one["start"], "entries": one["entries"] + other["entries"]}
    if "frames" in other:
        both["frames"] = one.get("frames", []) + other["frames"]
    return both
