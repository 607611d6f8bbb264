"""Live files: matches in progress, written by the workers for the spectators of a web server.

A file `live/<match>.jsonl` in the home has the lines of the match's replay (docs/replay.md) that exist so far, without
the seed; the last line may be incomplete while it is being written. `LiveFolder` is the one definition of names and
places for the writers here and the readers in `arena.web.live`.

Rules:
- Nothing is written without spectators: a web server that has some touches the file `wanted` every other second.
- No match is delayed: the worker reads what its matches have recorded so far, and the referee does not know of it. If a
  file cannot be written, the live view ends, not the match.
- Spectators see all cards, so players must not read the files: only the home's owner may enter the folder, and bots in
  a sandbox do not see the home. The seed is left out, because it reveals the cards of other matches.
- The number and size of files is bounded (`TournamentConfig.live_*`). Files that a killed worker leaves behind are
  removed by the next tournament in the home and by the web server.
"""

from __future__ import annotations

import asyncio
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from math import inf
from pathlib import Path
from typing import ClassVar

from arena.referee.match import Match
from arena.replay import dump_line
from arena.tournament.config import CONFIG

LIVE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
SUFFIX = ".jsonl"


class LiveFolder:
    """The folder that workers and web servers share."""

    max_bytes: ClassVar[int] = CONFIG.live_max_bytes

    def __init__(self, path: Path) -> None:
        self.path = path
        self.wanted = path / "wanted"

    def ask(self) -> None:
        """Request live files for the next few seconds. Raise `OSError` if that is impossible."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.wanted.touch(mode=0o600)

    def is_wanted(self) -> bool:
        """Return whether there is a recent request, in a folder that only its owner may enter."""
        try:
            if self.path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                return False
            return abs(time.time() - self.wanted.stat().st_mtime) < CONFIG.live_request_lifetime
        except OSError:
            return False

    def file(self, match: str) -> Path:
        assert LIVE_NAME.fullmatch(match), match
        return self.path / f"{match}{SUFFIX}"

    def matches(self) -> Iterator[tuple[str, os.stat_result]]:
        """Return the names of the matches that have a file, with its status."""
        with suppress(OSError), os.scandir(self.path) as entries:
            for entry in entries:
                name = entry.name.removesuffix(SUFFIX)
                if name != entry.name and LIVE_NAME.fullmatch(name):
                    with suppress(FileNotFoundError):
                        yield name, entry.stat(follow_symlinks=False)

    def clear(self, older_than: float = 0.0) -> None:
        """Remove files that were last written at least this many seconds ago: their writers are gone."""
        now = time.time()
        for name, found in list(self.matches()):
            if now - found.st_mtime >= older_than:
                with suppress(OSError):
                    self.file(name).unlink(missing_ok=True)


@dataclass(slots=True, eq=False)
class LiveFile:
    """The file of one match."""

    match: Match
    path: Path
    entries: int = 0
    """Entries of the replay that are written."""
    length: int = 0
    is_complete: bool = False
    """Whether the result is written."""
    remove_after: float = inf

    def update(self) -> None:
        """Write what is new; create the file at first. Raise `OSError` if that is impossible."""
        replay = self.match.replay
        text, how = "", os.O_APPEND
        if not self.length:
            self.path.unlink(missing_ok=True)  # of a worker that was killed during the same match
            text, how = dump_line(replace(replay.header, seed="")), os.O_CREAT | os.O_EXCL
        new = replay.entries[self.entries :]
        self.entries += len(new)
        text += "".join(map(dump_line, new))
        if replay.result:
            text += dump_line(replay.result)
            self.is_complete = True
        if not text:
            return
        data = text.encode()
        self.length += len(data)
        if self.length > LiveFolder.max_bytes:
            raise OSError("the match is too long for a live file")
        # Not kept open: file descriptors may be scarce, and the bots need them.
        file = os.open(self.path, os.O_WRONLY | how | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            if os.write(file, data) < len(data):
                raise OSError("the disk is full")
        finally:
            os.close(file)


class LiveWriter:
    """Writes live files for some matches of one worker."""

    def __init__(self, folder: LiveFolder, under_way: dict[str, Match]) -> None:
        """`under_way`: the matches in progress, the latest one last; it changes while they are played."""
        self.folder = folder
        self.under_way = under_way
        self.files: dict[str, LiveFile] = {}
        self._start_after = 0.0

    async def run(self) -> None:
        while True:
            if self.folder.is_wanted():
                self.update(time.monotonic())
                await asyncio.sleep(CONFIG.live_interval)
            else:
                for name in list(self.files):
                    self._remove(name)
                await asyncio.sleep(CONFIG.live_idle_interval)

    def update(self, now: float) -> None:
        """Write what is new, and start a file for another match if there is room."""
        for name, file in list(self.files.items()):
            if now > file.remove_after:
                self._remove(name)
            elif not file.is_complete:
                self._update(name, now)
        playing = sum(not file.is_complete for file in self.files.values())
        if now >= self._start_after and playing < CONFIG.live_matches:
            self._start(now)

    def _start(self, now: float) -> None:
        """Show the latest match: most of it is still to come, and in most formats it matters most."""
        for name in islice(reversed(self.under_way), CONFIG.live_matches + 1):
            if name not in self.files and LIVE_NAME.fullmatch(name):
                self._start_after = now + CONFIG.live_start_interval
                self.files[name] = LiveFile(self.under_way[name], self.folder.file(name))
                self._update(name, now)
                return

    def _update(self, name: str, now: float) -> None:
        """Write what is new of a match; if that is impossible, show it no longer."""
        file = self.files[name]
        try:
            file.update()
        except OSError:
            self._remove(name)
            self._start_after = now + CONFIG.live_retry_delay
            return
        if file.is_complete:
            file.remove_after = now + CONFIG.live_linger
        elif name not in self.under_way:
            self._remove(name)  # the match was cancelled

    def _remove(self, name: str) -> None:
        with suppress(OSError):
            self.files.pop(name).path.unlink(missing_ok=True)

    def close(self) -> None:
        """Complete the files of matches that have ended, and remove the others."""
        for name in [name for name, file in self.files.items() if not file.is_complete]:
            self._update(name, 0.0)
            if name in self.files and not self.files[name].is_complete:
                self._remove(name)
