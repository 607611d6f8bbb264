"""A match that is being played, as far as the workers' file has told: read on, line by line, into a film.

What is in the file was not written by us, for all we know: it is played under the rules, and whatever is wrong with it
ends the screening.
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
from arena.tournament.live import MOST_BYTES
from arena.web.viewer.film import FilmMaker

SECONDS_A_STEP = 0.75
"""How long a step is shown to people, where a match is quicker than they are."""
FROM_HERE = 3
"""Who comes in the middle of a match begins so many steps before the last one."""


@dataclass(slots=True, eq=False)
class LiveMatch:
    """What is known of a match."""

    name: str
    file: Path
    inode: int
    since: float
    """When it was first seen."""
    maker: FilmMaker | None = None
    is_broken: bool = False
    """It does not go on: its file is gone, or says what the rules do not allow."""
    is_gone: bool = False
    """Its file is not there any more."""
    _first: int = 0
    """The step that those saw who were there first."""
    _offset: int = 0
    _rest: bytes = b""
    _lines: int = 0
    _written_out: str = ""
    """The film as JSON, as of the last look: while it is read on, in a thread of its own, others may come."""

    def read_on(self) -> More | None:
        """Reads what is new; None: nothing is. Raises OSError."""
        handle = os.open(self.file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            data = os.pread(handle, MOST_BYTES, self._offset)
        finally:
            os.close(handle)
        return self.take(data)

    def take(self, data: bytes) -> More | None:
        """The next bytes of the file."""
        self._offset += len(data)
        if self._offset > MOST_BYTES:
            self.is_broken = True
            return None
        *lines, self._rest = (self._rest + data).split(b"\n")
        is_first_look = self.maker is None
        more: More | None = None
        for text in lines:
            try:
                added = self._take_line(text)
            except ReplayError:
                self.is_broken = True
                break
            if added:
                more = together(more, added) if more else added
        if self.maker is not None and (more or is_first_look):
            self._written_out = json.dumps(self.film, ensure_ascii=False)
        if is_first_look:
            self.begin_anew(self.since)
        return more

    def _take_line(self, text: bytes) -> More | None:
        self._lines += 1
        if self.maker is None:
            self.maker = FilmMaker(read_header(text))
            return None
        read = read_line(text, self._lines, len(self.film["seats"]), is_last=False)
        if isinstance(read, Mapping):
            return None  # the result follows from the rest
        added = self.maker.add(read)
        added.pop("seed", None)  # it is left out of the file
        self.film.pop("seed", None)
        return added

    def begin_anew(self, now: float) -> None:
        """From now on it is shown: from its first step, or where it goes on already, from there."""
        self.since = now
        self._first = 0 if self.is_over else max(0, self.steps - FROM_HERE)

    @property
    def read(self) -> int:
        """How many bytes of the file are known."""
        return self._offset

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

    def step_at(self, now: float) -> int:
        """Where people are who have watched from the start."""
        return min(self.steps, self._first + int((now - self.since) / SECONDS_A_STEP))

    def is_through(self, now: float, linger: float) -> bool:
        """Whether those who have watched from the start have seen all of it, and the end for a while."""
        if not self.is_over:
            return self.is_broken
        steps = self.steps - self._first + profile_of(self.film["game"]).scoring_steps
        return now - self.since > steps * SECONDS_A_STEP + linger

    def message(self, now: float) -> str | None:
        """The film so far as JSON, with the step at which to begin; None: there is none yet."""
        if not self._written_out:
            return None
        return f'{{"at": {self.step_at(now)}, "film": {self._written_out}}}'


def together(one: More, other: More) -> More:
    """Two additions to a film that follow each other, as one."""
    both: More = {**one, **other, "start": one["start"], "entries": one["entries"] + other["entries"]}
    if "frames" in other:
        both["frames"] = one.get("frames", []) + other["frames"]
    return both
